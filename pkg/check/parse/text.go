package parse

import (
	"strings"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/layout"
	"github.com/dossierhq/dossier/pkg/check/mrz"
	"github.com/dossierhq/dossier/pkg/check/printed"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// text is the text of a part and its filled form fields.
type text struct {
	pages  [][]layout.Line
	filled map[string]string // form fields by folded name
}

// textReaders holds by parser how values are read from text. Those of JSON parts are in object.go.
var textReaders = map[string]func(text, childproto.Job, *childproto.Answer){
	dossier.ParserPDF: func(t text, job childproto.Job, a *childproto.Answer) {
		a.Fields = findFields(job.Fields, t.filled, t.pages)
		a.Text = len(t.filled) > 0
	},
	dossier.ParserMRZ: func(t text, _ childproto.Job, a *childproto.Answer) {
		a.MRZ = mrz.Find(plain(t.pages))
	},
}

// findFields looks for the fields of the check: a form field whose name is the reference or the
// label, then the text beside the label.
func findFields(fields []dossier.CheckField, filled map[string]string,
	pages [][]layout.Line) []childproto.Field {
	wants := make([]layout.Want, len(fields))
	for i, f := range fields {
		wants[i] = layout.Want{Label: f.Label}
		switch f.Type {
		case dossier.FieldDate:
			wants[i].Accept = func(s string) bool { _, ok := printed.Date(s); return ok }
		case dossier.FieldNumber:
			wants[i].Accept = func(s string) bool { _, ok := printed.Number(s); return ok }
		}
	}
	found := make([]childproto.Field, len(fields))
	for i, text := range layout.Find(pages, wants) {
		found[i] = childproto.Field(text)
		for _, name := range []string{fields[i].Reference, fields[i].Label} {
			if v := filled[printed.Fold(name)]; v != "" {
				found[i] = childproto.Field{Text: v, Confidence: 1}
				break
			}
		}
	}
	return found
}

// plain returns the text of all pages, line by line.
func plain(pages [][]layout.Line) []string {
	var text []string
	for _, page := range pages {
		for _, l := range page {
			text = append(text, strings.TrimSpace(l.Text()))
		}
	}
	return text
}
