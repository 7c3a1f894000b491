package rules_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// TestWhyNotIsMinimal generates rules that don't match: with the changes the rule matches, with any
// proper part of them it does not, and a rule without changes never matches.
func TestWhyNotIsMinimal(t *testing.T) {
	t.Parallel()
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	seen := map[string]int{}
	for i := 0; i < n && !t.Failed(); i++ {
		rule, facts := anyRule(r), anyFacts(r)
		result := rules.Evaluate([]dossier.Rule{rule}, facts).Rules
		if result[0].Matched {
			i--
			continue
		}
		rules.WhyNot(result)
		note(seen, rule, result[0])
		checkChanges(t, r, rule, facts, result[0])
	}
	if t.Failed() {
		t.Logf("seed %d", seed)
	}
	for _, name := range append([]string{"fields", "context", "and", "or", "none", "several"},
		dossier.OperatorNames()...) {
		if seen[name] < n/100 {
			t.Errorf("only %d of %d rules had %s", seen[name], n, name)
		}
	}
}

// note counts the generated rules by kind.
func note(seen map[string]int, rule dossier.Rule, result dossier.RuleResult) {
	seen[rule.ConditionsType]++
	for _, c := range result.Conditions {
		if !c.Result {
			seen[c.Operator]++
			seen[c.Type]++
		}
	}
	switch {
	case len(result.WhyNot) == 0:
		seen["none"]++
	case len(result.WhyNot) > 1:
		seen["several"]++
	}
}

// checkChanges applies the changes of a result, and every proper part of them.
func checkChanges(t *testing.T, r *rand.Rand, rule dossier.Rule, facts rules.Facts,
	result dossier.RuleResult) {
	t.Helper()
	all := result.WhyNot
	for part := range 1 << len(all) {
		changed := copied(facts)
		for i, c := range all {
			if part&(1<<i) != 0 {
				change(&changed, c)
			}
		}
		whole := len(all) > 0 && part == 1<<len(all)-1
		if got := matches(rule, changed); got != whole {
			t.Errorf("%+v\nreads %+v\nwith the part %b of %+v\nmatches: %v", rule.Conditions,
				result.Conditions, part, all, got)
			return
		}
	}
	if len(all) > 0 {
		return
	}
	for range 20 {
		if other := anyFacts(r); matches(rule, other) {
			t.Errorf("%+v\nhas no changes, but matches %+v", rule, other)
			return
		}
	}
}

func matches(rule dossier.Rule, facts rules.Facts) bool {
	return rules.Evaluate([]dossier.Rule{rule}, facts).Rules[0].Matched
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

var (
	whyFields  = []string{"a", "a.b", "a.b.c", "n.x", "n.y", "t"}
	whyContext = []string{"nationality", "status", "passVerification", "documentTypes", "forms",
		"cf_x", "dcf_y"}
	whyValues = []any{"A", "B", "AB", " A ", "BCE", "5", 5.0, true, "approved", "verified",
		"dty_a"}
	whyIDs = []string{"dty_a", "dty_b", "dty_c"}
)

// anyRule returns a rule of few references and values, so that conditions meet and exclude each
// other often.
func anyRule(r *rand.Rand) dossier.Rule {
	rule := dossier.Rule{ConditionsType: pick(r,
		[]string{dossier.ConditionsAnd, dossier.ConditionsAnd, dossier.ConditionsOr})}
	for range r.IntN(6) {
		c := dossier.Condition{Type: dossier.ConditionFields, Reference: pick(r, whyFields),
			Operator: pick(r, dossier.OperatorNames())}
		if r.IntN(2) == 0 {
			c.Type, c.Reference = dossier.ConditionContext, pick(r, whyContext)
		}
		if c.Operator != dossier.OpIsEmpty && c.Operator != dossier.OpIsNotEmpty {
			c.Value = comparedWith(r, c)
		}
		rule.Conditions = append(rule.Conditions, c)
	}
	return rule
}

// comparedWith returns one value or a list of them, at times with an empty text.
func comparedWith(r *rand.Rand, c dossier.Condition) any {
	one := func() any { return pick(r, whyValues) }
	switch c.Reference {
	case "documentTypes", "forms":
		one = func() any { return pick(r, whyIDs) }
	case "status":
		one = func() any { return pick(r, dossier.Statuses) }
	}
	if r.IntN(3) == 0 {
		return one()
	}
	var list []any
	for range 1 + r.IntN(3) {
		list = append(list, one())
	}
	if equality := strings.HasSuffix(c.Operator, "Equal"); equality && r.IntN(6) == 0 {
		list = append(list, "")
	}
	return list
}

// anyValue returns what a document or custom field can hold; nil is nothing.
func anyValue(r *rand.Rand) any {
	switch r.IntN(6) {
	case 0:
		return nil
	case 1:
		return []any{pick(r, whyValues), pick(r, whyValues)}
	}
	return pick(r, whyValues)
}

func anyFacts(r *rand.Rand) rules.Facts {
	f := rules.Facts{Parsed: map[string]any{},
		Candidate:    map[string]string{"status": pick(r, dossier.Statuses)},
		CustomFields: map[string]any{}, DocumentCustomFields: map[string]any{}}
	set := func(m map[string]any, key string, v any) {
		if v != nil {
			m[key] = v
		}
	}
	inner := map[string]any{}
	set(inner, "x", anyValue(r))
	set(inner, "y", anyValue(r))
	f.Parsed["n"] = inner
	set(f.Parsed, "t", anyValue(r))
	set(f.Parsed, "a", anyValue(r))
	if r.IntN(2) == 0 {
		b := map[string]any{}
		set(b, "b", anyValue(r))
		if r.IntN(3) == 0 {
			b["b"] = map[string]any{"c": pick(r, whyValues)}
		}
		f.Parsed["a"] = b
	}
	set(f.CustomFields, "x", anyValue(r))
	set(f.DocumentCustomFields, "y", anyValue(r))
	if r.IntN(3) > 0 {
		f.Candidate["nationality"] = pick(r, []string{"A", "B", "AB", "5"})
	}
	if r.IntN(2) > 0 {
		f.Candidate["passVerification"] = pick(r, dossier.PassStatuses)
	}
	for _, id := range whyIDs {
		if r.IntN(2) > 0 {
			f.DocumentTypes = append(f.DocumentTypes, id)
		}
		if r.IntN(3) > 0 {
			f.Forms = append(f.Forms, id)
		}
	}
	return f
}

// copied returns facts that may be changed.
func copied(f rules.Facts) rules.Facts {
	f.Parsed, f.Candidate = deepCopy(f.Parsed), maps.Clone(f.Candidate)
	f.CustomFields, f.DocumentCustomFields = maps.Clone(f.CustomFields),
		maps.Clone(f.DocumentCustomFields)
	return f
}

func deepCopy(m map[string]any) map[string]any {
	out := maps.Clone(m)
	for k, v := range out {
		if inner, ok := v.(map[string]any); ok {
			out[k] = deepCopy(inner)
		}
	}
	return out
}

// change makes a reference read another value.
func change(f *rules.Facts, c dossier.NeededChange) {
	if c.Type == dossier.ConditionFields {
		putAt(f.Parsed, strings.Split(c.Reference, "."), c.Value)
		return
	}
	text := ""
	if c.Value != nil {
		text = fmt.Sprint(c.Value)
	}
	switch c.Reference {
	case "documentTypes":
		f.DocumentTypes = idList(c.Value)
	case "forms":
		f.Forms = idList(c.Value)
	case "cf_x":
		f.CustomFields["x"] = c.Value
	case "dcf_y":
		f.DocumentCustomFields["y"] = c.Value
	default:
		f.Candidate[c.Reference] = text
	}
}

func idList(v any) (ids []string) {
	list, _ := v.([]any)
	for _, e := range list {
		ids = append(ids, e.(string))
	}
	return ids
}

// putAt sets a value below an object, nil takes it away. What is no object and in the way goes.
func putAt(m map[string]any, path []string, v any) {
	if len(path) == 1 {
		delete(m, path[0])
		if v != nil {
			m[path[0]] = v
		}
		return
	}
	inner, ok := m[path[0]].(map[string]any)
	if !ok {
		if v == nil {
			return
		}
		inner = map[string]any{}
		m[path[0]] = inner
	}
	putAt(inner, path[1:], v)
}
