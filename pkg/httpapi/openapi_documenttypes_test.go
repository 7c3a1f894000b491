package httpapi

import (
	"maps"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
	"github.com/dossierhq/dossier/pkg/rules"
)

var _ = describe(documentTypesDescribed)

func documentTypesDescribed() description {
	inUse := fails(fail(dossier.CodeInUse, ""))
	d := description{
		tag: "documentTypes", after: "scenarios",
		text: "Kinds of documents, how they are checked, and the rules that follow.",
		operations: noun{"DocumentType", "/documentTypes", "document type"}.operations(
			"A document type that a rule, preset, scenario or registration page names cannot be deleted: 409 with the list.", fails(limitReached), inUse, inUse),
		types: slices.Concat(documentTypeTypes(), parserConfirmationTypes(), checkTypes(),
			submissionTypes(), ruleHistoryTypes(), ruleTestTypes(), ruleVersionTypes()),
		named:    documentTypeSchemas(),
		examples: documentTypeExamples,
	}
	d.operations["POST /documentTypes/{id}/submission/simulate"] = operation{
		id: "simulateSubmission", summary: "Try the rules without changing anything",
		text: simulateText, in: "SimulateRequest", out: "Simulation",
	}
	d.operations["POST /documentTypes/{id}/parser/confirm"] = operation{
		id: "confirmParser", summary: "Let documents go to the parser service of a shared type",
		text: "For a company with which another one shares the document type. Before it has confirmed the host, and again when the owner changes the address, " +
			"its documents are not sent there: they wait for a reviewer, with the reason `PARSER_NOT_CONFIRMED`. Also needs the scope `documents:read`.",
		in: "ParserConfirmationRequest", out: "DocumentType", versioned: true,
		fails: fails(fail(dossier.CodeTransition,
			"The document type is the company's own, or has no parser service.")),
	}
	maps.Copy(d.operations, ruleVersionOperations())
	return d
}

func documentTypeTypes() []spec.Type {
	return slices.Concat(
		spec.Resource("DocumentType", "document type",
			"A kind of document that candidates are asked for, how it is checked, and what follows.",
			dossier.DocumentType{}, dossier.DocumentTypeInput{}, nil, spec.Fields{
				"description": says("What it is for.").Length(0, dossier.MaxText),
				"pass": says("Its outcome is the candidate's pass verification.").Default(
					false),
				"requiredParts": says("Names of the parts without which a document is not complete. A type that names parts takes no others.").Count(0, dossier.MaxParts).Unique().
					Each(says("Name of a part, such as `front`, `back` or `page-2`.").Length(1,
						maxPartName).Pattern(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)),
				"check": spec.Field{}.Optional(),
				"writeBack": says("The parsed values to copy onto the candidate.").Count(0,
					dossier.MaxWriteBacks),
				"sharedWith": says("Ids of the companies of the group that may ask for it too.").Count(0, dossier.MaxSharedWith).Unique().Each(is("Id")),
				"remindBefore": says("How many days before a validated document expires `candidateDocumentExpiring` is emitted, once for each. Without it 30 and 7; an empty list for none. "+
					"A document keeps those that its type had when it was validated.").Count(0, dossier.MaxReminders).Unique().Default(dossier.DefaultRemindBefore).
					Each(spec.Field{}.Between(1, dossier.MaxRemindBefore)),
				"replaceable": says("Who may upload a newer document while a validated one is in force: the `candidate` and the company, the company alone (`administrator`), or " +
					"nobody (`never`). Another upload is refused with 409 `NOT_REPLACEABLE` until the document expires or is rejected.").Is("Replaceable").Default(dossier.ReplaceableCandidate),
				"owner":      says("The company that created it and alone may change it."),
				"submission": spec.Field{}.Optional(),
				"warnings": says(
					"What is wrong with its rules, that the rules of a shared document type are not applied, and that its documents are not sent to its parser service yet."),
				"parserConfirmation": says(
					"Only where another company shares the document type and has it read by a parser service."),
			}),
		spec.Output("Owner", "", "The company that owns a document type.", dossier.Owner{}, nil),
		spec.Shared("WriteBack", "",
			"Copies a parsed value onto the candidate when the document is validated.",
			dossier.WriteBack{}, spec.Fields{
				"from": is("ParserReference"),
				"to": says("A text or date field of the candidate, `cf_<reference>` or `dcf_<reference>`.").Length(1, dossier.MaxReference+len("dcf_")).
					Pattern(
						`^(externalId|firstName|lastName|email|phone|birthDate|nationality|language|d?cf_.+)$`),
			}),
		spec.Output("Warning", "", "A rule that was saved although it cannot do what it says.",
			dossier.Warning{}, spec.Fields{
				"code":    is("WarningCode"),
				"pointer": says("An RFC 6901 JSON pointer into the document type."),
				"message": says("What is wrong, for a person. For a cycle it names the path."),
				"rules":   says("Ids of the rules that it is about.").Each(is("Id")),
			}),
		spec.Input("SimulateRequest", "What to try the rules on. Nothing is changed.", simulation{},
			spec.Fields{
				"candidateId": says(
					"Id of the candidate to try the rules on. Without it they are tried on an empty candidate."),
				"parsed": says("The values as if a check had read them, nested by the dots of the references: 64 kB at most, and 2,000 characters in a text. " +
					"Needed without `over` and `tests`, and not allowed with them."),
				"submission": says("Rules to try instead of the saved ones. Needed with `over`. With `tests` it may bring tests of its own."),
				"tests":      says("Runs the tests of the rules instead."),
				"over":       says("Tries the rules on past documents instead."),
			}),
	)
}

func parserConfirmationTypes() []spec.Type {
	return slices.Concat(
		spec.Output("ParserConfirmation", "",
			"Where the documents of a shared document type go, and whether this company let them go there.",
			dossier.ParserConfirmation{}, spec.Fields{
				"host": says(
					"Host of the owner's parser service, with the port if its address names one."),
				"confirmed": says(
					"Whether this company has confirmed the present address. Until then its documents are not sent there."),
			}),
		spec.Input("ParserConfirmationRequest", "The host to which documents may go.",
			dossier.ParserConfirmationInput{}, spec.Fields{
				"host": says("The host as `parserConfirmation` names it.").Length(1,
					dossier.MaxURL).Needed(),
			}),
	)
}

func checkTypes() []spec.Type {
	return slices.Concat(
		spec.Nested("Check", "check",
			"How the parts of a document are read, and what a passed check means.", dossier.Check{},
			dossier.CheckInput{}, spec.Fields{
				"parser":   is("Parser").Default(dossier.ParserNone),
				"decision": is("CheckDecision").Default(dossier.DecisionManual),
				"fields":   says("What the `pdf` parser looks for. With the parser `none`: what reviewers enter.").Count(0, dossier.MaxCheckFields),
				"required": says(
					"References that must have a value. If one has none, the document needs resubmission, with a reason for each.").
					Count(0, dossier.MaxCheckFields).Unique().Each(is("ParserReference")),
				"expiryReference": says("The reference of the date on which the document expires.").Is(
					"ParserReference"),
				"http": spec.Field{},
			}),
		spec.Shared("CheckField", "",
			"A value that the `pdf` parser looks for: a form field that is named like the reference, or the text beside the label.", dossier.CheckField{}, spec.Fields{
				"reference": is("ParserReference"),
				"label": says("The text beside the value in the document.").Length(1,
					dossier.MaxName),
				"type": is("CheckFieldType"),
				"pattern": says(
					"A regular expression (RE2) that the whole value has, for the type `text`: `[A-Z]{2}-[0-9]{6}`. A value without it goes to a person. In a picture it decides which of the letters and digits that look alike stand there.").
					Length(1, dossier.MaxName),
			}),
		spec.Nested("HTTPParser", "",
			"A parser service of your own. It gets the parts, signed like a webhook, and answers within 60 seconds: see the webhook `parseDocument`.",
			dossier.HTTPParser{}, dossier.HTTPParserInput{}, spec.Fields{
				"url": says("Where the parser service is reached. Only https; private addresses are refused.").Length(1, dossier.MaxURL).Format("uri"),
				"secret": says(
					"`whsec_…`, which signs what is sent to it. It is shown once, when the address is set: the answer to a repeated request " +
						"(`Idempotency-Key`) leaves it out."),
			}),
	)
}

func submissionTypes() []spec.Type {
	rule := spec.Fields{
		"id": says(
			"Id of the rule. The service gives it; send it back to keep the rule, and leave it out for a new one."),
		"mode":           is("RuleMode").Default(dossier.ModeLive),
		"conditionsType": is("ConditionsType"),
		"conditions":     says("The conditions.").Count(0, dossier.MaxConditions),
		"actions": says("What is applied to the candidate when the rule matches.").Count(0,
			dossier.MaxActions),
	}
	saved := maps.Clone(rule)
	saved["id"] = says("Id of the rule.").Needed()
	return []spec.Type{
		{Name: "Submission", Of: dossier.Submission{}, Mode: spec.Response,
			Text: "What happens to the candidate once a document of this type is validated. " +
				"The rules of a document type that another company of the group shares are not applied.", Fields: submissionFields()},
		{Name: "SubmissionInput", Of: dossier.Submission{}, Mode: spec.Request,
			Fields: submissionFields(),
			Text:   "The rules of a document type with their tests: at most 100 kB as JSON, and at most 60 things that a run of all of them may write."},
		{Name: "SubmissionPatch", Of: dossier.Submission{}, Mode: spec.Change,
			Text: "The members to change.", Fields: spec.Fields{
				"rules": says("The rules, in the order in which they are evaluated.").Count(0,
					dossier.MaxRules),
				"tests": says("The tests of the rules.").Count(0, dossier.MaxRuleTests)}},
		{Name: "Rule", Of: dossier.Rule{}, Mode: spec.Response, Text: "A post-submission rule.",
			Fields: saved},
		{Name: "RuleInput", Of: dossier.Rule{}, Mode: spec.Request, Fields: rule,
			Text: "A post-submission rule to save. Its references, operators, values and the entities that its actions name are checked."},
		{Name: "Condition", Of: dossier.Condition{}, Mode: spec.Request, Shared: true,
			Text: "Compares one value.", Fields: spec.Fields{
				"type": is("ConditionSource"),
				"reference": says(
					"The key to read. For `fields`: a parser reference, dotted for nested values. For `context`: a text or date field of the candidate, `status`, "+
						"`passVerification`, `documentTypes`, `forms`, `presets`, `cf_<reference>` for a custom field of the candidate, or `dcf_<reference>` for one of the document.").
					Length(1, dossier.MaxReference+len("dcf_")),
				"operator": is("Operator"),
				"value":    is("ConditionValue"),
			}},
		{Name: "Action", Of: dossier.Action{}, Mode: spec.Request, Shared: true,
			Text: "One change to the candidate.", Fields: spec.Fields{
				"type":  is("ActionType"),
				"value": says("Id of the entity that the action is about.").Is("Id"),
				"metadata": says(
					"Properties of the requested document, for `addDocumentType` only. It honours `required` (default `true`), `dueAt` and `customFields` in it; " +
						"all of it is kept as the metadata of the candidate document type.").Is(
					"Metadata"),
			}},
	}
}

func submissionFields() spec.Fields {
	return spec.Fields{"rules": says(
		"The rules, in the order in which they are evaluated: each one sees what those before it changed.").
		Count(0, dossier.MaxRules).Needed(),
		"tests": says("Examples that the rules have to get right to be saved. "+
			"Left out where the document type is embedded in something else.").
			Count(0, dossier.MaxRuleTests)}
}

func documentTypeSchemas() map[string]*spec.Schema {
	var actions []string
	comparisons, changes, parsers := map[string]string{}, map[string]string{}, map[string]string{}
	for _, o := range dossier.Operators {
		comparisons[o.Name] = o.Meaning
	}
	for _, t := range rules.ActionTypes {
		actions = append(actions, t.Name)
		changes[t.Name] = t.Verb + " the " + t.Target + " whose id is `value`"
	}
	for _, t := range dossier.ParserTypes {
		parsers[t.Name] = t.Meaning
	}
	scalars := []*spec.Schema{{Type: "string", MaxLength: 1000}, {Type: "number"},
		{Type: "boolean"}}
	list := &spec.Schema{Type: "array", Items: spec.RefTo("ConditionScalar"), MaxItems: 100}
	schemas := map[string]*spec.Schema{
		"Operator": enum(
			"How a condition compares the value that it read. A missing value reads as empty. Text is compared after trimming and Unicode NFC, case-sensitively.",
			dossier.OperatorNames(), comparisons),
		"ActionType": enum("What an action does.", actions, changes),
		"ConditionSource": enum("Where a condition reads its reference.",
			[]string{dossier.ConditionFields, dossier.ConditionContext}, map[string]string{
				dossier.ConditionFields:  "the parsed document",
				dossier.ConditionContext: "the candidate"}),
		"RuleMode": enum("What a rule does. Left out, it is `live`.", dossier.Modes,
			map[string]string{
				dossier.ModeLive:   "its actions are applied when it matches",
				dossier.ModeShadow: "it is evaluated and recorded, and changes nothing",
				dossier.ModeOff:    "it is not evaluated"}),
		"RuleChangeKind": enum("What happened to a rule between two versions.",
			dossier.RuleChanges, nil),
		"ConditionsType": enum("How the conditions of a rule combine.",
			[]string{dossier.ConditionsOr, dossier.ConditionsAnd}, map[string]string{
				dossier.ConditionsOr:  "one has to hold; without conditions the rule does not match",
				dossier.ConditionsAnd: "all have to hold; without conditions the rule matches"}),
		"ConditionScalar": {Description: "A text, a number or a boolean.", AnyOf: scalars},
		"ConditionValue": {Description: "What the value is compared with. `isEmpty` and `isNotEmpty` do without.",
			AnyOf: append([]*spec.Schema{list}, scalars...)},
		"Parser":      enum("How the parts are read.", dossier.ParserNames(), parsers),
		"Replaceable": replaceableSchema(),
		"CheckDecision": enum("What a passed check means.", dossier.Decisions, map[string]string{
			dossier.DecisionAutomatic: "the document is validated",
			dossier.DecisionManual:    "an administrator decides"}),
		"CheckFieldType": enum("The type of a value that the `pdf` parser looks for.",
			dossier.CheckFieldTypes, nil),
		"WarningCode": enum("What a warning is about.",
			[]string{dossier.WarningNeverMatches, dossier.WarningUndone, dossier.WarningCycle,
				dossier.WarningShared, dossier.WarningParserNotConfirmed}, map[string]string{
				dossier.WarningNeverMatches:       "the conditions exclude each other",
				dossier.WarningUndone:             "another rule that can match too undoes an action",
				dossier.WarningCycle:              "document types whose rules can set each other off",
				dossier.WarningShared:             "the document type belongs to another company: its rules are not applied here",
				dossier.WarningParserNotConfirmed: "the document type belongs to another company, and its documents are not sent to its parser service before its host is confirmed"}),
	}
	maps.Copy(schemas, ruleTestSchemas())
	return schemas
}

// documentTypeExamples creates the work permit, with rules, and the tachograph card that they add.
func documentTypeExamples(s *session) {
	const path = "/documentTypes"
	s.record("POST "+path, path,
		`{"name":"Tachograph card","check":{"parser":"none","decision":"manual"}}`, "dty2", "basic")
	s.resource(path, "dty", workPermit,
		`{"description":"The permit of a professional driver.","check":{"decision":"manual"}}`)
	s.record("POST "+path+"/{id}/submission/simulate", path+"/$dty/submission/simulate",
		`{"parsed":{"permit":{"number":"NL-204","class":"CE"}}}`, "")
	s.record("POST "+path+"/{id}/submission/simulate", path+"/$dty/submission/simulate",
		`{"over":{"from":"2026-01-01T00:00:00Z","to":"2026-12-31T23:59:59Z","limit":100},
		"submission":{"rules":[{"conditionsType":"and","conditions":[],
		"actions":[{"type":"addDocumentType","value":"$dty2"}]}]}}`, "", "history")
	s.record("POST "+path+"/{id}/submission/simulate", path+"/$dty/submission/simulate",
		`{"tests":true,"submission":{"rules":[{"conditionsType":"and","conditions":[],
		"actions":[{"type":"addDocumentType","value":"$dty2"}]}],"tests":[
		{"name":"Everybody","expect":{"rules":[{"position":1,"matched":true}]}},
		{"name":"Nobody","expect":{"changes":[]}}]}}`, "", "tests")
	s.ids["shared"] = s.sharedType(s.t)
	s.record("POST "+path+"/{id}/parser/confirm", path+"/$shared/parser/confirm",
		`{"host":"parser.example.com"}`, "")
	ruleVersionExamples(s)
}

const workPermit = `{"name":"Work permit","requiredParts":["front"],"check":{"parser":"pdf","decision":"automatic","required":["permit.number","permit.class"],
 "expiryReference":"permit.expires","fields":[{"reference":"permit.number","label":"Permit number","type":"text"},{"reference":"permit.class","label":"Class","type":"text"},
 {"reference":"permit.expires","label":"Valid until","type":"date"}]},"writeBack":[{"from":"permit.number","to":"cf_permitNumber"}],
 "submission":{"rules":[{"conditionsType":"and","conditions":[{"type":"fields","reference":"permit.class","operator":"contains","value":["C","CE"]},
 {"type":"context","reference":"cf_permitNumber","operator":"isNotEmpty"}],
 "actions":[{"type":"addDocumentType","value":"$dty2","metadata":{"note":"professional driver"}},{"type":"sendNotification","value":"$scn"}]}]}}`

func replaceableSchema() *spec.Schema {
	return enum("Who may replace a validated document.", dossier.Replaceables, map[string]string{
		dossier.ReplaceableCandidate:     "the candidate and the company",
		dossier.ReplaceableAdministrator: "the company: its administrators and integration keys",
		dossier.ReplaceableNever:         "nobody, until it expires or is rejected",
	})
}
