package parse

import (
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/dossierhq/dossier/pkg/check/printed"
)

// maxFormNodes bounds the fields of a form.
const maxFormNodes = 5000

// formFields reads the form fields of the document that are filled, by folded name: the whole name,
// the last part of it, and what the form shows in its place. A damaged form is no reason to refuse
// the file: its text may hold everything.
func formFields(doc *pdf.Reader) map[string]string {
	f := form{filled: make(map[string]string)}
	if recovered(func() {
		f.walk(doc.Trailer().Key("Root").Key("AcroForm").Key("Fields"), "",
			pdf.Value{}, 0)
	}) != nil {
		return map[string]string{}
	}
	return f.filled
}

type form struct {
	filled map[string]string
	nodes  int
}

// walk reads the fields of a list, and theirs below them; a value is inherited.
func (f *form) walk(list pdf.Value, prefix string, inherited pdf.Value, depth int) {
	for i := range list.Len() {
		if f.nodes++; depth > maxTreeDepth || f.nodes > maxFormNodes {
			panic(errTooMuch)
		}
		field := list.Index(i)
		name, v := prefix, inherited
		if part := field.Key("T").Text(); part != "" {
			name = strings.TrimPrefix(prefix+"."+part, ".")
		}
		if own := field.Key("V"); !own.IsNull() {
			v = own
		}
		if text := printed.Text(fieldText(v)); text != "" {
			for _, n := range []string{name, field.Key("T").Text(), field.Key("TU").Text()} {
				if folded := printed.Fold(n); folded != "" && f.filled[folded] == "" {
					f.filled[folded] = text
				}
			}
		}
		f.walk(field.Key("Kids"), name, v, depth+1)
	}
}

// fieldText returns the value of a field: a text, the name of a choice that is not Off, or the
// texts of several.
func fieldText(v pdf.Value) string {
	switch v.Kind() {
	case pdf.String:
		return v.Text()
	case pdf.Name:
		if v.Name() != "Off" {
			return v.Name()
		}
	case pdf.Array:
		texts := make([]string, 0, v.Len())
		for i := range v.Len() {
			texts = append(texts, v.Index(i).Text())
		}
		return strings.Join(texts, ", ")
	}
	return ""
}
