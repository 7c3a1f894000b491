package httpapi

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

// afterOperations describes the routes that change what a candidate who exists is asked for.
func afterOperations() map[string]operation {
	return map[string]operation{
		"POST /candidates/{id}/forms": {id: "askForForm", summary: "Ask a candidate for a form",
			in: "CandidateFormRequest", out: "Candidate", versioned: true,
			text: "The form is open, and the candidate's status is calculated again. The event is `candidateUpdated`, with `forms`.",
			fails: fails(limitReached,
				fail(dossier.CodeTransition, "The candidate was asked for it before."))},
		"POST /candidates/{id}/forms/{formId}/reopen": {id: "reopenForm",
			summary: "Open a submitted form again", out: "Candidate", versioned: true,
			text:  "The candidate can submit it again; until then its answers stay. The event is `candidateUpdated`, with `forms`.",
			fails: fails(fail(dossier.CodeTransition, "The form was not submitted."))},
		"POST /candidates/{id}/presets": {id: "applyPreset",
			summary: "Apply a preset to a candidate", in: "CandidatePresetRequest",
			out: "PresetChange",
			text: "Sets its values, and asks for its document types and forms, in one transaction. What the candidate has already stays as it is and is listed in `kept`. The events are " +
				"`candidatePresetApplied`, `candidateDocumentRequested` for each document type, and `candidateUpdated` for the values.",
			fails: fails(limitReached,
				fail(dossier.CodeTransition, "The preset was applied before."))},
		"DELETE /candidates/{id}/presets/{presetId}": {id: "takeBackPreset",
			summary: "Take a preset of a candidate back", out: "PresetChange",
			text: "Removes what the preset brought and nobody has filled: document types without an upload, forms without answers, and values that are still those of the preset, which become " +
				"what they were before. Everything else stays and is listed in `kept`. What an earlier version of the service applied stays too, because it was not recorded what the preset brought. " +
				"The events are `candidateDocumentRemoved`, `candidateFormRemoved` and `candidateUpdated`."},
	}
}

func afterTypes() []spec.Type {
	return slices.Concat(
		spec.Input("CandidateFormRequest", "The form to ask for.", dossier.CandidateFormInput{},
			spec.Fields{"formId": says("Id of the form.").Needed()}),
		spec.Input("CandidatePresetRequest", "The preset to apply.",
			dossier.CandidatePresetInput{},
			spec.Fields{"presetId": says("Id of the preset.").Needed()}),
		spec.Output("PresetChange", "", "What applying a preset, or taking it back, did.",
			dossier.PresetChange{}, spec.Fields{
				"candidate": says("The candidate afterwards."),
				"changed":   says("What the preset brought, or what was removed."),
				"kept":      says("What was left as it was."),
			}),
		spec.Output("PresetPart", "", "A value, document type or form of a preset.",
			dossier.PresetPart{}, spec.Fields{
				"type":   is("PresetPartType"),
				"value":  says("The id, or the field of the candidate: its name or `cf_<reference>`.").Plain(),
				"reason": is("PresetKeptReason"),
			}),
	)
}

func afterSchemas() map[string]*spec.Schema {
	return map[string]*spec.Schema{
		"PresetPartType": enum("What a part of a preset is.", dossier.PresetParts, nil),
		"PresetKeptReason": enum("Why a part of a preset was left as it was.",
			dossier.PresetKeptReasons, map[string]string{
				dossier.KeptThere:       "the candidate has it already",
				dossier.KeptGone:        "it does not exist any more",
				dossier.KeptNotBrought:  "the candidate does not have it by this preset, as far as is recorded",
				dossier.KeptFilled:      "something was uploaded or answered",
				dossier.KeptChanged:     "the field has got another value since",
				dossier.KeptOtherPreset: "another preset of the candidate has it too",
			}),
	}
}

// afterExamples asks the second candidate for more, and takes it back.
func afterExamples(s *session) {
	s.quiet("POST /presets", "/presets",
		`{"name":"Night shift","set":{"language":"de"},"documentTypeIds":["$dty"],"formIds":["$frm"]}`, "pre2")
	s.record("POST /candidates/{id}/presets", "/candidates/$cnd2/presets",
		`{"presetId":"$pre2"}`, "")
	s.record("DELETE /candidates/{id}/presets/{presetId}", "/candidates/$cnd2/presets/$pre2", "",
		"")
	s.quiet("POST /forms", "/forms", `{"name":"Night work","fields":[]}`, "frm2")
	s.record("POST /candidates/{id}/forms", "/candidates/$cnd2/forms", `{"formId":"$frm2"}`, "")
	s.quiet("POST /candidates/{id}/forms/{formId}", "/candidates/$cnd2/forms/$frm2",
		`{"answers":{}}`, "")
	s.record("POST /candidates/{id}/forms/{formId}/reopen",
		"/candidates/$cnd2/forms/$frm2/reopen", "", "")
}
