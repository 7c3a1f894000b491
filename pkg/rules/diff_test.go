package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func ruleNamed(id, mode, kind, value string) dossier.Rule {
	return dossier.Rule{ID: id, Mode: mode, ConditionsType: kind,
		Conditions: []dossier.Condition{{Type: dossier.ConditionContext, Reference: "lastName",
			Operator: "isEqual", Value: value}},
		Actions: []dossier.Action{}}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	a, b := ruleNamed("rul_a", "", "and", "a"), ruleNamed("rul_b", "shadow", "or", "b")
	promoted := ruleNamed("rul_b", "live", "and", "b2")
	explicit := ruleNamed("rul_a", "live", "and", "a")
	acted := a
	acted.Actions = []dossier.Action{{Type: dossier.ActionRemoveForm, Value: "frm_1"}}
	for name, c := range map[string]struct {
		before, after []dossier.Rule
		want          []string
	}{
		"OKSame":     {[]dossier.Rule{a, b}, []dossier.Rule{a, b}, nil},
		"OKModeLive": {[]dossier.Rule{a}, []dossier.Rule{explicit}, nil},
		"OKNoList":   {[]dossier.Rule{}, nil, nil},
		"OKAdded":    {[]dossier.Rule{a}, []dossier.Rule{b, a}, []string{"Rule 1 was added."}},
		"OKRemoved":  {[]dossier.Rule{a, b}, []dossier.Rule{a}, []string{"Rule 2 was removed."}},
		"OKAction": {[]dossier.Rule{a}, []dossier.Rule{acted},
			[]string{"Rule 1 was changed: its actions."}},
		"OKTurnedOver": {[]dossier.Rule{a, b}, []dossier.Rule{b, a},
			[]string{"Rule 2 was changed: its position, which was 1."}},
		"OKAll": {[]dossier.Rule{b}, []dossier.Rule{a, promoted}, []string{"Rule 1 was added.",
			"Rule 2 was changed: its mode from shadow to live, its conditionsType from or to and and its conditions."}},
	} {
		var got []string
		for _, change := range Diff(dossier.Submission{Rules: c.before},
			dossier.Submission{Rules: c.after}) {
			got = append(got, change.Message)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

// What a difference says, done to the one submission, makes the other.
func TestDiffLeadsThere(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		before, after := randomRules(random), randomRules(random)
		if d := cmp.Diff(after.Rules, patched(before, Diff(before, after))); d != "" {
			t.Fatalf("%v to %v (-want +got)\n%s", before, after, d)
		}
		if Equal(before, after) != (len(Diff(before, after)) == 0) {
			t.Fatalf("%v and %v: equal %t, and a difference of %d", before, after,
				Equal(before, after), len(Diff(before, after)))
		}
	}
}

func randomRules(random *rand.Rand) dossier.Submission {
	s := dossier.Submission{Rules: []dossier.Rule{}}
	for _, n := range random.Perm(6)[:random.IntN(7)] {
		s.Rules = append(s.Rules, ruleNamed(fmt.Sprint("rul_", n), "shadow", "and",
			fmt.Sprint(random.IntN(2))))
	}
	return s
}

// patched applies changes: what is not named stays in its order, what is moves to its place.
func patched(s dossier.Submission, changes []dossier.RuleChange) []dossier.Rule {
	rules := slices.Clone(s.Rules)
	var placed []dossier.RuleChange
	for _, c := range changes {
		at := slices.IndexFunc(rules, func(r dossier.Rule) bool { return r.ID == c.RuleID })
		switch {
		case c.Change == dossier.ChangeAdded || slices.Contains(c.Members, "position"):
			placed = append(placed, c)
			if at >= 0 {
				rules = slices.Delete(rules, at, at+1)
			}
		case c.Change == dossier.ChangeRemoved:
			rules = slices.Delete(rules, at, at+1)
		default:
			rules[at] = *c.After
		}
	}
	for _, c := range placed {
		rules = slices.Insert(rules, c.AfterPosition-1, *c.After)
	}
	return rules
}
