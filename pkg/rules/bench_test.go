package rules_test

import (
	"fmt"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// workload is figure 3: 10 rules of 4 conditions over 100 fields. Every condition but the last of a
// rule is true, so that `and` has to look at all four. compare/ measures the same rules with other
// engines.
func workload() ([]dossier.Rule, rules.Facts) {
	parsed := make(map[string]any, 100)
	for i := range 100 {
		parsed[fmt.Sprintf("field%02d", i)] = fmt.Sprintf("value %02d of the document", i)
	}
	var list []dossier.Rule
	for i := range 10 {
		key := func(j int) string { return fmt.Sprintf("field%02d", (i*4+j)*7%100) }
		condition := func(j int, op string, value any) dossier.Condition {
			return dossier.Condition{Type: dossier.ConditionFields, Reference: key(j), Operator: op,
				Value: value}
		}
		equal := parsed[key(3)]
		if i%2 == 1 {
			equal = "something else"
		}
		list = append(list, dossier.Rule{ID: fmt.Sprint("rul_", i),
			ConditionsType: dossier.ConditionsAnd, Conditions: []dossier.Condition{
				condition(0, dossier.OpIsNotEmpty, nil),
				condition(1, dossier.OpContains, []any{"of the"}),
				condition(2, dossier.OpIsNotEqual, []any{"CE", "C"}),
				condition(3, dossier.OpIsEqual, []any{"BE", equal})}})
	}
	return list, rules.Facts{Parsed: parsed}
}

func BenchmarkTrace(b *testing.B) {
	list, facts := workload()
	p := rules.Compile(list)
	b.ReportAllocs()
	for b.Loop() {
		if d := p.Evaluate(facts); !d.Rules[0].Matched || d.Rules[1].Matched {
			b.Fatal("wrong decision")
		}
	}
}

// BenchmarkEvaluate also compiles, as a run does for rules that it has just read.
func BenchmarkEvaluate(b *testing.B) {
	list, facts := workload()
	b.ReportAllocs()
	for b.Loop() {
		rules.Evaluate(list, facts)
	}
}

// TestEvaluateAllocations holds the count, so that the figure can't get worse unseen: the results
// of the rules, the traces of all their conditions, and the evaluation itself.
func TestEvaluateAllocations(t *testing.T) {
	list, facts := workload()
	p := rules.Compile(list)
	if n := testing.AllocsPerRun(100, func() { p.Evaluate(facts) }); n > 3 {
		t.Errorf("an evaluation allocates %v times, want at most 3", n)
	}
}
