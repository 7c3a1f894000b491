package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// of is a condition on the parsed document.
func of(reference, operator string, value any) dossier.Condition {
	return dossier.Condition{Type: dossier.ConditionFields, Reference: reference,
		Operator: operator, Value: value}
}

// nearFacts hold the values that the rules of TestWhyNotValues read.
var nearFacts = rules.Facts{
	Parsed: map[string]any{"tags": []any{"b", "c", "d"}, "one": []any{"b"},
		"class": "BCDEFGHIJK", "short": "abc", "object": map[string]any{"k": "v"}},
	Candidate: map[string]string{"nationality": "NLX", "language": "nl"}}

type conditions = []dossier.Condition

// The change that a rule needs is the nearest: what was read keeps its kind, its elements and their
// order, and the first of several that are equally near is told.
func TestWhyNotValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		how        string
		conditions conditions
		want       []any // the reference and value of every change
	}{
		"OK text of a candidate": {"and", conditions{read("nationality", "isEqual", 5.0)},
			[]any{"nationality", "5"}},
		"OK number": {"and", conditions{of("nationality", "isEqual", 5.0)},
			[]any{"nationality", 5.0}},
		"OK trimmed": {"and", conditions{of("short", "isEqual", " NLD ")}, []any{"short", "NLD"}},
		"OK after a blank value": {"and",
			conditions{read("nationality", "isEqual", []any{"", "NLD"})},
			[]any{"nationality", "NLD"}},
		"OK first of the near values": {"and",
			conditions{read("nationality", "isEqual", []any{"NLA", "NLB"})},
			[]any{"nationality", "NLA"}},
		"OK first of the near conditions": {"or", conditions{
			read("nationality", "isEqual", "NLA"), read("nationality", "isEqual", "NLB")},
			[]any{"nationality", "NLA"}},
		"OK one element less": {"and", conditions{of("tags", "notContains", "c")},
			[]any{"tags", []any{"b", "d"}}},
		"OK one element more": {"and", conditions{of("tags", "isNotEmpty", nil),
			of("tags", "contains", "x")}, []any{"tags", []any{"b", "c", "d", "x"}}},
		"OK in its order": {"and", conditions{of("tags", "contains", "b"),
			of("tags", "contains", "x")}, []any{"tags", []any{"b", "c", "d", "x"}}},
		"OK what is not forbidden": {"and", conditions{of("one", "contains", []any{"x", "y"}),
			of("one", "contains", "z"), of("one", "notContains", "x")},
			[]any{"one", []any{"b", "y", "z"}}},
		"OK a text stays a text": {"and", conditions{of("class", "contains", "X")},
			[]any{"class", "X"}},
		"OK emptying a short list": {"or", conditions{of("tags", "isEmpty", nil),
			of("class", "isEqual", "1234567")}, []any{"tags", nil}},
		"OK a text nearer than an empty list": {"or", conditions{of("tags", "isEmpty", nil),
			of("class", "isEqual", "BCDEF")}, []any{"class", "BCDEF"}},
		"OK emptying a short text": {"or", conditions{of("class", "isEqual", "BCDEF"),
			of("short", "isEmpty", nil)}, []any{"short", nil}},
		"OK a list nearer than a text": {"or", conditions{of("class", "isEqual", "BCDEF"),
			of("tags", "contains", "x")}, []any{"tags", []any{"b", "c", "d", "x"}}},
		"OK an object is far": {"or", conditions{of("object", "isEqual", "x"),
			of("short", "isEqual", "xyz")}, []any{"short", "xyz"}},
		"OK a field of the name of a reference": {"and", conditions{
			read("language", "isEqual", "de"), of("language.x", "isEqual", "1")},
			[]any{"language", "de", "language.x", "1"}},
	} {
		r := explained(dossier.Rule{ConditionsType: c.how, Conditions: c.conditions}, nearFacts)
		var got []any
		for _, n := range r.WhyNot {
			got = append(got, n.Reference, n.Value)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s\n%s", name, r.WhyNotMessage, diff)
		}
	}
}

// How the conditions of an older result combined is told from the result where it can be.
func TestHowOlderResultsCombined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		held, conditions int
		matched          bool
		want             string
	}{
		{0, 0, true, "and"}, {0, 0, false, "or"}, {0, 1, false, "and"}, {1, 1, true, "and"},
		{1, 2, true, "or"}, {1, 2, false, "and"}, {2, 2, true, ""}, {0, 2, false, ""},
		{0, 2, true, ""}, {2, 2, false, ""},
	} {
		r := dossier.RuleResult{Matched: c.matched}
		for n := range c.conditions {
			r.Conditions = append(r.Conditions, dossier.ConditionResult{Type: fields,
				Reference: "k", Operator: dossier.OpIsEmpty, Result: n < c.held})
		}
		list := []dossier.RuleResult{r}
		rules.WhyNot(list)
		if list[0].ConditionsType != c.want {
			t.Errorf("%+v: %q", c, list[0].ConditionsType)
		}
	}
}
