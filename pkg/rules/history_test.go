package rules_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// Every document is counted, and ten of them are examples, the first that were added.
func TestHistoryExamples(t *testing.T) {
	t.Parallel()
	h := rules.NewHistory([]dossier.Rule{{ID: "rul_1"}, {ID: "rul_2"}},
		[]dossier.Rule{{}, {ID: "rul_2"}})
	set := func(v any) rules.Outcome {
		return rules.Outcome{Status: dossier.StatusApproved, Rules: []dossier.RuleResult{
			{Matched: v == "nl"}, {Matched: true}}, Changes: []dossier.RuleEffect{
			{Type: dossier.EffectSetField, Value: "language", Set: v}}}
	}
	const documents = dossier.MaxHistoryExamples + 2
	for n := range documents {
		h.Add(dossier.HistoryExample{CandidateID: "cnd_1", DocumentID: fmt.Sprint("doc_", n)},
			set("de"), set("nl"))
	}
	h.Skip()
	got := h.Result(true)
	if got.Compared != documents || got.Skipped != 1 || !got.More || got.Candidates != 1 ||
		got.Different != documents || len(got.Got) != 1 || len(got.Lost) != 1 ||
		len(got.Statuses) != 0 || got.Got[0].Set != "nl" || got.Lost[0].Set != "de" ||
		got.Got[0].Count != documents || len(got.Got[0].Examples) != dossier.MaxHistoryExamples ||
		got.Got[0].Examples[0].DocumentID != "doc_0" {
		t.Errorf("history: %+v", got)
	}
	counts := make([][4]any, len(got.Rules))
	for n, r := range got.Rules {
		counts[n] = [4]any{r.ID, r.Position, r.MatchedBefore, r.MatchedNow}
	}
	want := [][4]any{{"", 1, 0, documents}, {"rul_2", 2, documents, documents}, {"rul_1", 0, 0, 0}}
	if !cmp.Equal(counts, want) || len(got.Rules[1].Examples) != 0 {
		t.Errorf("rules: %v, want %v", counts, want)
	}
}
