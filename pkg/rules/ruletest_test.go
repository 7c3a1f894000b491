package rules_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// checked reviews one test of two rules and returns each problem below it as pointer and code.
func checked(t dossier.RuleTest) []string {
	t.Name = "a test"
	k := known()
	problems, _ := rules.Review(dossier.Submission{Tests: []dossier.RuleTest{t},
		Rules: []dossier.Rule{{ID: "rul_1", ConditionsType: "and"},
			{ID: "rul_2", ConditionsType: "and"}}}, k)
	var list []string
	for _, p := range problems {
		list = append(list, fmt.Sprintf("%.60s %s", p.Pointer[len("/submission/tests/0"):], p.Code))
	}
	return list
}

type (
	around      = dossier.RuleContext
	expectation = dossier.RuleExpectation
	outcomes    = []dossier.RuleOutcome
	effects     = []dossier.RuleEffect
)

// TestReviewOfContexts reviews the candidate of a test.
func TestReviewOfContexts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		around around
		want   []string
	}{
		"OK": {around{Candidate: map[string]string{"firstName": "Ada"},
			CustomFields:         map[string]any{"driver": true},
			DocumentCustomFields: map[string]any{"pages": 2.0}, PassVerification: "verified",
			DocumentTypes: []dossier.ContextDocumentType{{ID: "dty_a"}, {ID: "dty_b",
				State: dossier.StateValidated}},
			Forms: []dossier.ContextForm{{ID: "frm"}}, PresetIDs: []string{"pst"}}, nil},
		"ErrTexts": {around{Candidate: map[string]string{"a": "x", "b": "x", "email": "x"}},
			[]string{"/context/candidate/a unknown", "/context/candidate/b unknown",
				"/context/candidate/email malformed"}},
		"ErrFields": {around{CustomFields: map[string]any{"a": "x", "b": "x", "driver": "x"}},
			[]string{"/context/customFields/a unknown", "/context/customFields/b unknown",
				"/context/customFields/driver wrongType"}},
		"ErrWords": {around{PassVerification: "x",
			DocumentTypes: []dossier.ContextDocumentType{{ID: "dty_b", State: "x"}}},
			[]string{"/context/passVerification unknown",
				"/context/documentTypes/0/state unknown"}},
		"ErrTwice": {around{DocumentTypes: []dossier.ContextDocumentType{{ID: "dty_b"},
			{ID: "dty_c"}, {ID: "dty_b"}}}, []string{"/context/documentTypes/2/id duplicate"}},
		"ErrEntities": {around{DocumentTypes: []dossier.ContextDocumentType{{ID: "frm"}},
			Forms: []dossier.ContextForm{{ID: ""}}, PresetIDs: []string{"dty_b"}},
			[]string{"/context/documentTypes/0/id unknown", "/context/forms/0/id unknown",
				"/context/presetIds/0 unknown"}},
	} {
		got := checked(dossier.RuleTest{Context: c.around,
			Expect: expectation{Status: dossier.StatusApproved}})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestReviewOfExpectations reviews what a test expects.
func TestReviewOfExpectations(t *testing.T) {
	t.Parallel()
	setField := func(key string, v any) effects {
		return effects{{Type: dossier.EffectSetField, Value: key, Set: v}}
	}
	for name, c := range map[string]struct {
		expect expectation
		want   []string
	}{
		"OK rules":   {expectation{Rules: outcomes{{ID: "rul_2"}}}, nil},
		"OK status":  {expectation{Status: dossier.StatusApproved}, nil},
		"OK nothing": {expectation{Changes: effects{}}, nil},
		"OK fields": {expectation{Fields: map[string]any{"email": "", "cf_driver": true,
			"dcf_pages": 1.0}}, nil},
		"OK changes": {expectation{Changes: append(setField("cf_driver", true),
			dossier.RuleEffect{Type: dossier.EffectAddForm, Value: "frm"},
			dossier.RuleEffect{Type: dossier.ActionAddDocumentType, Value: "dty_a"},
			dossier.RuleEffect{Type: dossier.ActionSendNotification, Value: "scn_mute"})}, nil},
		"ErrEmpty": {expectation{}, []string{"/expect required"}},
		"ErrRules": {expectation{Rules: outcomes{{ID: "rul_1", Position: 1}, {Position: 3},
			{ID: "rul_3"}}}, []string{"/expect/rules/0/position notAllowed",
			"/expect/rules/1/position outOfRange", "/expect/rules/2/id unknown"}},
		"ErrStatus": {expectation{Status: "x"}, []string{"/expect/status unknown"}},
		"ErrFields": {expectation{Fields: map[string]any{"cf_driver": "x", "cf_no": "",
			"status": "x"}}, []string{"/expect/fields/cf_driver wrongType",
			"/expect/fields/cf_no unknown", "/expect/fields/status unknown"}},
		"ErrSetOfAForm": {expectation{Changes: effects{{Type: dossier.EffectAddForm,
			Value: "frm", Set: "x"}}}, []string{"/expect/changes/0/set notAllowed"}},
		"ErrNoSet": {expectation{Changes: setField("email", nil)},
			[]string{"/expect/changes/0/set required"}},
		"ErrSet": {expectation{Changes: setField("cf_driver", "x")},
			[]string{"/expect/changes/0/set wrongType"}},
		"ErrType": {expectation{Changes: effects{{Type: "x"}}},
			[]string{"/expect/changes/0/type unknown"}},
		"ErrTarget": {expectation{Changes: effects{{Type: dossier.ActionRemoveForm,
			Value: "dty_b"}}}, []string{"/expect/changes/0/value unknown"}},
	} {
		if diff := cmp.Diff(c.want, checked(dossier.RuleTest{Expect: c.expect})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestReviewOfTests bounds the tests, and refuses a name that stands twice.
func TestReviewOfTests(t *testing.T) {
	t.Parallel()
	named := func(n int) (list []dossier.RuleTest) {
		for i := range n {
			list = append(list, dossier.RuleTest{Name: fmt.Sprint(i),
				Expect: expectation{Status: dossier.StatusApproved}})
		}
		return list
	}
	twice := named(3)
	twice[2].Name = "0"
	for want, list := range map[string][]dossier.RuleTest{"": named(dossier.MaxRuleTests),
		"/submission/tests tooMany":          named(dossier.MaxRuleTests + 1),
		"/submission/tests/2/name duplicate": twice} {
		problems, _ := rules.Review(dossier.Submission{Tests: list}, known())
		got := ""
		for _, p := range problems {
			got += p.Pointer + " " + string(p.Code)
		}
		if got != want {
			t.Errorf("%d tests: %q, want %q", len(list), got, want)
		}
	}
	s := dossier.Submission{Rules: numbered(always(), always()),
		Tests: []dossier.RuleTest{{Expect: expectation{Rules: outcomes{{Position: 1}, {Position: 2,
			Matched: true}, {Position: 3}, {Position: 0}, {ID: "rul_9", Position: 1}}}}}}
	want := outcomes{{ID: "rul_1"}, {ID: "rul_2", Matched: true}, {Position: 3}, {},
		{ID: "rul_9", Position: 1}}
	if diff := cmp.Diff(want, rules.NameOutcomes(s)[0].Expect.Rules); diff != "" {
		t.Error(diff)
	}
}

// TestUnmet reads the sentences about what a test expected in vain.
func TestUnmet(t *testing.T) {
	t.Parallel()
	results := rules.Evaluate(numbered(always(), when("email", "isNotEmpty", nil)),
		rules.Facts{}).Rules
	form := dossier.RuleEffect{Type: dossier.EffectAddForm, Value: "frm"}
	field := dossier.RuleEffect{Type: dossier.EffectSetField, Value: "email", Set: "a"}
	got := rules.Outcome{Rules: results, Changes: effects{form}, Status: "approved",
		Field: func(key string) any { return map[string]any{"email": "b"}[key] }}
	for name, c := range map[string]struct {
		expect expectation
		want   []string
	}{
		"OK": {expectation{Rules: outcomes{{ID: "rul_1", Matched: true}, {ID: "rul_2"}, {ID: "x"}},
			Changes: effects{form}, Status: "approved",
			Fields: map[string]any{"email": "b", "phone": ""}}, nil},
		"OK whatever": {expectation{}, nil},
		"ErrAll": {expectation{Rules: outcomes{{ID: "rul_1"}, {ID: "rul_2", Matched: true}},
			Changes: effects{field}, Status: "rejected", Fields: map[string]any{"email": "a"}},
			[]string{"Rule 1 should not match, and does.",
				"Rule 2 should match, and does not. To match, email would have to have a value.",
				`The rules should make these changes, and do not: setField email "a".`,
				"The rules should not make these changes, and do: addForm frm.",
				"The status should be rejected, and is approved.",
				`email should be "a", and is "b".`}},
		"ErrMore": {expectation{Changes: effects{}},
			[]string{"The rules should not make these changes, and do: addForm frm."}},
		"ErrLess": {expectation{Changes: effects{form, field}},
			[]string{`The rules should make these changes, and do not: setField email "a".`}},
	} {
		if diff := cmp.Diff(c.want, rules.Unmet(c.expect, got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
