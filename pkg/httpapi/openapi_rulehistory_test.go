package httpapi

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

const simulateText = "Evaluates the saved rules, or those of the request, on a candidate and on parsed values. " +
	"With `over` it evaluates the saved rules and those of the request on past validated documents, with what their rules could read when they ran, and answers the differences. " +
	"Presets, forms and the other settings of the document type are the present ones for both. Nothing is written. " +
	"With `tests` it runs the tests that are kept with the rules and says of each whether it passes. " +
	"Simulations of a company may take a quarter of the time of one processor, and 20 seconds after a quiet time; only one with `over` or `tests` runs at once. More is refused with 429. " +
	"With `candidateId` or `over` it also needs the scope `candidates:read`, with `tests` the scope `settings:read`."

// ruleHistoryTypes describes a simulation over past documents.
func ruleHistoryTypes() []spec.Type {
	examples := says("Ten of the documents at most, the newest.").Count(0,
		dossier.MaxHistoryExamples)
	return slices.Concat(
		spec.Input("SimulateOver",
			"Past documents of this type: the newest of those whose rules ran in a time span.",
			simulationOver{}, spec.Fields{
				"from": says("The first moment.").Needed(),
				"to":   says("The last moment, not before `from`.").Needed(),
				"limit": says("How many documents at most.").Between(1, dossier.MaxHistory).
					Default(dossier.MaxHistory),
			}),
		spec.Output("RuleHistory", "",
			"What the rules of the request would have done differently from the saved ones.",
			dossier.RuleHistory{}, spec.Fields{
				"compared": says("Documents on which both were evaluated.").AtLeast(0),
				"skipped": says("Documents of which it is not kept what their rules could read: " +
					"their candidate has more than 200 kB of data, or another company owns the document type.").AtLeast(0),
				"more":       says("Whether the time span has older documents, beyond `limit`."),
				"different":  says("Documents after which a candidate would have got or lost something, or have another status.").AtLeast(0),
				"candidates": says("Whose documents these are, each candidate counted once.").AtLeast(0),
				"got":        says("Changes that only the rules of the request make, the most frequent first."),
				"lost":       says("Changes that only the saved rules make, the most frequent first."),
				"statuses":   says("Statuses that would have been others, the most frequent first."),
				"rules": says("How many documents each rule matches: the rules of the request in order, " +
					"then saved ones that are not among them. A rule in shadow mode counts too."),
			}),
		spec.Output("HistoryEffect", "", "A change to candidates, and how often it is made.",
			dossier.HistoryEffect{}, spec.Fields{
				"type":  is("EffectType"),
				"value": says("The id of what is added, removed, applied or sent. For `setField`, the key of the field."),
				"set":   says("The new value, of `setField`.").Is("FieldValue"),
				"count": says("Documents.").AtLeast(1), "examples": examples,
			}),
		spec.Output("HistoryStatus", "", "A status of candidates that would have been another one.",
			dossier.HistoryStatus{}, spec.Fields{
				"before": says("With the saved rules.").Is("CandidateStatus"),
				"now":    says("With the rules of the request.").Is("CandidateStatus"),
				"count":  says("Documents.").AtLeast(1), "examples": examples,
			}),
		spec.Output("HistoryRule", "", "How many documents a rule matches.",
			dossier.HistoryRule{}, spec.Fields{
				"id": says("Id of the rule; empty for one that is not saved yet.").Plain(),
				"position": says(
					"Position in the request, from 1. Left out for a rule that is not there.").AtLeast(1),
				"matchedBefore": says("Documents that the saved rule matches.").AtLeast(0),
				"matchedNow":    says("Documents that the rule of the request matches.").AtLeast(0),
				"examples": says("Ten of the documents at most, the newest, that only one of the two matches.").
					Count(0, dossier.MaxHistoryExamples),
			}),
		spec.Output("HistoryExample", "", "One of the documents.", dossier.HistoryExample{},
			spec.Fields{
				"candidateId": says("Whose document it is."),
				"documentId":  says("Id of the document that was validated."),
				"at":          says("When its rules ran."),
			}),
	)
}
