package web

import (
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// valueFields lists the values of a document: those that its type declares, then what else was
// read.
func valueFields(c dossier.CandidateDocumentType) []valueField {
	var all []valueField
	check := c.DocumentType.Check
	for _, f := range check.Fields {
		all = append(all, valueField{Name: "v." + f.Reference, Label: f.Label, Type: f.Type,
			Required: slices.Contains(check.Required, f.Reference)})
	}
	more := references(c.Document.Parsed, "")
	if known := check.References(); known != nil && !dossier.ParserNamed(check.Parser).Fields {
		more = known
	}
	for _, ref := range more {
		if !slices.ContainsFunc(all, func(f valueField) bool { return f.Name == "v."+ref }) {
			all = append(all, valueField{Name: "v." + ref,
				Label: valueLabel(ref), Type: "text"})
		}
	}
	for i := range all {
		if c.Document.Confidence > 0 {
			all[i].Percent = int(c.Document.Confidence*100 + .5)
		}
		ref := strings.TrimPrefix(all[i].Name, "v.")
		all[i].Low = slices.ContainsFunc(c.Document.Reasons, func(r dossier.Reason) bool {
			return r.Reference == ref
		})
	}
	return all
}

// references lists the dotted references of nested values.
func references(values map[string]any, prefix string) []string {
	var all []string
	for _, name := range sortedKeys(values) {
		if inner, ok := values[name].(map[string]any); ok {
			all = append(all, references(inner, prefix+name+".")...)
			continue
		}
		all = append(all, prefix+name)
	}
	return all
}
