package httpapi

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
	"github.com/dossierhq/dossier/pkg/store"
)

var _ = describe(candidatesDescribed)

func candidatesDescribed() description {
	d := description{
		tag: "candidates", after: "registrationPages",
		text:       "People whose dossiers are kept: their fields, status, forms, tokens and events.",
		operations: candidateOperations(), types: candidateTypes(), named: candidateSchemas(),
		examples: func(s *session) { candidateExamples(s); afterExamples(s) },
	}
	maps.Copy(d.operations, afterOperations())
	maps.Copy(d.named, afterSchemas())
	d.types = append(d.types, afterTypes()...)
	d.filter("GET /candidates", "status[]",
		says("Candidates with any of these statuses.").Each(is("CandidateStatus")).Count(0,
			maxFilterValues).Example([]any{"collecting"}))
	d.filter("GET /candidates", "externalId",
		says("The candidate with this external id.").Length(1, maxFilterValue).Example("A-1815"))
	d.filter("GET /candidates", "search", says(
		"Candidates whose first name, last name, both in either order, e-mail or external id begins with this text; case and accents do not count. Can be combined with "+
			"`filter[status][]` only. A page may hold fewer candidates than its size, even none, while a `Link` header names a next one.").Length(
		dossier.MinSearch, maxFilterValue).Example("ada lo"))
	d.filter("GET /candidates/{id}/events", "sort", says(
		"The order: by `sequence`, the first event first unless said; `-` reverses it.").Pattern(
		"^-?createdAt$").Example("-createdAt"))
	d.filter("GET /candidates", "missing", says(
		"Candidates who are asked for the document type with this id, required or not, and have yet to bring it: it is `requested`, `uploaded`, `needsResubmission`, "+
			"`rejected`, `checkFailed` or `expired`. Can be combined with `filter[status][]` only. A page may hold fewer candidates than its size, even none, while a "+
			"`Link` header names a next one. What an earlier version stored is found after a task that the first such list opens.").Length(1,
		maxFilterValue).Example("$dty"))
	d.filter("GET /candidates", "sort", says(
		"The order: by when they were created, oldest first unless said, or by last name and then first name; `-` reverses it. By name is not possible with "+
			"`filter[status][]`.").Pattern("^-?(createdAt|name)$").Example(
		"name"))
	return d
}

var externalTaken = fail(dossier.CodeConflict, "Another candidate has the external id.")

func candidateOperations() map[string]operation {
	transition := fails(fail(dossier.CodeTransition, ""))
	return map[string]operation{
		"GET /candidates": {id: "listCandidates", summary: "List candidates", out: "[]Candidate"},
		"POST /candidates": {id: "createCandidate", summary: "Create a candidate",
			in: "CandidateCreate", out: "Candidate", versioned: true,
			text:  "Asks for the document types and forms and applies the preset in the same transaction.",
			fails: fails(externalTaken, limitReached)},
		"POST /candidates/import": {id: "importCandidate",
			summary: "Import a candidate by its external id or id", in: "CandidateImportRequest",
			out: "CandidateImport", text: importText, fails: fails(externalTaken, limitReached)},
		"GET /candidates/{id}": {id: "getCandidate", summary: "Get a candidate", out: "Candidate",
			versioned: true},
		"PATCH /candidates/{id}": {id: "updateCandidate", summary: "Update a candidate",
			text: mergePatch, in: "CandidatePatch", out: "Candidate", versioned: true,
			fails: fails(externalTaken)},
		"DELETE /candidates/{id}": {id: "eraseCandidate", summary: "Erase a candidate",
			text: "Erases all personal data of the candidate, the uploaded files included. A record without personal data stays for audits; nothing of the candidate can be read any more."},
		"POST /candidates/{id}/reject": {id: "rejectCandidate", summary: "Reject a candidate",
			in: "RejectCandidateRequest", out: "Candidate", versioned: true,
			text: "The status is `rejected` until the candidate is reopened.", fails: transition},
		"POST /candidates/{id}/reopen": {id: "reopenCandidate",
			summary: "Reopen a rejected candidate", out: "Candidate", versioned: true,
			text: "The status follows from the dossier again.", fails: transition},
		"POST /candidates/{id}/passVerification": {id: "reportPassVerification",
			summary: "Report the outcome for the candidate's pass", in: "PassVerificationRequest",
			out: "Candidate", versioned: true,
			text: "For an outside verifier. `verified` and `failed` are events."},
		"POST /candidates/{id}/tokens": {id: "createCandidateToken",
			summary: "Create a token for a candidate", in: "CandidateTokenCreate",
			out:  "CandidateToken",
			text: "The token opens the candidate's own dossier only, for at most 24 hours.",
			fails: fails(fail(dossier.CodeLimitReached,
				fmt.Sprintf("The candidate has %d valid tokens.", dossier.MaxTokens)))},
		"GET /candidates/{id}/tokens": {id: "listCandidateTokens",
			summary: "List the valid tokens of a candidate", out: "[]CandidateToken",
			text: "At most 20, the oldest first, without their secrets."},
		"DELETE /candidates/{id}/tokens/{tokenId}": {id: "deleteCandidateToken",
			summary: "Revoke a token of a candidate",
			text:    "It ends at once in the process that revokes it, within ten seconds elsewhere."},
		"GET /candidates/{id}/events": {id: "listCandidateEvents",
			summary: "List the events of a candidate", text: "In the order of `sequence`.",
			out: "[]Event"},
		"GET /candidates/{id}/forms/{formId}": {id: "getCandidateForm",
			summary: "Get a form of a candidate", out: "CandidateFormDetail",
			text: "With the questions as they are now. A candidate's token reads those of the forms that the candidate is asked to fill in."},
		"POST /candidates/{id}/forms/{formId}": {id: "submitForm",
			summary: "Submit a form of a candidate", in: "FormAnswers", out: "Candidate",
			versioned: true,
			fails:     transition},
	}
}

const importText = "For candidates, and documents they already have, from other records. Creates the candidate with the external id, or brings the one who has it up to date: what is left out stays. " +
	"With a `candidateId`, it is this candidate who is brought up to date, and who gets the external id if there is one; nobody is created. `externalId` or `candidateId` has to be there. " +
	"Each document is recorded as validated, or as expired if its date has passed, with its values and without a file; it needs the scope `documents:write` too. Its values are " +
	"written back, except onto fields that the request gives. Rules don't run: they would send messages and ask for documents because of old records. Instead of an event for each " +
	"document there is one, `candidateImported`; the status of a candidate who was there already changes with its usual events. A file that was uploaded stays the newest version " +
	"(`kept`). The same import again changes nothing (`unchanged`)."

// candidateFields describes the fields of a candidate in answers and in requests.
func candidateFields() spec.Fields {
	return spec.Fields{
		"externalId": says("Your own id of the candidate, unique in the company.").Length(1,
			dossier.MaxName).Plain(),
		"firstName": says("First name.").Length(1, dossier.MaxName),
		"lastName":  says("Last name.").Length(1, dossier.MaxName),
		"email":     says("E-mail address.").Length(1, dossier.MaxName).Format("email"),
		"phone":     says("Telephone number.").Length(1, dossier.MaxName),
		"birthDate": is("Date"),
		"nationality": says("Country code of ISO 3166-1: two or three capital letters.").Length(1,
			0).Pattern(`^[A-Z]{2,3}$`),
		"language": says("Language tag of BCP 47.").Length(1, 35).Pattern(
			`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`),
		"status":           is("CandidateStatus"),
		"statusReason":     says("Why an administrator rejected the candidate."),
		"passVerification": spec.Field{},
		"forms":            says("The forms that the candidate is asked to fill in."),
		"presetIds":        says("Ids of the presets that were applied so far."),
		"updatedAt":        says("When the dossier last changed."),
		"documentTypeIds":  says("Ids of the document types to ask for: with those of the preset at most 45.").Count(0, 45),
	}
}

func candidateTypes() []spec.Type {
	fields := candidateFields()
	list := [][]spec.Type{
		spec.Output("Candidate", "candidate", "A person whose dossier is kept.",
			dossier.Candidate{}, fields),
		spec.Input("CandidateCreate", "The candidate to create.", dossier.NewCandidateInput{},
			fields),
		spec.Input("CandidateRegister", "What a candidate says about itself when it registers.",
			dossier.CandidateInput{}, fields),
		{{Name: "CandidatePatch", Of: dossier.CandidateInput{}, Mode: spec.Change, Fields: fields,
			Text: "What to change of the candidate (JSON Merge Patch, RFC 7396): absent keeps, `null` clears."}},
		spec.Output("PassVerification", "", "The outcome for the candidate's pass.",
			dossier.PassVerification{}, spec.Fields{
				"status": is("PassStatus"),
				"at":     says("When it was reported."),
				"reason": says("Why."),
			}),
		spec.Input("PassVerificationRequest", "The outcome that an outside verifier reports.",
			passInput{}, spec.Fields{
				"status": is("PassStatus"),
				"reason": says("Why.").Length(0, dossier.MaxName),
			}),
		spec.Input("CandidateTokenCreate", "The token to create.", tokenInput{}, spec.Fields{
			"expiresIn": says("How long it is valid, in seconds.").Between(dossier.MinTokenSeconds,
				dossier.MaxTokenSeconds).Default(dossier.MaxTokenSeconds),
		}),
		spec.Output("CandidateToken", "token",
			"A token that opens the candidate's own dossier and nothing else.", store.Token{},
			spec.Fields{
				"token": says(
					"Sent as `Authorization: Bearer …`. It is shown once: the answer to a repeated request leaves it out."),
				"expiresAt": says("When it expires, at most 24 hours after it was made."),
				"createdBy": says("Who made it. Tokens of earlier versions don't tell."),
			}),
		spec.Input("RejectCandidateRequest", "Why the candidate is rejected.", reasonInput{},
			spec.Fields{
				"reason": says("The reason, for people.").Length(1, dossier.MaxName),
			}),
	}
	return slices.Concat(append(list, importTypes(fields), candidateFormTypes())...)
}

// importTypes describes an import. fields are those of a candidate.
func importTypes(fields spec.Fields) []spec.Type {
	request := spec.Fields{}
	for _, key := range dossier.TextKeys {
		request[key] = fields[key]
	}
	request["externalId"] = fields["externalId"]
	request["candidateId"] = says("Id of a candidate who is there, for one without an external id.")
	request["documents"] = says(
		"Documents that the company has validated before, elsewhere.").Count(
		0, dossier.MaxImported)
	request["dryRun"] = says("Only validate, and answer what the import would do.")
	return slices.Concat(
		spec.Input("CandidateImportRequest", "A candidate from other records.",
			dossier.CandidateImportInput{}, request),
		spec.Input("ImportedDocumentRequest", "A document without a file.",
			dossier.ImportedDocumentInput{}, spec.Fields{
				"documentTypeId": says("Id of the document type.").Needed(),
				"parsed":         says("Its values, nested by the dots of the references."),
			}),
		spec.Output("CandidateImport", "", "What an import did, or would do.",
			dossier.CandidateImport{}, spec.Fields{
				"result": is("ImportResult"),
				"candidateId": says(
					"Id of the candidate; left out by a dry run that would create it."),
				"status":    is("CandidateStatus"),
				"documents": says("What became of each document, in the order of the request."),
			}),
		spec.Output("ImportedDocument", "", "What an import did with a document.",
			dossier.ImportedDocument{}, spec.Fields{
				"result": is("ImportedDocumentResult"),
			}),
	)
}

func candidateFormTypes() []spec.Type {
	return slices.Concat(
		spec.Output("CandidateForm", "form", "A form that the candidate is asked to fill in.",
			dossier.CandidateForm{}, spec.Fields{
				"name":  says("Name of the form when it was asked for."),
				"state": is("CandidateFormState"),
				"answers": says("Answers by reference of the form's fields.").Each(
					is("FieldValue")),
			}),
		spec.Output("CandidateFormDetail", "",
			"A form that the candidate is asked to fill in, with its questions.",
			dossier.CandidateFormDetail{}, spec.Fields{
				"name":  says("Name of the form when it was asked for."),
				"state": is("CandidateFormState"),
				"answers": says("Answers by reference of the form's fields.").Each(
					is("FieldValue")),
				"fields": says("The questions; none where the form was deleted."),
			}),
		spec.Input("FormAnswers", "The answers to a form.", answersInput{}, spec.Fields{
			"answers": says("Answers by reference of the form's fields.").Count(0,
				dossier.MaxCustomFields).Each(is("FieldValue")).Needed(),
		}),
	)
}

func candidateSchemas() map[string]*spec.Schema {
	values := func(value *spec.Schema, text string) *spec.Schema {
		return &spec.Schema{Type: "object", Description: text,
			MaxProperties:        dossier.MaxCustomFields,
			PropertyNames:        &spec.Schema{MaxLength: dossier.MaxReference},
			AdditionalProperties: value}
	}
	return map[string]*spec.Schema{
		"CandidateStatus": enum(
			"The status of a candidate follows from the dossier. A candidate of whom nothing is required is `collecting` until something is validated.",
			dossier.Statuses, map[string]string{
				dossier.StatusCollecting: "something that is required is missing, or a form is open",
				dossier.StatusInReview:   "everything is there, and something is being checked or waits for an administrator",
				dossier.StatusApproved:   "everything that is required is validated",
				dossier.StatusRejected:   "an administrator rejected the candidate",
			}),
		"CandidateFormState": enum("Whether the form was submitted.",
			[]string{dossier.FormOpen, dossier.FormSubmitted}, nil),
		"ImportResult": enum("What an import did.", dossier.ImportResults, map[string]string{
			dossier.ImportCreated:   "a new candidate",
			dossier.ImportUpdated:   "the candidate has new values or documents",
			dossier.ImportUnchanged: "everything was there already",
		}),
		"ImportedDocumentResult": enum("What an import did with a document.",
			dossier.ImportedDocumentResults, map[string]string{
				dossier.ImportRecorded:  "it is the newest version now",
				dossier.ImportUnchanged: "the same values were imported before",
				dossier.ImportKept:      "a file was uploaded, and stays the newest version",
			}),
		"PassStatus": enum("The outcome for the candidate's pass.", dossier.PassStatuses,
			nil),
		"CustomFieldValues": values(spec.RefTo("FieldValue"),
			"Values of custom fields by reference."),
		"CustomFieldValuesPatch": values(
			&spec.Schema{AnyOf: []*spec.Schema{spec.RefTo("FieldValue"), {Type: "null"}}},
			"Values of custom fields by reference. `null` removes one; those that are not named stay."),
	}
}

// candidateExamples goes on with the candidate who registered.
func candidateExamples(s *session) {
	s.record("POST /candidates", "/candidates", `{"firstName":"Katherine","lastName":"Johnson"}`,
		"", "basic")
	s.record("POST /candidates", "/candidates",
		`{"externalId":"A-1815","firstName":"Grace","lastName":"Hopper","email":"grace@example.com","birthDate":"1990-12-09",`+
			`"customFields":{"permitNumber":"NL-311"},"documentTypeIds":["$dty2"],"presetId":"$pre"}`,
		"cnd2")
	s.record("POST /candidates/import", "/candidates/import",
		`{"externalId":"A-1820","firstName":"Mary","lastName":"Jackson","documents":[{"documentTypeId":"$dty2"}]}`,
		"")
	s.record("PATCH /candidates/{id}", "/candidates/$cnd",
		`{"phone":"+31 20 555 0123","nationality":null}`, "")
	s.record("GET /candidates/{id}/forms/{formId}", "/candidates/$cnd/forms/$frm", "", "")
	s.record("POST /candidates/{id}/forms/{formId}", "/candidates/$cnd/forms/$frm",
		`{"answers":{"hasPermit":true}}`, "")
	s.record("POST /candidates/{id}/passVerification", "/candidates/$cnd/passVerification",
		`{"status":"verified"}`, "")
	s.record("GET /candidates/{id}", "/candidates/$cnd", "", "")
	s.record("GET /candidates", "/candidates?filter[status][]=collecting", "", "")
	s.record("GET /candidates/{id}/events", "/candidates/$cnd/events", "", "")
	s.record("POST /candidates/{id}/tokens", "/candidates/$cnd/tokens", `{"expiresIn":3600}`, "tok")
	s.record("GET /candidates/{id}/tokens", "/candidates/$cnd/tokens", "", "")
	s.record("DELETE /candidates/{id}/tokens/{tokenId}", "/candidates/$cnd/tokens/$tok", "", "")
	s.record("POST /candidates/{id}/reject", "/candidates/$cnd2/reject",
		`{"reason":"The place is taken."}`, "")
	s.record("POST /candidates/{id}/reopen", "/candidates/$cnd2/reopen", "", "")
}

var _ = describe(messagesDescribed)

func messagesDescribed() description {
	const path = "/candidates/{candidateId}/messages"
	d := description{
		tag: "messages", after: "candidates",
		text: "What administrators, the candidate and the service write to each other.",
		operations: map[string]operation{
			"GET " + path + "/{messageId}": {id: "getMessage", summary: "Get a message",
				out: "Message", text: "It is not marked as read."},
			"GET /candidates/{candidateId}/unread": {id: "countUnread",
				summary: "Count the unread messages of a candidate", out: "Unread",
				text: "With a key, what the candidate wrote and no administrator has read. With a token, what others wrote and the candidate has not read."},
			"GET /messages/unread": {id: "listUnreadMessages",
				summary: "List the unread messages of all candidates", out: "[]Message",
				text: "What candidates wrote and no administrator has read, the oldest first. What an earlier version stored is not in it."},
			"GET " + path: {id: "listMessages", summary: "List the messages of a candidate",
				out:  "[]Message",
				text: "All of them, unless `page[size]` is given. On AWS the list ends after 2,000 messages or 3 MB, and `Link` says where it goes on."},
			"POST " + path: {id: "sendMessage", summary: "Send a message to a candidate",
				in: "MessageCreate", out: "Message",
				text: "With a candidate's token it is the candidate's answer.",
				fails: fails(fail(dossier.CodeLimitReached,
					fmt.Sprintf("The candidate has %d messages.", dossier.MaxMessages)))},
			"POST " + path + "/{messageId}/read": {id: "readMessage",
				summary: "Mark a message as read", out: "Message",
				text: "The side that calls has read it: an administrator, or with a token the candidate. Doing it again changes nothing: the time of the first reading stays."},
			"DELETE " + path + "/{messageId}": {id: "deleteMessage",
				summary: "Delete a message of your own that nobody has read",
				text:    "For the administrator who wrote it.",
				fails: fails(fail(dossier.CodeNotMessageAuthor, ""),
					fail(dossier.CodeMessageRead, ""))},
		},
		types: messageTypes(),
		named: messageSchemas(),
		examples: func(s *session) {
			s.record("POST "+path, "/candidates/$cnd/messages",
				`{"text":"Welcome, Ada. Please upload your work permit."}`, "msg")
			s.quiet("POST "+path, "/candidates/$cnd/messages", `{"text":"This one was a mistake."}`,
				"msg2")
			s.record("DELETE "+path+"/{messageId}", "/candidates/$cnd/messages/$msg2", "", "")
			s.as("$cnd", func() {
				s.record("POST "+path+"/{messageId}/read", "/candidates/$cnd/messages/$msg/read",
					"", "")
			})
			s.record("GET "+path, "/candidates/$cnd/messages", "", "")
			s.record("GET "+path+"/{messageId}", "/candidates/$cnd/messages/$msg", "", "")
			s.record("GET /candidates/{candidateId}/unread", "/candidates/$cnd/unread", "", "")
			s.record("GET /messages/unread", "/messages/unread", "", "")
		},
	}
	d.filter("GET "+path, "sort", says(
		"The order: by when they were sent, oldest first unless said; `-` reverses it.").Pattern(
		"^-?createdAt$").Example("-createdAt"))
	return d
}

func messageSchemas() map[string]*spec.Schema {
	return map[string]*spec.Schema{
		"MessageState": enum(
			"Whether one of the two sides, the administrators or the candidate, has marked the message as read.",
			[]string{dossier.MessageUnread, dossier.MessageRead}, nil),
		"AuthorType": enum("Who wrote a message.",
			[]string{dossier.KindAdministrator, dossier.KindCandidate, dossier.AuthorSystem},
			map[string]string{
				dossier.KindAdministrator: "a key",
				dossier.KindCandidate:     "a candidate's token",
				dossier.AuthorSystem:      "a rule or scenario"}),
	}
}

func messageTypes() []spec.Type {
	return slices.Concat(
		spec.Output("Message", "message", "A message in a candidate's dossier.", dossier.Message{},
			spec.Fields{
				"text":                  says("The text."),
				"subject":               says("The subject of a notification."),
				"author":                says("Who wrote it."),
				"state":                 is("MessageState"),
				"readByCandidateAt":     says("When the candidate first read it."),
				"readByAdministratorAt": says("When an administrator first read it."),
				"createdAt":             says("When it was sent."),
			}),
		spec.Output("Unread", "", "What the caller's side has not read.", unread{},
			spec.Fields{"messages": says("How many messages.").AtLeast(0)}),
		spec.Output("Author", "author", "Who wrote a message.", dossier.Author{}, spec.Fields{
			"type": is("AuthorType"),
			"id":   says("Id of the author.").Plain(),
			"name": says("Name of the author."),
		}),
		spec.Input("MessageCreate", "The message to send.", messageInput{},
			spec.Fields{"text": says("The text.").Length(1, dossier.MaxText)}),
	)
}
