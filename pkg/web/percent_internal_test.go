package web

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestPercent holds that a value is shown with its own confidence, and with the document's where
// the check kept none for the value.
func TestPercent(t *testing.T) {
	t.Parallel()
	d := dossier.Document{Confidence: 0.71, Parsed: map[string]any{"number": "1", "class": "C",
		"expires": "2031-05-01"}, Readings: []dossier.Reading{
		{Reference: "number", Confidence: 0.995}, {Reference: "class", Confidence: 0.71}}}
	want := map[string]int{"number": 100, "class": 71, "expires": 71}
	for _, f := range valueFields(dossier.CandidateDocumentType{Document: &d,
		DocumentType: dossier.DocumentType{Check: dossier.Check{Parser: dossier.ParserPDF}}}) {
		if f.Percent != want[f.reference()] {
			t.Errorf("%s is shown with %d %%, not %d %%", f.reference(), f.Percent,
				want[f.reference()])
		}
		delete(want, f.reference())
	}
	if len(want) > 0 {
		t.Errorf("not shown: %v", want)
	}
}
