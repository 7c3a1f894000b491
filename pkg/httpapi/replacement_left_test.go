package httpapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// manyRemoved is a number of document types whose removal, with an event and a replacement entry
// each, does not fit into one transaction.
const manyRemoved = 24

// Rules that remove many document types with a replacement that waits for review leave none in the
// overview, once a sweep has come.
func TestRemoveManyReplacements(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		var removals, documents []string
		for n := range manyRemoved {
			id := h.documentType(t, fmt.Sprint(n), "")
			removals = append(removals, fmt.Sprintf(`{"type":"removeDocumentType","value":%q}`, id))
			documents = append(documents, fmt.Sprintf(`{"documentTypeId":%q}`, id))
		}
		rule := func(actions []string) string {
			return `{"conditionsType":"and","conditions":[],"actions":[` +
				strings.Join(actions, ",") + `]}`
		}
		ruled := h.documentType(t, "ruled", `,"submission":{"rules":[`+
			rule(removals[:manyRemoved/2])+","+rule(removals[manyRemoved/2:])+`]}`)
		candidate := ok[dossier.CandidateImport](t, h, "POST", "/candidates/import",
			`{"externalId":"many","documents":[`+strings.Join(documents, ",")+`]}`).CandidateID
		for _, r := range h.requests(t, candidate) {
			h.uploadTo(t, r.ID, store.CheckResult{State: dossier.StateInReview})
		}
		toReview := func() int {
			return ok[dossier.Overview](t, h, "GET", "/overview", "").ToReview.Count
		}
		if n := toReview(); n != manyRemoved {
			t.Fatalf("%d wait for review", n)
		}
		own := ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes",
			fmt.Sprintf(`{"candidateId":%q,"documentTypeId":%q}`, candidate, ruled))
		h.uploadTo(t, own.ID, store.CheckResult{State: dossier.StateValidated})
		for _, r := range h.requests(t, candidate) {
			if r.ID != own.ID && (r.State != dossier.StateRemoved || r.Replacement != nil) {
				t.Errorf("%s is %s, replacement %+v", r.ID, r.State, r.Replacement)
			}
		}
		h.reportDates(t)
		if n := toReview(); n != 0 {
			t.Errorf("%d still wait for review", n)
		}
		h.noDates(t)
	})
}

// uploadTo sends a document and ends its check.
func (h *testAPI) uploadTo(t *testing.T, request string, found store.CheckResult) {
	t.Helper()
	ok[json.RawMessage](t, h, "POST", "/candidateDocumentTypes/"+request+"/upload",
		parts("front", pdf))
	h.finishChecks(t, found)
}

// noDates fails if a date is still to be reported now.
func (h *testAPI) noDates(t *testing.T) {
	t.Helper()
	due, _, err := h.store.Due(t.Context(), 100, &store.SweepCursors{})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range due {
		if task.Kind == store.TaskDate {
			t.Errorf("%+v is still due", task)
		}
	}
}
