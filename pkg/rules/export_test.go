package rules

import (
	"maps"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// EvaluateFacts also returns the facts as they are after the changes.
func EvaluateFacts(rules []dossier.Rule, facts Facts) (Decision, Facts) {
	e := evaluation{facts: facts}
	results := Compile(rules).run(&e)
	return Decision{Rules: results, Changes: e.changes}, e.facts
}

// Compared lists the operators that have a whole comparison of their own.
func Compared() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(comparisons)), func(name string) bool {
		c := comparisons[name]
		return c.text == nil || c.other == nil || c.witness == nil
	})
}
