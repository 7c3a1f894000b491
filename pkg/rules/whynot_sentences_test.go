package rules_test

import (
	"slices"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// explained returns a rule's result as it is explained.
func explained(rule dossier.Rule, facts rules.Facts) dossier.RuleResult {
	results := rules.Evaluate([]dossier.Rule{rule}, facts).Rules
	rules.WhyNot(results)
	return results[0]
}

// TestWhyNotSentences reads the sentences about every operator, for one, two and more values, of
// texts and of lists.
func TestWhyNotSentences(t *testing.T) {
	t.Parallel()
	text := rules.Facts{Parsed: map[string]any{
		"permit": map[string]any{"class": "B C D", "tags": []any{"b", "c", "d"}},
	},
		Candidate: map[string]string{"nationality": "DEU"}, Forms: []string{"frm_a"}}
	for _, c := range []struct {
		kind, reference, operator string
		value                     any
		want                      string
	}{
		{"fields", "permit.class", "isEmpty", nil, "permit.class would have to be empty"},
		{"fields", "permit.none", "isNotEmpty", nil, "permit.none would have to have a value"},
		{"context", "nationality", "isEqual", "NLD", "nationality would have to be NLD"},
		{"context", "nationality", "isEqual", []any{"NLD", "BEL"},
			"nationality would have to be NLD or BEL"},
		{"context", "nationality", "isEqual", []any{"NLD", "BEL", ""},
			"nationality would have to be NLD, BEL or empty"},
		{"context", "nationality", "isEqual", "", "nationality would have to be empty"},
		{"context", "nationality", "isNotEqual", "DEU",
			"nationality would have to differ from DEU"},
		{"context", "nationality", "isNotEqual", []any{"DEU", "BEL"},
			"nationality would have to be neither DEU nor BEL"},
		{"context", "nationality", "isNotEqual", []any{"DEU", "BEL", "NLD"},
			"nationality would have to be none of DEU, BEL and NLD"},
		{"context", "nationality", "isNotEqual", []any{"DEU", ""},
			"nationality would have to have a value other than DEU"},
		{"context", "email", "isNotEqual", "", "email would have to have a value"},
		{"fields", "permit.class", "contains", "X", "permit.class would have to contain X"},
		{"fields", "permit.class", "contains", []any{"X", 5.0, true},
			"permit.class would have to contain X, 5 or true"},
		{"fields", "permit.class", "notContains", "B", "permit.class would have to be without B"},
		{"fields", "permit.class", "notContains", []any{"B", "C"},
			"permit.class would have to contain neither B nor C"},
		{"fields", "permit.class", "notContains", []any{"B", "C", "D"},
			"permit.class would have to contain none of B, C and D"},
		{"fields", "permit.tags", "isEqual", []any{"b", "c"},
			"permit.tags would have to be exactly b and c"},
		{"fields", "permit.tags", "isNotEqual", []any{"b", "c", "d"},
			"permit.tags would have to be anything but exactly b, c and d"},
		{"fields", "permit.tags", "contains", []any{"x", "y"},
			"permit.tags would have to contain x or y"},
		{"context", "forms", "isEqual", []any{"frm_b"}, "forms would have to be exactly frm_b"},
		{"fields", "permit.class", "contains",
			[]any{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"},
			"permit.class would have to contain 1, 2, 3, 4, 5, 6, 7, 8 or one of 2 others"},
	} {
		r := explained(condition(c.kind, c.reference, c.operator, c.value), text)
		if len(r.WhyNot) != 1 || r.WhyNot[0].Message != c.want+"." ||
			r.WhyNotMessage != "To match, "+c.want+"." {
			t.Errorf("%s %s %v: %q, %+v", c.reference, c.operator, c.value, r.WhyNotMessage,
				r.WhyNot)
		}
	}
}

// TestWhyNotOfWholeRules reads what is said of rules with several conditions, and of those that
// never match.
func TestWhyNotOfWholeRules(t *testing.T) {
	t.Parallel()
	nationality := func(operator string, value any) dossier.Condition {
		return read("nationality", operator, value)
	}
	facts := rules.Facts{Candidate: map[string]string{"nationality": "DEU", "language": "nl"}}
	for _, c := range []struct {
		kind       string
		conditions []dossier.Condition
		values     []any
		want       string
	}{
		{"and", []dossier.Condition{nationality("isEqual", "NLD"),
			read("language", "isEqual", "de"), read("email", "isEmpty", nil)},
			[]any{"NLD", "de"},
			"To match, nationality would have to be NLD, and language would have to be de."},
		{"and", []dossier.Condition{nationality("notContains", "E"), nationality("contains", "NL"),
			nationality("isNotEqual", "NL")},
			nil, "To match, nationality would have to be without E and contain NL."},
		{"or", []dossier.Condition{nationality("isEqual", "Netherlands"),
			nationality("isEqual", []any{"DEN", "XYZ"})},
			[]any{"DEN"}, "To match, nationality would have to be DEN or XYZ."},
		{"and", []dossier.Condition{nationality("isEqual", "NLD"),
			nationality("isNotEqual", "NLD")}, nil,
			"The conditions exclude each other, so the rule never matches."},
		{"or", nil, nil, `A rule of the type "or" without conditions never matches.`},
		{"and", nil, nil, ""},
	} {
		r := explained(dossier.Rule{ConditionsType: c.kind, Conditions: c.conditions}, facts)
		if r.WhyNotMessage != c.want {
			t.Errorf("%+v: %q, want %q", c.conditions, r.WhyNotMessage, c.want)
		}
		var values []any
		for _, n := range r.WhyNot {
			values = append(values, n.Value)
		}
		if c.values != nil && !slices.Equal(values, c.values) {
			t.Errorf("%+v: %v, want %v", c.conditions, values, c.values)
		}
	}
}

// TestWhyNotOfOlderRuns explains results that were stored without how their conditions combined.
func TestWhyNotOfOlderRuns(t *testing.T) {
	t.Parallel()
	facts := rules.Facts{Candidate: map[string]string{"nationality": "DEU"}}
	rule := dossier.Rule{ConditionsType: "and", Conditions: []dossier.Condition{
		read("nationality", "isEqual", "NLD"), read("email", "isEmpty", nil),
		read("language", "isEmpty", nil)}}
	old := rules.Evaluate([]dossier.Rule{rule}, facts).Rules
	old[0].ConditionsType = ""
	rules.WhyNot(old)
	if old[0].ConditionsType != "and" || len(old[0].WhyNot) != 1 {
		t.Errorf("%+v", old[0])
	}
	old = rules.Evaluate([]dossier.Rule{{ConditionsType: "or", Conditions: []dossier.Condition{
		read("nationality", "isEqual", "NLD"), read("email", "isNotEmpty", nil)}}}, facts).Rules
	old[0].ConditionsType = ""
	rules.WhyNot(old)
	if len(old[0].WhyNot) != 0 ||
		old[0].WhyNotMessage != "It is not known how the conditions of this rule combined." {
		t.Errorf("%+v", old[0])
	}
}
