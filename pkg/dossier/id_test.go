package dossier_test

import (
	"strings"
	"testing"

	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// FuzzID compares the parser of ids with the ULID library's.
func FuzzID(f *testing.F) {
	f.Add("01JD5T00000000000000000000")
	f.Add("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
	f.Add("8ZZZZZZZZZZZZZZZZZZZZZZZZZ")
	f.Add("01JD5T0000000000000000000I")
	f.Add("01jd5t00000000000000000000")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ulid.ParseStrict(text)
		want := err == nil && u.String() == text
		if _, got := dossier.ParseCandidateID("cnd_" + text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
		if id, ok := dossier.ParseCandidateDocumentTypeID("cdt_" + text + text); ok != want {
			t.Errorf("%q twice: got %v, want %v", text, ok, want)
		} else if ok && (id.Candidate().ULID() != text || id.DocumentType().ULID() != text ||
			id.Candidate().DocumentType(id.DocumentType()) != id) {
			t.Errorf("%q: %q and %q", id, id.Candidate(), id.DocumentType())
		}
		if _, ok := dossier.ParseDocumentTypeID("cnd_" + text); ok &&
			!strings.HasPrefix(text, "dty_") {
			t.Errorf("%q is no document type", text)
		}
	})
}
