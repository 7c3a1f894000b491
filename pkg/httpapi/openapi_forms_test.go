package httpapi

import (
	"maps"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

var _ = describe(formsDescribed)

func formsDescribed() description {
	n, named := noun{"Form", "/forms", "form"}, fails(fail(dossier.CodeInUse, ""))
	const form = `{"name":"F","fields":[{"reference":"has","label":"Has","type":"boolean","required":true}]}`
	return description{
		tag: "forms", after: "customFields", text: "Sets of questions to candidates.",
		operations: n.operations(
			"A form that a rule, preset or registration page names cannot be deleted: 409 with the list.", fails(limitReached), nil, named),
		types: append(spec.Resource("Form", "form", "A set of questions to a candidate.",
			dossier.Form{}, dossier.FormInput{}, nil, spec.Fields{
				"fields": says("The questions.").Count(0, dossier.MaxFormFields),
			}), spec.Nested("FormField", "question", "One question of a form.", dossier.FormField{},
			dossier.FormField{}, spec.Fields{
				"reference": is("Reference"),
				"label":     says("The question.").Length(1, dossier.MaxName),
				"type":      is("FieldType"),
				"required":  says("Whether an answer is needed.").Default(false),
			})...),
		named: map[string]*spec.Schema{
			"FieldType": enum("The type of a value.", dossier.FieldTypes, nil),
		},
		examples: func(s *session) {
			s.resource("/forms", "frm",
				`{"name":"Permit declaration","fields":[{"reference":"hasPermit","label":"Do you hold a permit?","type":"boolean","required":true}]}`,
				`{"name":"Declaration of the work permit"}`)
		},
		seed: n.seed("frm", form, `{"name":"G"}`), samples: n.samples("frm", form, form),
	}
}

var _ = describe(presetsDescribed)

func presetsDescribed() description {
	values := func(value *spec.Schema, text string) *spec.Schema {
		return &spec.Schema{Type: "object", MaxProperties: dossier.MaxCustomFields,
			AdditionalProperties: value, PropertyNames: &spec.Schema{
				MaxLength: dossier.MaxReference + len("dcf_"),
				Pattern:   "^(firstName|lastName|email|phone|birthDate|nationality|language|cf_.+)$"},
			Description: "Values by field of the candidate (a text or date field except `externalId`) or by `cf_<reference>`." + text}
	}
	return description{
		tag: "presets", after: "documentTypes",
		text: "Values, document types and forms that are applied to a candidate in one go.",
		operations: noun{"Preset", "/presets", "preset"}.operations(
			"A preset that a rule or registration page names cannot be deleted: 409 with the list.",
			fails(limitReached), fails(limitReached), fails(fail(dossier.CodeInUse, ""))),
		types: spec.Resource("Preset", "preset",
			"A set of values, document types and forms that is applied to a candidate in one go.",
			dossier.Preset{}, dossier.PresetInput{}, nil, spec.Fields{
				"set":           is("PresetValues"),
				"documentTypes": says("The document types to ask for."),
				"documentTypeIds": says("Ids of the document types to ask for.").Count(0,
					dossier.MaxPresetDocuments),
			}),
		named: map[string]*spec.Schema{"PresetValues": values(spec.RefTo("FieldValue"), ""),
			"PresetValuesPatch": values(
				&spec.Schema{AnyOf: []*spec.Schema{spec.RefTo("FieldValue"), {Type: "null"}}},
				" `null` removes one.")},
		examples: func(s *session) {
			s.record("POST /presets", "/presets",
				`{"name":"English speakers","set":{"language":"en"}}`, "", "basic")
			s.resource("/presets", "pre",
				`{"name":"Dutch drivers","set":{"language":"nl"},"formIds":["$frm"]}`,
				`{"set":{"nationality":"NLD","language":null}}`)
		},
	}
}

var _ = describe(customFieldsDescribed)

func customFieldsDescribed() description {
	n := noun{"CustomField", "/customFields", "custom field"}
	return description{
		tag:  "customFields",
		text: "Values of your own on candidates and on candidate document types.",
		operations: n.operations(
			"A custom field that a rule, write-back or preset names cannot be deleted: 409 with the list.",
			fails(fail(dossier.CodeConflict,
				"Another custom field of the entity has the reference."), limitReached), nil,
			fails(fail(dossier.CodeInUse, ""))),
		types: spec.Resource("CustomField", "custom field",
			"A value of your own on a candidate or on a candidate document type. The reference is unique for the entity.",
			dossier.CustomField{}, dossier.CustomFieldInput{}, dossier.CustomFieldUpdate{},
			spec.Fields{
				"entity":    is("CustomFieldEntity"),
				"reference": says("How rules name it, after `cf_` or `dcf_`.").Is("Reference"),
				"label":     says("What people call it.").Length(1, dossier.MaxName),
				"type":      is("FieldType"),
			}),
		named: map[string]*spec.Schema{
			"CustomFieldEntity": enum("What a custom field belongs to.",
				dossier.CustomFieldEntities, map[string]string{
					dossier.EntityCandidate: "a candidate; rules read it as `cf_<reference>`",
					dossier.EntityDocument:  "a candidate document type; rules read it as `dcf_<reference>`"}),
		},
		examples: func(s *session) {
			s.resource("/customFields", "cfd",
				`{"entity":"candidate","reference":"permitNumber","label":"Permit number","type":"text"}`, `{"label":"Number of the permit"}`)
			s.quiet("POST /customFields", "",
				`{"entity":"document","reference":"office","label":"Office","type":"text"}`, "cfd2")
		},
		seed: n.seed("cfd",
			`{"entity":"candidate","reference":"permitNumber","label":"Permit number","type":"text"}`,
			`{"entity":"document","reference":"office","label":"Office","type":"text"}`),
		samples: n.samples("cfd",
			`{"entity":"candidate","reference":"r","label":"L","type":"text"}`, `{"label":"L"}`),
	}
}

// placeholdersDescribed explains the placeholders of notifications.
const placeholdersDescribed = "Its texts may have placeholders, for which values are inserted as plain text " +
	"when it is sent: `{{firstName}}` of the candidate, always; `{{documentType}}`, the name of the document type, " +
	"in a rule and in a reaction to an event of a document or of a pass verification; `{{dueAt}}`, such as " +
	"2026-11-30 17:00 UTC, in a reaction to candidateDocumentRequested, candidateDocumentRejected and " +
	"candidateDocumentOverdue; `{{reason}}`, the reasons that the candidate may read, in a reaction to " +
	"candidateDocumentRejected. An inactive scenario may have those of its event and those of a rule. Any other " +
	"placeholder is refused, and so is one that has no value in a rule that names the scenario. A value that is " +
	"missing leaves nothing in its place. A text that becomes longer than its limit is cut."

var _ = describe(scenariosDescribed)

func scenariosDescribed() description {
	d := description{
		tag: "scenarios", after: "forms",
		text: "Reactions to events, and the notifications that rules send.",
		operations: noun{"Scenario", "/scenarios", "scenario"}.operations(
			"A scenario that a rule names cannot be deleted: 409 with the list.",
			fails(limitReached), fails(fail(dossier.CodeInUse, ""), limitReached),
			fails(fail(dossier.CodeInUse, ""))),
		types: append(spec.Resource("Scenario", "scenario",
			"Reacts to an event: it asks for its document types and sends its notification.",
			dossier.Scenario{}, dossier.ScenarioInput{}, nil, spec.Fields{
				"active": says(
					"Whether it reacts to its event. If not, it is only the notification that rules name. " +
						"A company has at most 20 active scenarios for each event name.").Default(
					true),
				"documentTypes": says("The document types that it asks for."),
				"warnings": says(
					"A cycle: what it does causes its own event again, to which it then reacts only once."),
				"documentTypeIds": says("Ids of the document types that it asks for.").Count(0,
					dossier.MaxScenarioDocuments),
			}), spec.Shared("Notification", "notification",
			"The message that a scenario sends to the candidate. "+placeholdersDescribed,
			dossier.Notification{}, spec.Fields{
				"subject": says("Its subject. It may have placeholders.").
					Length(1, dossier.MaxName),
				"text": says("Its text. It may have placeholders, and needs words beside them.").
					Length(1, dossier.MaxText),
			})...),
		examples: func(s *session) {
			s.resource("/scenarios", "scn",
				`{"name":"Card needed","eventName":"candidateMessageSent","active":false,`+
					`"notification":{"subject":"One more document","text":"Please upload your tachograph card."}}`, `{"notification":{"subject":"Another document"}}`)
		},
	}
	d.filter("GET /scenarios", "events[]",
		says("Scenarios that react to any of these events.").Each(is("EventName")).Count(0,
			maxFilterValues).Example([]any{"candidateApproved"}))
	return d
}

// filter describes a filter of a list.
func (d description) filter(route, name string, f spec.Field) {
	o := d.operations[route]
	o.filters = maps.Clone(o.filters)
	if o.filters == nil {
		o.filters = spec.Fields{}
	}
	o.filters[name] = f
	d.operations[route] = o
}

var _ = describe(pagesDescribed)

func pagesDescribed() description {
	d := description{
		tag: "registrationPages", after: "presets", text: "How candidates of one kind come in.",
		operations: noun{"RegistrationPage", "/registration-pages", "registration page"}.operations(
			"Candidates who registered stay.",
			fails(fail(dossier.CodeConflict, "Another registration page has the slug."),
				limitReached),
			fails(fail(dossier.CodeConflict, "Another registration page has the slug.")), nil),
		types: append(spec.Resource("RegistrationPage", "registration page",
			"How candidates of one kind come in: what they are asked for.",
			dossier.RegistrationPage{}, dossier.RegistrationPageInput{}, nil, spec.Fields{
				"slug": says("Its name in an address, unique in the company.").Length(1,
					dossier.MaxReference).Pattern(`^[a-z0-9]+(-[a-z0-9]+)*$`),
				"active": says("Whether candidates can register.").Default(true),
				"documents": says("The document types that candidates are asked for.").Count(0,
					dossier.MaxPageDocuments),
				"presetId": says("Id of a preset that is applied to everyone who registers."),
				"customFields": says("The custom fields of candidates that the public page asks for. An answer leaves it out where there are none.").Count(0,
					dossier.MaxAskedFields),
			}), spec.Nested("RelatedDocument", "document",
			"A document type that a registration page asks for.", dossier.RelatedDocument{},
			dossier.RelatedDocumentInput{}, spec.Fields{
				"required": says("Whether the candidate's status depends on it.").Default(true),
			})...),
		examples: func(s *session) {
			s.record("POST /registration-pages", "/registration-pages",
				`{"name":"Everyone","slug":"everyone"}`, "", "basic")
			s.resource("/registration-pages", "rpg",
				`{"name":"Drivers","slug":"drivers","documents":[{"documentTypeId":"$dty","required":true}],"formIds":["$frm"]}`,
				`{"name":"Lorry drivers"}`)
			at := "/public/" + s.testAPI.company.ID + "/registration-pages/$rpg"
			s.record("GET "+publicPath, at, "", "")
			s.record("POST "+publicPath+"/register", at+"/register",
				`{"firstName":"Grace","lastName":"Hopper","email":"grace@example.com"}`, "")
			s.record("POST /registration-pages/{id}/register", "/registration-pages/$rpg/register",
				`{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","nationality":"NLD"}`, "cnd")
		},
	}
	const public = publicPath
	d.operations["GET "+public] = operation{id: "getPublicPage",
		summary: "Get what a registration page asks for", out: "PublicPage",
		text: "For the page that candidates see. A page that is not active is not found. One address may ask only so often."}
	d.operations["POST "+public+"/register"] = operation{id: "registerInPublic",
		summary: "Register as a candidate", in: "PublicRegistration", out: "PublicRegistered",
		text: "Creates a candidate, asks for the document types and forms of the page, and applies its preset, in one transaction, with a token for the candidate's own dossier. " +
			"One address and one page take only so many. The header `Idempotency-Key` has no effect: with `idempotencyKey` in the body, a registration that is sent again answers the same candidate with another token.",
		fails: fails(limitReached)}
	d.types = slices.Concat(d.types, publicTypes())
	d.operations["POST /registration-pages/{id}/register"] = operation{id: "register",
		summary: "Register a candidate", in: "CandidateRegister",
		out: "Candidate", versioned: true,
		text: "Creates a candidate, asks for the document types and forms of the page, and applies its preset, in one transaction.",
		fails: fails(fail(dossier.CodeTransition, "The registration page is not active."),
			fail(dossier.CodeConflict, "Another candidate has the external id."), limitReached)}
	return d
}

const publicPath = "/public/{companyId}/registration-pages/{page}"

func publicTypes() []spec.Type {
	return slices.Concat(
		spec.Shared("AskedField", "", "A custom field that a registration page asks for.",
			dossier.AskedField{}, spec.Fields{
				"reference": says("Reference of a custom field of candidates.").Length(1,
					dossier.MaxReference),
				"required": says("Whether nobody registers on the public page without a value."),
			}),
		spec.Output("PublicPage", "registration page",
			"A registration page as a candidate sees it.", dossier.PublicPage{}, spec.Fields{
				"slug":         says("Its name in an address."),
				"company":      says("Who asks."),
				"documents":    says("What the candidate will be asked to upload."),
				"forms":        says("What the candidate will be asked to fill in."),
				"customFields": says("What the candidate fills in to register. Left out where there is nothing."),
			}),
		spec.Output("PublicDocument", "document type",
			"A document type that a registration page asks for.", dossier.PublicDocument{},
			spec.Fields{
				"description": says("What it is, for candidates."),
				"required":    says("Whether the candidate's status depends on it."),
			}),
		spec.Output("PublicForm", "form", "A form that a registration page asks for.",
			dossier.PublicForm{}, spec.Fields{"fields": says("Its questions.")}),
		spec.Output("PublicRegistered", "", "Who registered.", dossier.PublicRegistered{},
			spec.Fields{
				"candidateId": says("Id of the candidate."),
				"token":       says("A token for the candidate's own dossier. It is shown once."),
				"expiresAt":   says("When the token ends."),
			}),
		spec.Input("PublicRegistration", "Who registers: a name and an e-mail address at least.",
			dossier.PublicRegistration{}, spec.Fields{
				"firstName":   says("First name.").Length(1, dossier.MaxName),
				"lastName":    says("Last name.").Length(1, dossier.MaxName),
				"email":       says("E-mail address.").Length(1, dossier.MaxName).Needed(),
				"phone":       says("Phone number.").Length(1, dossier.MaxName),
				"birthDate":   says("Date of birth.").Format("date"),
				"nationality": says("Country code of ISO 3166-1."),
				"language":    says("Language tag of BCP 47."),
				"idempotencyKey": says("A random text that nobody can guess: sent again with the same registration, it gives access to the same dossier.").Length(
					dossier.MinRegistrationKey, dossier.MaxRegistrationKey),
				"website": says("Has to stay empty: a trap for programs that fill in every field.").Length(0, 0),
			}),
	)
}
