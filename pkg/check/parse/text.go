package parse

import (
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/layout"
	"github.com/dossierhq/dossier/pkg/check/mrz"
	"github.com/dossierhq/dossier/pkg/check/printed"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// text is the text of a part and its filled form fields.
type text struct {
	pages    [][]layout.Line   // one for each page of the part
	frames   []frame           // of the pages
	drawings [][]drawing       // the pictures of the pages
	filled   map[string]string // form fields by folded name
	words    [][]layout.Glyph  // that were recognized on the pages
}

// textReaders holds by parser how values are read from text. Those of JSON parts are in object.go.
var textReaders = map[string]func(text, childproto.Job, *childproto.Answer){
	dossier.ParserPDF: func(t text, job childproto.Job, a *childproto.Answer) {
		a.Fields = findFields(job.Fields, t)
		a.Text = len(t.filled) > 0
	},
	dossier.ParserMRZ: func(t text, _ childproto.Job, a *childproto.Answer) {
		a.MRZ = mrz.Find(plain(t.pages))
		a.MRZPlace, a.MRZDoubt = t.zonePlace(a.MRZ)
	},
}

// findFields looks for the fields of the check: a form field whose name is the reference or the
// label, then the text beside the label.
func findFields(fields []dossier.CheckField, t text) []childproto.Field {
	found := make([]childproto.Field, len(fields))
	for i, f := range layout.Find(t.pages, wants(fields)) {
		if f.Text != "" {
			found[i] = childproto.Field{Text: f.Text, Confidence: f.Confidence, Doubt: f.Doubt,
				Place: t.frames[f.Place.Page].place(f.Place)}
		}
		for _, name := range []string{fields[i].Reference, fields[i].Label} {
			if v := t.filled[printed.Fold(name)]; v != "" {
				found[i] = childproto.Field{Text: v, Confidence: 1}
				break
			}
		}
	}
	return found
}

// wants are the labels of fields, and what their values have to be.
func wants(fields []dossier.CheckField) []layout.Want {
	wants := make([]layout.Want, len(fields))
	for i, f := range fields {
		wants[i] = layout.Want{Label: f.Label}
		switch f.Type {
		case dossier.FieldDate:
			wants[i].Accept = func(s string) bool { _, ok := printed.Date(s); return ok }
		case dossier.FieldNumber:
			wants[i].Accept = func(s string) bool { _, ok := printed.Number(s); return ok }
		default:
			if form, err := f.Form(); err == nil && form != nil {
				wants[i].Accept = func(s string) bool {
					_, _, fits := spelled(s, form)
					return fits
				}
			}
		}
	}
	return wants
}

// zonePlace returns where a zone stands, and the doubt of the least certain of its lines.
func (t text) zonePlace(zone *mrz.Zone) (at childproto.Place, doubt float64) {
	if zone == nil {
		return at, 0
	}
	for n, page := range t.pages {
		for _, l := range page {
			if !slices.Contains(zone.Lines, strings.Join(strings.Fields(l.Text()), "")) {
				continue
			}
			for _, c := range l.Cells {
				doubt = max(doubt, c.Doubt)
			}
			place := l.Place()
			place.Page = n
			next := t.frames[n].place(place)
			switch {
			case at.Page == 0:
				at = next
			case at.Page == next.Page:
				at.Box = union(at.Box, next.Box)
			}
		}
	}
	return at, doubt
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
