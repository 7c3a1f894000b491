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
	if got := dossier.ParserNamed("ocr").Name; got != "" {
		t.Errorf("a parser that is not there: %s", got)
	}
}

// TestParserTypes holds that each row of the table is whole.
func TestParserTypes(t *testing.T) {
	t.Parallel()
	for _, p := range dossier.ParserTypes {
		if p.Name == "" || p.Meaning == "" || p.Label == "" {
			t.Errorf("a row lacks a text: %+v", p)
		}
	}
}
