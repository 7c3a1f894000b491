package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// What a client reads of an address with nothing behind it.
func TestNotFoundNamesWhatTheIDIsOf(t *testing.T) {
	t.Parallel()
	a := newTestAPI(t)
	id := func(prefix string, n int) string { return prefix + strings.Repeat(nobody, n) }
	for target, want := range map[string]string{
		"/nothing":        "There is nothing at this address.",
		"/candidates/a/b": "There is nothing at this address.",
		"/candidates/x":   "There is no candidate with this id.",
		"/candidates/" + id(dossier.PrefixCandidate, 1): "There is no candidate with this id.",
		"/candidates/" + id(dossier.PrefixDocumentType,
			1): "This is the id of a document type, not of a candidate.",
		"/documentTypes/" + id(dossier.PrefixCandidateDocumentType,
			2): "This is the id of a candidate document type, not of a document type.",
		"/integrations/" + id(dossier.PrefixCandidate,
			1): "This is the id of a candidate, not of an integration.",
		"/candidates/" + id(dossier.PrefixCandidate, 1) +
			"/messages/x": "There is no candidate with this id, or it has no such message.",
		"/candidates/" + id(dossier.PrefixForm, 1) + "/messages/x": `"` +
			id(dossier.PrefixForm, 1) + `" is the id of a form, not of a candidate.`,
	} {
		w := a.refused(t, call{method: "GET", target: target}, dossier.CodeNotFound)
		var p problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Detail != want {
			t.Errorf("%s: %v %q, not %q", target, err, p.Detail, want)
		}
	}
}

// Every id in a path has a noun.
func TestEveryPathHasNouns(t *testing.T) {
	t.Parallel()
	a := newTestAPI(t)
	for _, rt := range a.API.routes(Groups()) {
		segments := strings.Split(rt.path, "/")
		for n, segment := range segments {
			if strings.HasPrefix(segment, "{") && nouns[segments[n-1]] == "" {
				t.Errorf("%v: no noun for %s", rt, segment)
			}
		}
	}
}
