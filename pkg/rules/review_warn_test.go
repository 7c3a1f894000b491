package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// read is one condition in short: a `fields` reference starts with a point.
func read(reference, operator string, value any) dossier.Condition {
	kind := dossier.ConditionContext
	if strings.HasPrefix(reference, ".") {
		kind, reference = dossier.ConditionFields, reference[1:]
	}
	return dossier.Condition{Type: kind, Reference: reference, Operator: operator, Value: value}
}

var ab, bc, onlyC, onlyA = []any{"A", "B"}, []any{"B", "C"}, []any{"C"}, []any{"A"}

var neverCases = map[string]struct {
	how        string
	any        bool // the parser may read anything, lists too
	conditions []dossier.Condition
	never      bool
}{
	"OK none": {"and", false, nil, false},
	"OK other references": {"and", false,
		[]dossier.Condition{read(".permit.class", "isEmpty", nil),
			read(".permit.number", "isNotEmpty", nil)}, false},
	"OK or": {"or", false,
		[]dossier.Condition{read("email", "isEmpty", nil), read("email", "isNotEmpty", nil)},
		false},
	"OK overlap": {"and", false,
		[]dossier.Condition{read("email", "isEqual", ab), read("email", "isEqual", bc)}, false},
	"OK equal A, B and not A": {"and", false,
		[]dossier.Condition{read("email", "isEqual", ab), read("email", "isNotEqual", onlyA)},
		false},
	"OK a list may be A and not A, B": {"and", true,
		[]dossier.Condition{read(".x", "isEqual", onlyA), read(".x", "isNotEqual", ab)}, false},
	"OK text with C but not CE": {"and", false,
		[]dossier.Condition{read("email", "contains", "C"), read("email", "notContains", "CE")},
		false},
	"OK contains two": {"and", false,
		[]dossier.Condition{read("email", "contains", "A"), read("email", "contains", "B"),
			read("email", "isNotEqual", "AB")}, false},
	"OK apart": {"and", false,
		[]dossier.Condition{read("email", "contains", "A"), read("email", "contains", "B"),
			read("email", "notContains", "AB")}, false},
	"OK list with CE but not C": {"and", true,
		[]dossier.Condition{read(".x", "contains", "CE"), read(".x", "notContains", "C")}, false},
	"OK status": {"and", false,
		[]dossier.Condition{read("status", "isEqual", "approved")}, false},
	"OK boolean": {"and", false,
		[]dossier.Condition{read("cf_driver", "isEqual", true)}, false},
	"OK empty or A": {"and", false,
		[]dossier.Condition{read("email", "isEqual", []any{"", "A"}),
			read("email", "isEmpty", nil)}, false},
	"OK types": {"and", false,
		[]dossier.Condition{read("documentTypes", "contains", "dty_b"),
			read("documentTypes", "notContains", "dty_c")}, false},

	"ErrOrOfNone": {"or", false, nil, true},
	"ErrEmptyAndNot": {"and", false,
		[]dossier.Condition{read("email", "isEmpty", nil), read("email", "isNotEmpty", nil)}, true},
	"ErrEqualAndNot": {"and", true,
		[]dossier.Condition{read(".x", "isEqual", ab), read(".x", "isNotEqual", []any{"B", "A"})},
		true},
	"ErrEqualAndNotMore": {"and", false,
		[]dossier.Condition{read("email", "isEqual", onlyA), read("email", "isNotEqual", ab)},
		true},
	"ErrDisjoint": {"and", true,
		[]dossier.Condition{read(".x", "isEqual", ab), read(".x", "isEqual", onlyC)}, true},
	"ErrThree": {"and", false,
		[]dossier.Condition{read("email", "isEqual", ab), read("email", "isEqual", bc),
			read("email", "isEqual", []any{"A", "C"})}, true},
	"ErrContainsAndNot": {"and", true,
		[]dossier.Condition{read(".x", "contains", onlyA), read(".x", "notContains", ab)}, true},
	"ErrTextWithCEButNotC": {"and", false,
		[]dossier.Condition{read("email", "contains", "CE"), read("email", "notContains", "C")},
		true},
	"ErrEqualWithoutContent": {"and", false,
		[]dossier.Condition{read("email", "isEqual", ab), read("email", "contains", "C")}, true},
	"ErrEmptyContains": {"and", true,
		[]dossier.Condition{read(".x", "isEmpty", nil), read(".x", "contains", "C")}, true},
	"ErrStatus": {"and", false,
		[]dossier.Condition{read("status", "isEqual", "aproved")}, true},
	"ErrBoolean": {"and", false,
		[]dossier.Condition{read("cf_driver", "isEqual", "yes")}, true},
	"ErrNormalized": {"and", false,
		[]dossier.Condition{read("email", "isEqual", "e\u0301 "),
			read("email", "isNotEqual", "\u00e9")}, true},
	"ErrTypes": {"and", false,
		[]dossier.Condition{read("documentTypes", "contains", "dty_b"),
			read("documentTypes", "notContains", "dty_b")}, true},
	"ErrOrOfImpossible": {"or", false,
		[]dossier.Condition{read("status", "isEqual", "x"),
			read("passVerification", "isEqual", "y")}, true},
}

func TestNeverMatches(t *testing.T) {
	t.Parallel()
	for name, tc := range neverCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := known()
			if tc.any {
				k.References = nil
			}
			rule := dossier.Rule{ID: "rul_1", ConditionsType: tc.how, Conditions: tc.conditions}
			problems, warnings := rules.Review(dossier.Submission{Rules: []dossier.Rule{rule}}, k)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			want := []string(nil)
			if tc.never {
				want = []string{"neverMatches /submission/rules/0/conditions [rul_1]"}
			}
			if diff := cmp.Diff(want, told(warnings)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func told(warnings []dossier.Warning) []string {
	var out []string
	for _, w := range warnings {
		out = append(out, fmt.Sprintf("%s %s %v", w.Code, w.Pointer, w.Rules))
	}
	return out
}

// numbered gives rules the ids rul_1, rul_2, … that known knows.
func numbered(list ...dossier.Rule) []dossier.Rule {
	for i := range list {
		list[i].ID = fmt.Sprint("rul_", i+1)
	}
	return list
}

func TestUndone(t *testing.T) {
	t.Parallel()
	const undone = "undone /submission/rules/%d/actions/%d [%s]"
	for name, c := range map[string]struct {
		rules []dossier.Rule
		want  []string
	}{
		"OK other targets":  {numbered(always(add("dty_b")), always(remove("dty_c"))), nil},
		"OK twice the same": {numbered(always(add("dty_b")), always(add("dty_b"))), nil},
		"OK exclusive": {numbered(when("email", "isEmpty", nil, add("dty_b")),
			when("email", "isNotEmpty", nil, remove("dty_b"))), nil},
		"OK a dead rule": {numbered(always(add("dty_b")),
			when("status", "isEqual", "never", remove("dty_b"))),
			[]string{"neverMatches /submission/rules/1/conditions [rul_2]"}},
		"ErrAddRemove": {numbered(always(add("dty_b")), always(), always(remove("dty_b"))),
			[]string{fmt.Sprintf(undone, 2, 0, "rul_1 rul_3")}},
		"ErrRemoveAdd": {numbered(always(remove("dty_b")),
			when("email", "isEmpty", nil, notify("scn"), add("dty_b"))),
			[]string{fmt.Sprintf(undone, 1, 1, "rul_1 rul_2")}},
		"ErrSameRule": {numbered(always(add("dty_b"), remove("dty_b"))),
			[]string{fmt.Sprintf(undone, 0, 1, "rul_1")}},
		"ErrPreset": {numbered(always(apply("pst")), always(remove("dty_b"))),
			[]string{fmt.Sprintf(undone, 1, 0, "rul_1 rul_2")}},
		"ErrSeesTheOther": {numbered(when("documentTypes", "notContains", "dty_b", add("dty_b")),
			when("documentTypes", "contains", "dty_b", remove("dty_b"))),
			[]string{fmt.Sprintf(undone, 1, 0, "rul_1 rul_2")}},
		"ErrPresetBetween": {numbered(when("email", "isEmpty", nil, add("dty_b")),
			always(apply("pst_small")), when("email", "isNotEmpty", nil, remove("dty_b"))),
			[]string{fmt.Sprintf(undone, 2, 0, "rul_1 rul_3")}},
		"ErrItself": {numbered(always(remove("dty_a"))),
			[]string{fmt.Sprintf(undone, 0, 0, "rul_1")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := known()
			k.Presets["pst_small"] = true
			problems, warnings := rules.Review(dossier.Submission{Rules: c.rules}, k)
			if diff := cmp.Diff(c.want, told(warnings)); diff != "" || len(problems) > 0 {
				t.Error(problems, diff)
			}
		})
	}
}

func TestCycles(t *testing.T) {
	t.Parallel()
	other := func(id, name string, list ...dossier.Rule) dossier.DocumentType {
		return dossier.DocumentType{ID: id, Name: name, Submission: dossier.Submission{Rules: list}}
	}
	back := dossier.Rule{ID: "rul_b", ConditionsType: "and",
		Actions: []dossier.Action{add("dty_a")}}
	on := dossier.Rule{ID: "rul_c", ConditionsType: "and",
		Actions: []dossier.Action{notify("scn"), add("dty_c")}}
	for name, c := range map[string]struct {
		rules  []dossier.Rule
		others []dossier.DocumentType
		path   string
		ids    string
	}{
		"OK no way back": {numbered(always(add("dty_b"))),
			[]dossier.DocumentType{other("dty_b", "Card")}, "", ""},
		"OK not ours": {numbered(always(notify("scn"))),
			[]dossier.DocumentType{other("dty_b", "Card", on), other("dty_c", "Visa", back)}, "",
			""},
		"OK others alone": {numbered(always(add("dty_b"))),
			[]dossier.DocumentType{other("dty_b", "Card", on),
				other("dty_c", "Visa", always(add("dty_b")))}, "", ""},
		"ErrTwo": {numbered(always(add("dty_b"))),
			[]dossier.DocumentType{other("dty_b", "Card", back)},
			"Work permit → Card → Work permit", "[rul_1 rul_b]"},
		"ErrThree": {numbered(always(), always(add("dty_b"))),
			[]dossier.DocumentType{other("dty_c", "Visa", back), other("dty_b", "Card", on)},
			"Work permit → Card → Visa → Work permit", "[rul_2 rul_c rul_b]"},
		"ErrPreset": {numbered(always(apply("pst"))),
			[]dossier.DocumentType{other("dty_b", "Card", back)},
			"Work permit → Card → Work permit", "[rul_1 rul_b]"},
		"ErrItself": {numbered(always(add("dty_a"))), nil, "Work permit → Work permit", "[rul_1]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := known()
			k.Others = c.others
			problems, warnings := rules.Review(dossier.Submission{Rules: c.rules}, k)
			switch {
			case len(problems) > 0:
				t.Error(problems)
			case c.path == "" && len(warnings) > 0:
				t.Error(warnings)
			case c.path != "" && (len(warnings) != 1 || warnings[0].Code != dossier.WarningCycle ||
				!strings.HasSuffix(warnings[0].Message, ": "+c.path+".") ||
				fmt.Sprint(warnings[0].Rules) != c.ids):
				t.Errorf("warnings are %+v", warnings)
			}
		})
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	k := known()
	k.Shared = true
	_, warnings := rules.Review(dossier.Submission{Rules: numbered(always())}, k)
	if diff := cmp.Diff([]string{"sharedRules /submission/rules [rul_1]"}, told(warnings)); diff !=
		"" {
		t.Error(diff)
	}
	if _, warnings := rules.Review(dossier.Submission{}, k); warnings != nil {
		t.Errorf("no rules, but %v", warnings)
	}
}

// TestReviewOfTheWorst gives Review the dearest rules that fit the limits. The time is generous:
// without the bounds it is minutes.
func TestReviewOfTheWorst(t *testing.T) {
	t.Parallel()
	k := known()
	k.References = nil
	var conditions []dossier.Condition
	for i := range dossier.MaxConditions {
		conditions = append(conditions, read(".x", "isEqual", fmt.Sprint(i)))
	}
	list := make([]dossier.Rule, dossier.MaxRules)
	for i := range list {
		list[i] = dossier.Rule{ConditionsType: []string{"or", "and"}[i%2], Conditions: conditions,
			Actions: []dossier.Action{add("dty_b"), remove("dty_b"), apply("pst")}}
		if i%2 == 1 {
			list[i].Conditions = conditions[:1]
		}
	}
	start := time.Now()
	problems, warnings := rules.Review(dossier.Submission{Rules: list[:40]}, k)
	if took := time.Since(start); took > 10*time.Second || len(problems) > 0 || len(warnings) == 0 {
		t.Errorf("%v, problems %v, %d warnings", took, problems, len(warnings))
	}
}
