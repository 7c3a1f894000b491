package rules

import (
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Evaluate runs the rules in order on a copy of the facts and keeps the whole trace: every condition is evaluated, whatever the
// others of its rule say. now is the moment of the Decision; no condition reads it.
func (p *Program) Evaluate(now time.Time, facts Facts) Decision {
	w := working{facts: facts}
	out := Decision{At: dossier.NewTime(now), Rules: make([]dossier.RuleResult, len(p.rules))}
	traces := slices.Clone(p.blank)
	for i := range p.rules {
		r := &p.rules[i]
		n := len(r.conditions)
		trace := traces[:n:n] // one allocation holds the traces of all rules
		traces = traces[n:]
		result := dossier.RuleResult{ID: r.src.ID, Conditions: trace, Matched: r.trace(&w.facts, trace, p.limit), Actions: []dossier.ActionResult{}}
		if result.Matched && len(r.src.Actions) > 0 {
			result.Actions = make([]dossier.ActionResult, len(r.src.Actions))
			for j, a := range r.src.Actions {
				result.Actions[j] = w.apply(a)
			}
		}
		out.Rules[i] = result
	}
	out.Changes, out.Facts = w.changes, w.facts
	return out
}

// trace completes the results with what every condition read, and decides the rule.
func (r *rule) trace(f *Facts, results []dossier.ConditionResult, limit int) bool {
	var read reading
	matched := r.and
	for i := range r.conditions {
		c := &r.conditions[i]
		c.read(f, &read)
		holds := c.holds(&read)
		if holds != r.and {
			matched = !r.and
		}
		result := &results[i]
		result.Result = holds
		if result.Missing = read.kind == isMissing; !result.Missing {
			result.Read = read.clipped(limit)
		}
	}
	return matched
}
