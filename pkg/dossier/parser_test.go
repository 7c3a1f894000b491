package dossier_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func TestReferences(t *testing.T) {
	t.Parallel()
	fields := []dossier.CheckField{{Reference: "permit.number"}, {Reference: "permit.class"}}
	for parser, want := range map[string][]string{
		dossier.ParserPDF:  {"permit.number", "permit.class"},
		dossier.ParserMRZ:  dossier.MRZReferences,
		dossier.ParserJSON: nil, dossier.ParserHTTP: nil,
		dossier.ParserNone: {"permit.number", "permit.class"}, // for a person to fill
	} {
		got := dossier.Check{Parser: parser, Fields: fields}.References()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", parser, diff)
		}
	}
	if len(dossier.ParserNames()) != 5 || dossier.ParserNamed("ocr").Name != "" {
		t.Errorf("parsers %v", dossier.ParserNames())
	}
}
