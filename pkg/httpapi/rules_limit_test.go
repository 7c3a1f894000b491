package httpapi

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// A candidate with as many document types as allowed, removed ones included, gets no more from a
// rule, and the rule run states why.
func TestRuleRunStopsAtLimits(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.unchecked = true
	types := make([]string, dossier.MaxRequested)
	for n := range types {
		types[n] = h.documentType(t, fmt.Sprint(n), "")
	}
	one := h.documentType(t, "one", "")
	types[0] = h.documentType(t, "ruled",
		fmt.Sprintf(
			`,"submission":{"rules":[{"conditionsType":"and","actions":[{"type":"addDocumentType","value":%q},
		{"type":"addDocumentType","value":%q}]}]}`, one, types[1]))
	candidate := h.candidate(t, types[:40]...)
	for _, id := range types[40:] {
		ok[dossier.CandidateDocumentType](t, h, "POST", "/candidateDocumentTypes",
			fmt.Sprintf(`{"candidateId":%q,"documentTypeId":%q}`, candidate, id))
	}
	at := func(documentType string) string {
		return "/candidateDocumentTypes/cdt_" + candidate[4:] + documentType[4:]
	}
	ok[dossier.CandidateDocumentType](t, h, "DELETE", at(types[1]), "")
	ok[dossier.CandidateDocumentType](t, h, "POST", at(types[0])+"/upload", parts("a", pdf))
	h.unchecked = false
	h.finishChecks(t, store.CheckResult{State: dossier.StateValidated})
	runs := ok[[]dossier.RuleRun](t, h, "GET", at(types[0])+"/ruleRuns", "")
	got, _ := json.Marshal(runs[0].Rules[0].Actions, json.Deterministic(true))
	want := fmt.Sprintf(
		`[{"type":"addDocumentType","value":%q,"changed":false,"reason":"limitReached"},{"type":"addDocumentType","value":%q,"changed":true}]`,
		one, types[1])
	if string(got) != want {
		t.Errorf("%s, not %s", got, want)
	}
}
