package rules

import (
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// The sentences about rules that no values would make match.
const (
	neverEmpty     = "A rule of the type \"or\" without conditions never matches."
	neverExcluding = "The conditions exclude each other, so the rule never matches."
	switchedOff    = "The rule is switched off, so it was not evaluated."
	unknownKind    = "It is not known how the conditions of this rule combined."
)

// WhyNot says of each result that did not match what would have to be different: of `and` every
// value with a false condition, of `or` the one that is nearest to a value that would do. It works
// on the trace alone, so that results of the past can be explained.
func WhyNot(results []dossier.RuleResult) {
	for i := range results {
		r := &results[i]
		r.WhyNot = []dossier.NeededChange{}
		if r.ConditionsType == "" {
			r.ConditionsType = combination(*r)
		}
		switch {
		case r.Matched:
		case r.Mode == dossier.ModeOff:
			r.WhyNotMessage = switchedOff
		default:
			explain(r)
		}
	}
}

// combination derives from a result of an earlier version how its conditions combined; "" where
// that can't be told.
func combination(r dossier.RuleResult) string {
	held := 0
	for _, c := range r.Conditions {
		if c.Result {
			held++
		}
	}
	switch {
	case len(r.Conditions) == 0 && r.Matched, len(r.Conditions) == 1:
		return dossier.ConditionsAnd
	case len(r.Conditions) == 0:
		return dossier.ConditionsOr
	case held > 0 && held < len(r.Conditions) && r.Matched:
		return dossier.ConditionsOr
	case held > 0 && held < len(r.Conditions):
		return dossier.ConditionsAnd
	}
	return ""
}

// explain fills in the changes that a result needs, and the sentence about them.
func explain(r *dossier.RuleResult) {
	var found []need
	ok := false
	switch r.ConditionsType {
	case dossier.ConditionsAnd:
		found, ok = everyNeed(r.Conditions)
	case dossier.ConditionsOr:
		found, ok = cheapestNeed(r.Conditions)
	default:
		r.WhyNotMessage = unknownKind
		return
	}
	if !ok {
		r.WhyNotMessage = neverExcluding
		if len(r.Conditions) == 0 {
			r.WhyNotMessage = neverEmpty
		}
		return
	}
	var sentences []string
	for _, n := range found {
		c := dossier.NeededChange{Conditions: n.positions, Type: n.kind, Reference: n.reference,
			Value: n.value}
		text := n.reference + " would have to " +
			c.Needs(r.Conditions, dossier.ConditionResult.Values)
		sentences = append(sentences, text)
		c.Message = text + "."
		r.WhyNot = append(r.WhyNot, c)
	}
	r.WhyNotMessage = "To match, " + strings.Join(sentences, ", and ") + "."
}

// need is a reference, the conditions on it, and the value that makes all of them true.
type need struct {
	kind, reference string
	positions       []int // of the conditions that are false
	conditions      []condition
	compared        []any // the values that the conditions compare with
	read            any
	value           any
	cost            int
}

// plainValues lists the values that a condition compares with, without blank ones: texts where the
// candidate's own fields hold nothing else.
func plainValues(c dossier.ConditionResult) []any {
	list, ok := c.Value.([]any)
	if !ok {
		list = []any{c.Value}
	}
	source, _ := contextSource(c.Reference)
	texts := c.Type == dossier.ConditionContext && source == fromCandidate
	var out []any
	for _, v := range list {
		text, scalar := dossier.ScalarText(v)
		if text = canonical(text); !scalar || text == "" {
			continue
		}
		if _, isText := v.(string); isText || texts {
			v = text
		}
		out = append(out, v)
	}
	return out
}

// needs groups conditions by their reference.
func needs(results []dossier.ConditionResult) []need {
	var groups []need
	for i, c := range results {
		at := slices.IndexFunc(groups, func(n need) bool {
			return n.kind == c.Type && n.reference == c.Reference
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, need{kind: c.Type, reference: c.Reference, read: c.Read})
		}
		g := &groups[at]
		g.conditions = append(g.conditions, compileCondition(dossier.Condition{Type: c.Type,
			Reference: c.Reference, Operator: c.Operator, Value: c.Value}))
		g.compared = append(g.compared, plainValues(c)...)
		if !c.Result {
			g.positions = append(g.positions, i)
		}
	}
	return groups
}

// cheapestNeed returns the condition whose value has the least distance to one that would do.
func cheapestNeed(results []dossier.ConditionResult) ([]need, bool) {
	var best []need
	for i, c := range results {
		n := needs([]dossier.ConditionResult{c})[0]
		n.positions = []int{i}
		if n.solve(nil) && (best == nil || n.cost < best[0].cost) {
			best = []need{n}
		}
	}
	return best, best != nil
}
