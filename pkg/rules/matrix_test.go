package rules_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// reads are the values a document or custom field can hold; nil is nothing at all.
var reads = []any{
	nil, "", "  ", "NLD", " NLD\n", "nld", "C, CE", "N", "5", "05", "5.0", "0", "true", "Zoe\u0301",
	"Zo\u00e9", "\u00a0Zo\u00e9\u2003", "xZoe\u0301x",
	5.0, 0.0, 5.5, -5.0, 1e21, 125.0, true, false,
	[]any{}, []any{"NLD"}, []any{"NLD", "BEL"}, []any{"BEL", " NLD", "NLD"},
	[]any{"NLD", "BEL", "DEU"}, []any{"", " "}, []any{"NLD", ""},
	[]any{nil}, []any{5.0, "5"}, []any{true}, []any{"Zoe\u0301"}, []any{map[string]any{"a": "NLD"}},
	[]any{"NLD", map[string]any{"a": 1.0}},
	[]any{"NLD", map[string]any{}}, []any{[]any{"NLD"}}, []any{[]any{}}, many(40), map[string]any{},
	map[string]any{"a": "NLD"},
	[]string{"NLD", "BEL"}, []string{}, []string{" "},
}

// compared are the values a condition can have.
var compared = []any{
	"", "NLD", " NLD ", "N", "nld", "CE", "5", "05", "0", "true", "Zoe\u0301", "Zo\u00e9", "2", 5.0,
	0.0, 5.5, 1e21, true, false,
	[]any{"NLD"}, []any{"NLD", "BEL"}, []any{"BEL", "NLD"}, []any{"BEL", "NLD", "BEL", " "},
	[]any{"", "NLD"}, []any{""}, []any{5.0, true, "N"},
	many(12), many(40), slices.Concat(many(12), []any{"NLD", 5.0, true}),
}

func many(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = fmt.Sprint("v", i)
	}
	return out
}

// TestComparisons holds that exactly the operators that negate no other have a comparison.
func TestComparisons(t *testing.T) {
	t.Parallel()
	var want []string
	for _, o := range dossier.Operators {
		if o.Negates == "" {
			want = append(want, o.Name)
		}
	}
	slices.Sort(want)
	if got := rules.Compared(); !slices.Equal(got, want) {
		t.Errorf("comparisons of %v, want %v", got, want)
	}
}

// TestOperatorMatrix compares every operator on every read and every compared value with a second,
// slow implementation.
func TestOperatorMatrix(t *testing.T) {
	t.Parallel()
	cases := 0
	for _, op := range dossier.OperatorNames() {
		if dossier.OperatorNamed(op).Negates == "" && slow[op] == nil {
			t.Fatalf("%s has no row in slow", op)
		}
		for _, read := range reads {
			for _, value := range compared {
				for _, place := range places(read) {
					cases++
					c := dossier.Condition{Type: place.kind, Reference: place.reference,
						Operator: op, Value: value}
					got, result := decide(t, c, place.facts)
					if want := slowly(op, read, value); got != want {
						t.Errorf("%s %q: %#v %s %#v is %v, want %v", place.kind, place.reference,
							read, op, value, got, want)
					}
					if result.Missing != (read == nil) {
						t.Errorf("%s %q: %#v is missing: %v", place.kind, place.reference, read,
							result.Missing)
					}
				}
			}
		}
	}
	if cases < 20_000 {
		t.Errorf("only %d cases", cases)
	}
}

type place struct {
	kind, reference string
	facts           rules.Facts
}

// places are all the places where a value can be read.
func places(v any) []place {
	bag := map[string]any{"k": v, "other": "x"}
	deep := map[string]any{"a": map[string]any{"b": []any{"x", map[string]any{"k": v}}}}
	if v == nil {
		bag, deep = map[string]any{"other": "x"}, map[string]any{"a": map[string]any{"b": "x"}}
	}
	out := []place{
		{dossier.ConditionFields, "k", rules.Facts{Parsed: bag}},
		{dossier.ConditionFields, "a.b.1.k", rules.Facts{Parsed: deep}},
		{dossier.ConditionContext, "cf_k", rules.Facts{CustomFields: bag}},
		{dossier.ConditionContext, "dcf_k", rules.Facts{DocumentCustomFields: bag}},
	}
	switch x := v.(type) {
	case nil:
		out = append(out, place{dossier.ConditionContext, "firstName", rules.Facts{}})
	case string:
		if x != "" { // a candidate's text that is empty is not there
			out = append(out, place{dossier.ConditionContext, "firstName",
				rules.Facts{Candidate: map[string]string{"firstName": x}}})
		}
	case []string:
		out = append(out, place{dossier.ConditionContext, "documentTypes",
			rules.Facts{DocumentTypes: x}},
			place{dossier.ConditionContext, "forms", rules.Facts{Forms: x}},
			place{dossier.ConditionContext, "presets", rules.Facts{Presets: x}})
	}
	return out
}

// decide evaluates one condition, alone in a rule of either type, which has to agree with it.
func decide(t *testing.T, c dossier.Condition, f rules.Facts) (bool, dossier.ConditionResult) {
	t.Helper()
	var result dossier.ConditionResult
	for _, how := range []string{dossier.ConditionsAnd, dossier.ConditionsOr} {
		p := rules.Compile([]dossier.Rule{
			{ConditionsType: how, Conditions: []dossier.Condition{c}},
		})
		d := p.Evaluate(f)
		result = d.Rules[0].Conditions[0]
		if d.Rules[0].Matched != result.Result {
			t.Fatalf("Matched %v, Result %v of %+v", d.Rules[0].Matched, result.Result, c)
		}
	}
	return result.Result, result
}

// slow implements the operators that negate no other, as plainly as possible.
var slow = map[string]func(read, value any) bool{
	dossier.OpIsEmpty:  func(read, _ any) bool { return blank(read) },
	dossier.OpIsEqual:  func(read, value any) bool { return slowEqual(read, texts(value)) },
	dossier.OpContains: func(read, value any) bool { return slowContains(read, texts(value)) },
}

// slowly decides by the slow implementation.
func slowly(op string, read, value any) bool {
	if negated := dossier.OperatorNamed(op).Negates; negated != "" {
		return !slow[negated](read, value)
	}
	return slow[op](read, value)
}

func slowEqual(read any, listed map[string]bool) bool {
	if blank(read) {
		return listed[""]
	}
	if _, object := read.(map[string]any); object {
		return false
	}
	if !isList(read) {
		return listed[text(read)]
	}
	have, want := texts(read), maps.Clone(listed)
	delete(have, "")
	delete(want, "")
	return maps.Equal(have, want)
}

func slowContains(read any, listed map[string]bool) bool {
	if _, object := read.(map[string]any); object || read == nil {
		return false
	}
	for l := range listed {
		switch {
		case l == "":
		case isList(read) && texts(read)[l], !isList(read) && strings.Contains(text(read), l):
			return true
		}
	}
	return false
}

func blank(v any) bool {
	switch x := v.(type) {
	case []any:
		return !slices.ContainsFunc(x, func(e any) bool { return !blank(e) })
	case map[string]any:
		return len(x) == 0
	case []string:
		return strings.TrimSpace(strings.Join(x, "")) == ""
	}
	return v == nil || text(v) == ""
}

func isList(v any) bool {
	_, a := v.([]any)
	_, s := v.([]string)
	return a || s
}

// texts is a value as a set of texts.
func texts(v any) map[string]bool {
	out := make(map[string]bool)
	switch x := v.(type) {
	case []any:
		for _, e := range x {
			out[text(e)] = true
		}
	case []string:
		for _, e := range x {
			out[text(e)] = true
		}
	default:
		out[text(v)] = true
	}
	return out
}

func text(v any) string {
	switch x := v.(type) {
	case string:
		return norm.NFC.String(strings.TrimSpace(x))
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case bool:
		return fmt.Sprint(x)
	case nil:
		return ""
	}
	if blank(v) {
		return ""
	}
	return fmt.Sprintf("\x00 nothing equals %v", v)
}
