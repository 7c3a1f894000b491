package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Reads holds what rules read, so that a test of them keeps nothing else of a candidate.
type Reads struct {
	fields  []string        // parser references
	context map[string]bool // context keys
}

// ReadsOf returns what the conditions of rules read.
func ReadsOf(rules []dossier.Rule) *Reads {
	r := &Reads{context: map[string]bool{}}
	for _, rule := range rules {
		for _, c := range rule.Conditions {
			if c.Type == dossier.ConditionFields {
				r.Fields(c.Reference)
			} else {
				r.Context(c.Reference)
			}
		}
	}
	return r
}

// Fields adds parser references.
func (r *Reads) Fields(references ...string) { r.fields = append(r.fields, references...) }

// Context adds context keys.
func (r *Reads) Context(keys ...string) {
	for _, key := range keys {
		r.context[key] = true
	}
}

// Has reports whether a context key is read.
func (r *Reads) Has(key string) bool { return r.context[key] }

// Cut returns the part of the facts that is read, with what the status of the candidate depends on,
// without entities and custom fields that do not exist any more.
func (r *Reads) Cut(parsed map[string]any, c dossier.RuleContext,
	known Catalog) (map[string]any, dossier.RuleContext) {
	var cut map[string]any
	for _, reference := range r.fields {
		if kept := keepPath(parsed, reference); kept != nil {
			if cut == nil {
				cut = map[string]any{}
			}
			merge(cut, kept)
		}
	}
	c.Candidate = maps.Clone(c.Candidate)
	maps.DeleteFunc(c.Candidate, func(key, _ string) bool { return !r.context[key] })
	c.CustomFields = r.cutFields(prefixCustomField, c.CustomFields, known.CandidateFields)
	c.DocumentCustomFields = r.cutFields(prefixDocumentCustomField, c.DocumentCustomFields,
		known.DocumentFields)
	c.DocumentTypes = slices.DeleteFunc(slices.Clone(c.DocumentTypes),
		func(d dossier.ContextDocumentType) bool { return !known.DocumentTypes[d.ID] })
	c.Forms = slices.DeleteFunc(slices.Clone(c.Forms),
		func(f dossier.ContextForm) bool { return !known.Forms[f.ID] })
	c.PresetIDs = slices.DeleteFunc(slices.Clone(c.PresetIDs),
		func(id string) bool { return !known.Presets[id] })
	return cut, c
}

func (r *Reads) cutFields(prefix string, values map[string]any,
	types map[string]string) map[string]any {
	values = maps.Clone(values)
	maps.DeleteFunc(values, func(ref string, _ any) bool {
		return !r.context[prefix+ref] || types[ref] == ""
	})
	return values
}

// keepPath returns the part of an object that a reference reads, nil if it reads nothing. Below a
// list everything is kept.
func keepPath(object map[string]any, reference string) map[string]any {
	for end := 0; end <= len(reference); end++ {
		if next := strings.IndexByte(reference[end:], '.'); next >= 0 {
			end += next
		} else {
			end = len(reference)
		}
		value, ok := object[reference[:end]]
		if !ok {
			continue
		}
		inner, nested := value.(map[string]any)
		if !nested || end == len(reference) {
			return map[string]any{reference[:end]: value}
		}
		if kept := keepPath(inner, reference[end+1:]); kept != nil {
			return map[string]any{reference[:end]: kept}
		}
	}
	return nil
}

// merge adds the members of one object to another that is its own.
func merge(to, from map[string]any) {
	for key, value := range from {
		inner, nested := value.(map[string]any)
		if !nested {
			to[key] = value
			continue
		}
		into, ok := to[key].(map[string]any)
		if !ok {
			into = map[string]any{}
			to[key] = into
		}
		merge(into, inner)
	}
}
