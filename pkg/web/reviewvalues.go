package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/check/printed"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// valueField is one value beside the part.
type valueField struct {
	Name, Label, Type string
	Read              string // "" where nothing was read
	Percent           int    // confidence; 0 is unknown, or nothing was read
	Low, Required     bool
	Changed           bool   // the form holds another value than was read
	OnFile            string // the candidate's value that this one is written to
	Differs           bool   // the form holds another value than the candidate
	Passed            string // YYYY-MM-DD, where the form holds a date of expiry in the past
}

// Said describes how certain a value is that was read.
func (f valueField) Said() string {
	switch {
	case f.Low:
		return "please compare"
	case f.Percent > 0:
		return strconv.Itoa(f.Percent) + " %"
	}
	return ""
}

// reference returns the dotted reference of the value.
func (f valueField) reference() string { return strings.TrimPrefix(f.Name, "v.") }

// value returns what a form holds for the field: a date as YYYY-MM-DD, whichever way it was typed.
// It reports false for a date that can't be read.
func (f valueField) value(in *form) (string, bool) {
	typed := in.Get(f.Name)
	if f.Type != dossier.FieldDate || typed == "" || typed == f.Read {
		return typed, true
	}
	return printed.Date(typed)
}

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
		f := &all[i]
		ref := f.reference()
		f.Read = plainText(lookup(c.Document.Parsed, ref))
		if t := check.ValueType(ref); t != "" {
			f.Type = t
		}
		if f.Read != "" {
			f.Percent = percent(*c.Document, ref)
		}
		f.Low = slices.ContainsFunc(c.Document.Reasons, func(r dossier.Reason) bool {
			return r.Reference == ref
		})
	}
	return all
}

// percent returns the confidence of a value: its own, else that of the document, which documents
// that were checked before readings were kept have alone.
func percent(d dossier.Document, ref string) int {
	confidence := d.Confidence
	for _, r := range d.Readings {
		if r.Reference == ref {
			confidence = r.Confidence
		}
	}
	return int(confidence*100 + .5)
}

// readValues fills the form with what was read.
func (v *reviewView) readValues() {
	v.Fields = valueFields(v.Request)
	for _, f := range v.Fields {
		v.Form.values.Set(f.Name, f.Read)
	}
	for _, r := range v.Request.Document.Reasons {
		v.Problems = append(v.Problems, labelled(r.Message, v.Fields))
	}
}

// compare marks the values that differ from what was read or is known of the candidate, and a date
// of expiry that has passed.
func (v *reviewView) compare(candidate dossier.Candidate, today string) {
	for i := range v.Fields {
		f := &v.Fields[i]
		now, readable := f.value(v.Form)
		f.Changed = !readable || now != f.Read
		for _, w := range v.Request.DocumentType.WriteBack {
			if w.From == f.reference() && f.OnFile == "" {
				f.OnFile = plainText(valueOf(candidate, w.To))
			}
		}
		f.Differs = f.OnFile != "" && now != "" && !strings.EqualFold(now, f.OnFile)
		if f.reference() == v.Request.DocumentType.Check.ExpiryReference {
			f.Passed = passed(v.Form, v.Request, today)
		}
	}
}

// passed returns the date of expiry that a form holds, where it has passed. The day itself is still
// good.
func passed(f *form, c dossier.CandidateDocumentType, today string) string {
	ref := c.DocumentType.Check.ExpiryReference
	if ref == "" {
		return ""
	}
	if date, ok := printed.Date(f.Get("v." + ref)); ok && date < today {
		return date
	}
	return ""
}

// today is the current day, YYYY-MM-DD.
func (p *page) today() string { return p.now.UTC().Format(time.DateOnly) }

// onFile lists the candidate's values that a document of a type is compared with.
func onFile(t dossier.DocumentType, c dossier.Candidate, custom []dossier.CustomField) []known {
	keys := []string{"birthDate"}
	for _, w := range t.WriteBack {
		if !slices.Contains(keys, w.To) {
			keys = append(keys, w.To)
		}
	}
	var all []known
	for _, key := range keys {
		value := plainText(valueOf(c, key))
		if value == "" || key == "firstName" || key == "lastName" {
			continue
		}
		ref := strings.TrimPrefix(key, "cf_")
		label := word(ref)
		for _, f := range custom {
			if f.Entity == dossier.EntityCandidate && f.Reference == ref && ref != key {
				label = f.Label
			}
		}
		all = append(all, known{Label: label, Value: day(value)})
	}
	return all
}

// labelled writes the labels of values into a message of the API that names their references.
func labelled(message string, fields []valueField) string {
	for _, f := range fields {
		message = strings.ReplaceAll(message, `"`+f.reference()+`"`, "“"+f.Label+"”")
	}
	return message
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
