package httpapi

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

const keepAsTestText = "Adds a test to the document type: what its rules read of the document and of the candidate in this run, and what they did. " +
	"Nothing else of the candidate is kept, and what is kept stays when the candidate is erased. " +
	"Refused with the pointer of the test where the rules as they are now do something else. Also needs the scopes `candidates:read` and `documents:read`."

func ruleTestTypes() []spec.Type {
	return slices.Concat(
		spec.Shared("RuleTest", "test",
			"An example that the rules have to get right: a save whose tests fail is refused with the pointer of each, and what came instead.",
			dossier.RuleTest{}, spec.Fields{
				"name": says("Name of the test, which no other test of the document type has.").Length(1, dossier.MaxName),
				"parsed": says(
					"The values as if a check had read them, nested by the dots of the references. They are written back first."),
				"context": says(
					"The candidate around the document. Left out, the candidate is empty and is asked for this document type only.").Optional(),
				"expect": says("What the rules have to do. What is left out may be anything."),
			}),
		ruleContextTypes(),
		spec.Shared("RuleExpectation", "", "What a test expects: at least one of the members.",
			dossier.RuleExpectation{}, spec.Fields{
				"rules":  says("Rules that have to match or not.").Count(0, dossier.MaxRules),
				"status": is("CandidateStatus"),
				"changes": says("All that the rules change, in any order; empty if they must change nothing. What one rule adds and another takes away is not among it.").
					Count(0, dossier.MaxCustomFields),
				"fields": says("Values of the candidate afterwards: by the name of a text or date field, by `cf_<reference>`, or by `dcf_<reference>` for the document. An empty text is no value.").Each(is("FieldValue")),
			}),
		spec.Shared("RuleOutcome", "", "Whether a rule has to match.", dossier.RuleOutcome{},
			spec.Fields{
				"id": says("Id of the rule.").Is("Id"),
				"position": says(
					"In a request, for a rule that has no id yet: its place in `rules`, from 1. Answers have the id.").AtLeast(1),
				"matched": says("Whether it has to match."),
			}),
		spec.Shared("RuleEffect", "", "A change that rules make to a candidate.",
			dossier.RuleEffect{}, spec.Fields{
				"type": is("EffectType"),
				"value": says(
					"Id of the document type, form, preset or scenario; for `setField` the name of the field or `cf_<reference>`.").Length(1, dossier.MaxID),
				"set": says("For `setField`: the new value.").Is("FieldValue"),
			}),
		spec.Output("RuleTestResult", "", "Whether the rules do what a test expects.",
			dossier.RuleTestResult{}, spec.Fields{
				"name":   says("Name of the test."),
				"passed": says("Whether every expectation is met."),
				"unmet":  says("A sentence for each expectation that is not met."),
			}),
		spec.Input("KeepAsTestRequest", "The test to make of a rule run.", dossier.RuleTestInput{},
			spec.Fields{"name": says("Name of the test, which no other test of the document type has.").Length(1, dossier.MaxName)}),
	)
}

func ruleContextTypes() []spec.Type {
	return slices.Concat(
		spec.Shared("RuleContext", "",
			"The candidate around a document before its values are written back and the rules run.",
			dossier.RuleContext{}, spec.Fields{
				"candidate": says("Text and date fields of the candidate, by name.").
					Each(says("The value.").Length(1, dossier.MaxName)),
				"documentCustomFields": is("CustomFieldValues"),
				"passVerification":     is("PassStatus"),
				"rejected":             says("Whether an administrator has rejected the candidate."),
				"documentTypes": says("The document types that the candidate is or was asked for. The document's own is asked for in any case.").
					Count(0, dossier.MaxRequested),
				"forms": says("The forms of the candidate.").Count(0, dossier.MaxForms),
				"presetIds": says("Ids of the presets that were applied.").Count(0,
					dossier.MaxListed).Each(is("Id")),
			}),
		spec.Shared("ContextDocumentType", "", "A document type that the candidate is asked for.",
			dossier.ContextDocumentType{}, spec.Fields{
				"id":       says("Id of the document type."),
				"state":    says("Its state; `requested` if it is left out.").Is("DocumentState"),
				"optional": says("Whether the candidate's status does not depend on it."),
			}),
		spec.Shared("ContextForm", "", "A form of the candidate.", dossier.ContextForm{},
			spec.Fields{
				"id":        says("Id of the form."),
				"submitted": says("Whether the candidate has submitted it."),
			}),
	)
}

// ruleTestSchemas describes the closed list of effects.
func ruleTestSchemas() map[string]*spec.Schema {
	return map[string]*spec.Schema{
		"EffectType": enum("What a change does.", dossier.EffectTypes, map[string]string{
			dossier.ActionSendNotification:   "sends the notification of a scenario",
			dossier.ActionAddDocumentType:    "asks for a document type",
			dossier.ActionRemoveDocumentType: "stops asking for a document type",
			dossier.ActionRemoveForm:         "takes away a form",
			dossier.ActionApplyPreset:        "applies a preset",
			dossier.EffectSetField:           "sets a field, through a preset",
			dossier.EffectAddForm:            "asks for a form, through a preset",
		}),
	}
}
