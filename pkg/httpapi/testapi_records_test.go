package httpapi

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// documentType creates a document type with a name; more has further members of its body.
func (h *testAPI) documentType(t *testing.T, name, more string) string {
	t.Helper()
	return ok[dossier.DocumentType](t, h, "POST", "/documentTypes",
		fmt.Sprintf(`{"name":%q%s}`, name, more)).ID
}

// candidate creates a candidate with requests for document types.
func (h *testAPI) candidate(t *testing.T, documentTypeIDs ...string) string {
	t.Helper()
	ids, _ := json.Marshal(documentTypeIDs)
	return ok[dossier.Candidate](t, h, "POST", "/candidates",
		`{"firstName":"Ada","documentTypeIds":`+string(ids)+`}`).ID
}

// requests lists the document types requested of a candidate.
func (h *testAPI) requests(t *testing.T, candidate string) []dossier.CandidateDocumentType {
	t.Helper()
	return ok[[]dossier.CandidateDocumentType](t, h, "GET",
		"/candidateDocumentTypes?filter[candidateId]="+candidate, "")
}

// candidateWithRequest creates a candidate with one requested document type, and returns both ids.
func (h *testAPI) candidateWithRequest(t *testing.T,
	typeMembers string) (candidate, request string) {
	t.Helper()
	candidate = h.candidate(t, h.documentType(t, "Permit", typeMembers))
	return candidate, h.requests(t, candidate)[0].ID
}

// finishChecks finishes every notified check with a result, runs the rules that follow, and
// returns the number of checks.
func (h *testAPI) finishChecks(t *testing.T, found store.CheckResult) int {
	t.Helper()
	done := 0
	for _, e := range h.notified.take() {
		claim, ok, err := h.store.ClaimCheck(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		if err := h.store.FinishCheck(t.Context(), claim, found); err != nil {
			t.Fatal(err)
		}
		if err := (ruleRunner{h.store}).Run(t.Context(), claim.Company, claim.Candidate); err !=
			nil {
			t.Fatal(err)
		}
		done++
	}
	return done
}

// token creates a token of a candidate.
func (h *testAPI) token(t *testing.T, candidate string) string {
	t.Helper()
	token, err := h.store.CreateToken(t.Context(), h.company.ID, candidate, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token.Token
}

const pdf = "%PDF-1.4\n%%EOF\n"

// parts returns the body of an inline upload of PDF parts, from pairs of name and content.
func parts(nameAndContent ...string) string {
	var list []string
	for i := 0; i < len(nameAndContent); i += 2 {
		list = append(list, fmt.Sprintf(
			`{"name":%q,"fileName":"a.pdf","contentType":"application/pdf","content":%q}`,
			nameAndContent[i], base64.StdEncoding.EncodeToString([]byte(nameAndContent[i+1]))))
	}
	return `{"parts":[` + strings.Join(list, ",") + `]}`
}

// read returns the content behind a link.
func (h *testAPI) read(t *testing.T, url string) string {
	t.Helper()
	resp, err := h.files.Client().Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: %d %v", url, resp.StatusCode, err)
	}
	return string(body)
}

// holds reports whether anything stored for a candidate contains a text.
func (h *testAPI) holds(t *testing.T, candidate, text string) bool {
	t.Helper()
	partition := h.company.ID[len("com_"):] + "#CAND#" + candidate[len("cnd_"):]
	for _, p := range []string{partition, partition + "#MSG"} {
		page, err := h.engine.Query(t.Context(), kv.Query{Partition: p})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Items {
			if strings.Contains(fmt.Sprintf("%s %v", i.Doc, i), text) {
				return true
			}
		}
	}
	return false
}

// dispatchEvents dispatches every notified event.
func (h *testAPI) dispatchEvents(t *testing.T) {
	t.Helper()
	for _, e := range h.notified.take() {
		if e.Kind != store.TaskDispatch {
			continue
		}
		if err := h.store.Dispatch(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// dispatchAndReact dispatches every notified event and runs the scenarios of each.
func (h *testAPI) dispatchAndReact(t *testing.T) {
	t.Helper()
	h.dispatchEvents(t)
	for _, e := range h.notified.all() {
		if e.Kind != store.TaskScenario {
			continue
		}
		if err := h.store.React(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// failDeliveries attempts every notified delivery against targets that answer 410, which disables
// their integrations and holds later deliveries.
func (h *testAPI) failDeliveries(t *testing.T) {
	t.Helper()
	for _, e := range h.notified.all() {
		claims, err := h.store.ClaimDeliveries(t.Context(), e)
		if err == nil && len(claims) > 0 {
			_, err = h.store.Failed(t.Context(), claims[0],
				dossier.Attempt{At: dossier.NewTime(h.clock.now()), StatusCode: 410},
				dossier.Time{}, true, time.Hour)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// attemptDeliveries attempts every notified delivery: the target of one integration is gone, the
// others accept it.
func (h *testAPI) attemptDeliveries(t *testing.T, gone string) {
	t.Helper()
	for _, e := range h.notified.take() {
		claims, err := h.store.ClaimDeliveries(t.Context(), e)
		switch {
		case err != nil:
			t.Fatal(err)
		case len(claims) == 0:
			continue
		case claims[0].IntegrationID == gone:
			_, err = h.store.Failed(t.Context(), claims[0],
				dossier.Attempt{At: dossier.NewTime(h.clock.now()), StatusCode: 410},
				dossier.Time{}, true, time.Hour)
		default:
			attempt := dossier.Attempt{At: dossier.NewTime(h.clock.now()), StatusCode: 200}
			var made []store.Made
			for _, claim := range claims {
				made = append(made, store.Made{Claim: claim, Attempt: attempt})
			}
			err = h.store.Delivered(t.Context(), made)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
