package rules

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Evaluate runs the rules in order on a copy of the facts; a later rule sees what an earlier one
// changed. It keeps the whole trace: every condition is evaluated, whatever the others of its rule
// say.
func (p *Program) Evaluate(facts Facts) Decision {
	e := evaluation{facts: facts}
	return Decision{Rules: p.run(&e), Changes: e.changes}
}

// run evaluates the rules and applies their actions to e.
func (p *Program) run(e *evaluation) []dossier.RuleResult {
	out := make([]dossier.RuleResult, len(p.rules))
	traces := slices.Clone(p.blank)
	for i := range p.rules {
		r := &p.rules[i]
		n := len(r.conditions)
		trace := traces[:n:n] // one allocation holds the traces of all rules
		traces = traces[n:]
		result := dossier.RuleResult{ID: r.src.ID, ConditionsType: r.src.ConditionsType,
			Conditions: trace,
			Matched:    r.trace(e, trace, p.limit), Actions: []dossier.ActionResult{}}
		if !r.src.Live() {
			result.Mode = r.src.Mode
		}
		if result.Matched && len(r.src.Actions) > 0 {
			result.Actions = make([]dossier.ActionResult, len(r.src.Actions))
			on := e
			if !r.src.Live() {
				on = e.shadow()
			}
			for j, a := range r.src.Actions {
				result.Actions[j] = on.apply(a)
			}
		}
		out[i] = result
	}
	return out
}

// trace fills the results with what every condition read, and decides the rule.
func (r *rule) trace(e *evaluation, results []dossier.ConditionResult, limit int) bool {
	read := &e.read
	matched := r.and
	for i := range r.conditions {
		c := &r.conditions[i]
		c.read(&e.facts, read)
		holds := c.holds(read)
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
