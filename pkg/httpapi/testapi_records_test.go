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

// documentType makes one of a name; more are further members of its body.
func (h *testAPI) documentType(t *testing.T, name, more string) string {
	t.Helper()
	return ok[dossier.DocumentType](t, h, "POST", "/documentTypes", fmt.Sprintf(`{"name":%q%s}`, name, more)).ID
}

// candidate makes one who is asked for document types.
func (h *testAPI) candidate(t *testing.T, documentTypeIDs ...string) string {
	t.Helper()
	ids, _ := json.Marshal(documentTypeIDs)
	return ok[dossier.Candidate](t, h, "POST", "/candidates", `{"firstName":"Ada","documentTypeIds":`+string(ids)+`}`).ID
}

// requests lists a candidate's candidate document types.
func (h *testAPI) requests(t *testing.T, candidate string) []dossier.CandidateDocumentType {
	t.Helper()
	return ok[[]dossier.CandidateDocumentType](t, h, "GET", "/candidateDocumentTypes?filter[candidateId]="+candidate, "")
}

// asked makes a candidate who is asked for one document type, and returns both ids.
func (h *testAPI) candidateWithRequest(t *testing.T, typeMembers string) (candidate, request string) {
	t.Helper()
	candidate = h.candidate(t, h.documentType(t, "Permit", typeMembers))
	return candidate, h.requests(t, candidate)[0].ID
}

// checked carries out every check that rang, with what it finds, and what follows from it.
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
		if err := (ruleRunner{h.store}).Run(t.Context(), claim.Company, claim.Candidate); err != nil {
			t.Fatal(err)
		}
		done++
	}
	return done
}

// token makes a token of a candidate.
func (h *testAPI) token(t *testing.T, candidate string) string {
	t.Helper()
	token, err := h.store.CreateToken(t.Context(), h.company.ID, candidate, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token.Token
}

const pdf = "%PDF-1.4\n%%EOF\n"

// parts is the body of an inline upload: name and content of each part, said to be a PDF.
func parts(nameAndContent ...string) string {
	var list []string
	for i := 0; i < len(nameAndContent); i += 2 {
		list = append(list, fmt.Sprintf(`{"name":%q,"fileName":"a.pdf","contentType":"application/pdf","content":%q}`,
			nameAndContent[i], base64.StdEncoding.EncodeToString([]byte(nameAndContent[i+1]))))
	}
	return `{"parts":[` + strings.Join(list, ",") + `]}`
}

// read reads what a link leads to.
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

// holds reports whether a text stands in anything that is stored of a candidate.
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

// dispatched hands out every event that rang.
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

// handedOut hands out what rang, and has scenarios react; what follows from that is left.
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

// gone attempts every delivery that rang, to targets that answer 410: their integrations are disabled and what is left is held.
func (h *testAPI) failDeliveries(t *testing.T) {
	t.Helper()
	for _, e := range h.notified.all() {
		claim, ok, err := h.store.ClaimDelivery(t.Context(), e)
		if err == nil && ok {
			_, err = h.store.Failed(t.Context(), claim, dossier.Attempt{At: dossier.NewTime(h.clock.now()), StatusCode: 410}, dossier.Time{}, true, time.Hour)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// attempted attempts what rang: the target of one integration is gone, the others take it.
func (h *testAPI) attemptDeliveries(t *testing.T, gone string) {
	t.Helper()
	for _, e := range h.notified.take() {
		claim, ok, err := h.store.ClaimDelivery(t.Context(), e)
		switch {
		case err != nil:
			t.Fatal(err)
		case !ok:
			continue
		case claim.IntegrationID == gone:
			_, err = h.store.Failed(t.Context(), claim, dossier.Attempt{At: dossier.NewTime(h.clock.now()), StatusCode: 410}, dossier.Time{}, true, time.Hour)
		default:
			err = h.store.Delivered(t.Context(), claim, dossier.Attempt{At: dossier.NewTime(h.clock.now()), StatusCode: 200})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
