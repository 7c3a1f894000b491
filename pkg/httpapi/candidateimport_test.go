package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// An import that is refused names each bad place, and stores nothing.
func TestImportRefused(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	card := h.documentType(t, "Card", `,"check":{"required":["number"],"fields":[
		{"reference":"number","label":"N","type":"number"},
		{"reference":"until","label":"U","type":"date"}],"expiryReference":"until"}`)
	many := make([]string, dossier.MaxImported+1)
	for n := range many {
		many[n] = fmt.Sprintf(`{"documentTypeId":"dty_%d"}`, n)
	}
	for name, c := range map[string]struct {
		body  string
		named []string
	}{
		"ErrExternalID": {`{"firstName":"Ada"}`, []string{"/externalId required"}},
		"ErrID": {`{"candidateId":"cnd_x","firstName":"Ada"}`,
			[]string{"/candidateId unknown"}},
		"ErrNoID":  {`{"candidateId":"","externalId":"i"}`, []string{"/candidateId required"}},
		"ErrOwnID": {`{"id":"cnd_x","externalId":"i"}`, []string{"/id readOnly"}},
		"ErrTexts": {`{"externalId":"i","email":"ada@","nationality":"nld"}`,
			[]string{"/email malformed", "/nationality malformed"}},
		"ErrField": {`{"externalId":"i","customFields":{"size":1}}`,
			[]string{"/customFields/size unknown"}},
		"ErrType": {`{"externalId":"i","documents":[{"documentTypeId":"dty_x"}]}`,
			[]string{"/documents/0/documentTypeId unknown"}},
		"ErrTwice": {`{"externalId":"i","documents":[{"documentTypeId":"` + card +
			`"},{"documentTypeId":"` + card + `"}]}`,
			[]string{"/documents/1/documentTypeId duplicate"}},
		"ErrMany": {`{"externalId":"i","documents":[` + strings.Join(many, ",") + `]}`,
			[]string{"/documents tooMany"}},
		"ErrValues": {`{"externalId":"i","documents":[{"documentTypeId":"` + card +
			`","parsed":{"until":"31.12.2030","other":1}}]}`,
			[]string{"/documents/0/parsed/other unknown", "/documents/0/parsed/until malformed",
				"/documents/0/parsed/number required"}},
		"ErrOurs": {`{"externalId":"i","status":"approved"}`, []string{"/status readOnly"}},
	} {
		t.Run(name, func(t *testing.T) {
			h.refused(t, call{method: "POST", target: "/candidates/import", body: c.body},
				dossier.CodeValidation, c.named...)
		})
	}
	if all := ok[[]dossier.Candidate](t, h, "GET", "/candidates", ""); len(all) != 0 {
		t.Errorf("refused imports made %d candidates", len(all))
	}
}

// A key that may not validate documents imports candidates without them.
func TestImportWithoutDocumentScope(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	card := h.documentType(t, "Card", "")
	key := ok[dossier.Key](t, h, "POST", "/keys",
		`{"name":"HR","kind":"integration","scopes":["candidates:write"]}`).Secret
	h.refused(t, call{method: "POST", target: "/candidates/import", key: key,
		body: `{"externalId":"i","documents":[{"documentTypeId":"` + card + `"}]}`},
		dossier.CodeForbidden)
	got, _ := okWith[dossier.CandidateImport](t, h, call{method: "POST",
		target: "/candidates/import", key: key, body: `{"externalId":"i"}`})
	if got.Result != dossier.ImportCreated {
		t.Errorf("%+v", got)
	}
}
