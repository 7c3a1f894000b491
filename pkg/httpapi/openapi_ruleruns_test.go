package httpapi

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
	"github.com/dossierhq/dossier/pkg/store"
)

func ruleRunTypes() []spec.Type {
	return slices.Concat(
		spec.Output("RuleRun", "rule run",
			"The kept record of one evaluation of the rules of a document type.", dossier.RuleRun{},
			spec.Fields{
				"documentId":        says("Id of the document that was validated."),
				"submissionVersion": says("Counts the changes to the rules of the document type.").AtLeast(0),
				"applied":           says("Whether the rules were applied."),
				"notAppliedReason":  is("NotAppliedReason"),
				"rules":             says("What each rule read, decided and did."),
				"statusBefore":      is("CandidateStatus"),
				"statusAfter":       is("CandidateStatus"),
				"at":                says("When the rules ran."),
			}),
		spec.Output("RuleResult", "rule", "What one rule read, decided and did.",
			dossier.RuleResult{}, spec.Fields{
				"id":   says("Id of the rule; empty for a simulated rule that has none yet.").Plain(),
				"mode": is("RuleMode"),
				"matched": says(
					"Whether the rule matched. In shadow mode its actions then say what those of a live rule would have done."),
				"conditionsType": is("ConditionsType"),
				"conditions":     says("Every condition, with what it read."),
				"actions":        says("What each action did. Empty if the rule did not match."),
				"whyNot": says(
					"The fewest values that would have to be others for the rule to match: of `and` every one with a false condition, of `or` the nearest one. " +
						"Empty if the rule matched or can never match."),
				"whyNotMessage": says("The same as a sentence. Left out if the rule matched."),
			}),
		spec.Output("Simulation", "", "What the rules would have read, decided and done.",
			store.Simulation{}, spec.Fields{
				"rules":        says("What each rule read, decided and would have done. Left out with `over` and `tests`."),
				"statusBefore": says("Left out with `over` and `tests`.").Is("CandidateStatus"),
				"statusAfter":  says("Left out with `over` and `tests`.").Is("CandidateStatus"),
				"over":         says("The differences on past documents. Left out without `over` in the request."),
				"tests":        says("The result of each test, in order. Left out without `tests` in the request."),
				"warnings":     says("What is wrong with the rules."),
			}),
	)
}

// ruleResultTypes describes the parts of the result of a rule.
func ruleResultTypes() []spec.Type {
	return slices.Concat(
		spec.Output("NeededChange", "",
			"A value that would have to be another one for the rule to match. Without any one of the changes the rule would still not match.",
			dossier.NeededChange{}, spec.Fields{
				"conditions": says(
					"Positions in `conditions` of the false conditions that it makes true."),
				"type":      is("ConditionSource"),
				"reference": says("The key whose value would have to be another one."),
				"value": says("A value that would do, the nearest to the one that was read. " +
					"Left out if there would have to be none. `…` stands for any text."),
				"message": says("What would have to be different, as a sentence."),
			}),
		spec.Output("ConditionResult", "",
			"One condition as it was evaluated. Each one is, also when the outcome is clear before.", dossier.ConditionResult{}, spec.Fields{
				"type":      is("ConditionSource"),
				"reference": says("The key that was read."),
				"operator":  is("Operator"),
				"value":     is("ConditionValue"),
				"read":      is("ReadValue"),
				"missing":   says("There was nothing to read. Left out otherwise."),
				"result":    says("Whether the condition held."),
			}),
		spec.Output("ActionResult", "", "What an action of a matching rule did.",
			dossier.ActionResult{}, spec.Fields{
				"type":    is("ActionType"),
				"value":   says("Id of the entity.").Is("Id"),
				"changed": says("Whether it changed the candidate."),
				"reason":  is("UnchangedReason"),
			}),
	)
}
