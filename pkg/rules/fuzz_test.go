package rules_test

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// FuzzCondition holds of every document, reference and value: nothing panics, notX is not X, the
// order of listed values and of a list that was read does not count, the rule agrees with its
// condition, the trace is bounded, and the slow implementation agrees.
func FuzzCondition(f *testing.F) {
	for _, seed := range [][3]string{
		{`{"permit":{"class":"CE"}}`, "permit.class", `["C","CE"]`},
		{`{"a":[{"b":1},{"b":[2,null]}]}`, "a.b", `[1,2]`},
		{`{"a.b":{"c":" x "},"a":{}}`, "a.b.c", `"x"`},
		{`{"k":["","x",true,-0.0]}`, "k", `[false,"0",""]`}, {`{"k":{}}`, "k.0", `5`},
		{`{"k":"e\u0301"}`, "k", `"\u00e9"`}, {`{"k":1e300}`, "k", `1e300`},
		{`{"":{"":1}}`, ".", `""`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, document, reference, compared string) {
		var parsed map[string]any
		var value any
		if json.Unmarshal([]byte(document), &parsed) != nil ||
			json.Unmarshal([]byte(compared), &value) != nil {
			return
		}
		facts := rules.Facts{Parsed: parsed, CustomFields: parsed}
		for _, negation := range dossier.Operators {
			op := negation.Negates
			if op == "" {
				continue
			}
			c := dossier.Condition{Type: dossier.ConditionFields, Reference: reference,
				Operator: op, Value: value}
			is, result := decide(t, c, facts)
			c.Operator = negation.Name
			if isNot, _ := decide(t, c, facts); isNot == is {
				t.Errorf("%s and %s are both %v", op, c.Operator, is)
			}
			c.Operator, c.Value = op, reversed(value)
			if again, _ := decide(t, c, facts); again != is {
				t.Errorf("%s depends on the order of the values", op)
			}
			// a character is \u0000 at worst
			if b, err := json.Marshal(result.Read); err != nil || utf8.RuneCount(b) > 6*400 {
				t.Errorf("%d bytes of what was read are kept: %v", len(b), err)
			}
			atTop(t, op, reference, parsed, value)
		}
	})
}

// atTop compares with the slow implementation where the reference is a plain key.
func atTop(t *testing.T, op, reference string, parsed map[string]any, value any) {
	t.Helper()
	v, ok := parsed[reference]
	if _, object := value.(map[string]any); object || !ok || value == nil || deep(v) ||
		deep(value) {
		return
	}
	facts := rules.Facts{CustomFields: parsed}
	is, _ := decide(t, dossier.Condition{Type: dossier.ConditionContext,
		Reference: "cf_" + reference, Operator: op, Value: value}, facts)
	if want := slowly(op, v, value); is != want {
		t.Errorf("%#v %s %#v is %v, want %v", v, op, value, is, want)
	}
	other := map[string]any{reference: reversed(v)}
	if again, _ := decide(t, dossier.Condition{Type: dossier.ConditionContext,
		Reference: "cf_" + reference, Operator: op, Value: value},
		rules.Facts{CustomFields: other}); again != is {
		t.Errorf("%s depends on the order of the list", op)
	}
}

// deep reports what the slow implementation does not treat: a list with lists or nulls in it, and
// -0.
func deep(v any) bool {
	list, _ := v.([]any)
	return v == 0.0 || slices.ContainsFunc(list, func(e any) bool {
		switch x := e.(type) {
		case string, bool:
			return false
		case float64:
			return x == 0
		}
		return true
	})
}

func reversed(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

// FuzzReview holds of every submission: nothing panics, what Review lets through can be evaluated,
// and evaluating twice gives the same.
func FuzzReview(f *testing.F) {
	f.Add(
		`{"rules":[{"conditionsType":"and","conditions":[{"type":"fields","reference":"permit.class","operator":"contains","value":["C"]}],"actions":[{"type":"addDocumentType","value":"dty_b","metadata":{"required":true}}]}]}`)
	f.Add(
		`{"rules":[{"conditionsType":"or","conditions":[{"type":"context","reference":"cf_driver","operator":"isEqual","value":true}],"actions":[{"type":"applyPreset","value":"pst"},{"type":"removeDocumentType","value":"dty_b"}]}]}`)
	f.Fuzz(func(t *testing.T, submission string) {
		var s dossier.Submission
		if json.Unmarshal([]byte(submission), &s) != nil {
			return
		}
		problems, _ := rules.Review(s, known())
		for _, p := range problems {
			if p.Pointer == "" || p.Code == "" || p.Message == "" || len(p.Message) > 1000 {
				t.Errorf("a problem is %q", p)
			}
		}
		first, after := rules.EvaluateFacts(s.Rules, facts())
		second := rules.Evaluate(s.Rules, facts())
		if diff := cmp.Diff(first, second); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(replay(facts(), first.Changes), ids(after)); diff != "" {
			t.Error("the changes don't lead to the facts after:", diff)
		}
	})
}
