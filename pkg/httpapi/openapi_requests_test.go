package httpapi

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
	"github.com/dossierhq/dossier/pkg/store"
)

const (
	withheld   = "A candidate's token is not shown what the check read: `parsed` is empty."
	uploadText = "Sends up to 4 MiB of parts together in one request. Larger parts (25 MiB each, 20 at most) are announced with size and SHA-256, " +
		"sent through the presigned forms of the answer, and linked by a second POST with `commit`. PDF, JPEG, PNG and JSON, told by their content. " +
		"While an automatic check runs, the parts are frozen: 409 `NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING`. " +
		"A validated document stays in force until the newer one is validated: the answer shows the newer one as `replacement`. Who may replace it, `replaceable` of the document type says."
)

var _ = describe(requestsDescribed)

func requestsDescribed() description {
	d := description{
		tag: "candidateDocumentTypes", after: "messages",
		text:       "Document types that candidates are asked for: uploads, checks, decisions and rule runs.",
		operations: requestOperations(),
		types: slices.Concat(requestTypes(), versionTypes(), readingTypes(), reviewTypes(),
			uploadTypes(),
			ruleRunTypes(), ruleResultTypes()),
		named: requestSchemas(), examples: requestExamples,
	}
	maps.Copy(d.operations, requestChangeOperations())
	d.filter("GET /candidateDocumentTypes", "candidateId",
		says("Those of this candidate. A candidate's token has to name its own.").Length(1,
			maxFilterValue).Example("$cnd"))
	d.filter("GET /candidateDocumentTypes", "state[]",
		says("Those in any of these states, or with a `replacement` that is.").Each(is("DocumentState")).Count(0,
			maxFilterValues).Example([]any{"inReview"}))
	const list = "GET /candidateDocumentTypes"
	describeTypeLists(&d)
	d.filter(list, "dueBefore", says(
		"Of the company, what the candidate has to do before this moment: in the states `requested`, `uploaded` and `needsResubmission`, or those of them "+
			"that `filter[state][]` names.").Length(1, maxFilterValue).Example(
		"2026-11-21T10:00:00.000Z"))
	d.filter(list, "expiresBefore",
		says("Of the company, validated documents that expire before this day.").Length(1,
			maxFilterValue).Example("2026-12-21"))
	d.filter(list, "include", says("`candidate` adds the candidate's name to each.").Const(
		"candidate").Example("candidate"))
	return d
}

const byUrgency = "With `filter[state][]`, the most urgent first: what candidates have to do by when it is due, validated documents by when they expire, the rest by how long " +
	"they have been in their state. What an earlier version stored comes first, and no filter by a moment finds it, until it changes. "

func requestOperations() map[string]operation {
	const path = "/candidateDocumentTypes"
	transition := fails(fail(dossier.CodeTransition, ""))
	frozen := uploadFails()
	return map[string]operation{
		"GET " + path: {id: "listCandidateDocumentTypes", summary: "List candidate document types",
			text: byUrgency + withheld, out: "[]CandidateDocumentType"},
		"POST " + path: {id: "createCandidateDocumentType",
			summary: "Ask a candidate for a document type", in: "CandidateDocumentTypeCreate",
			out: "CandidateDocumentType", text: "One that was removed is asked for again.",
			fails: fails(fail(dossier.CodeAlreadyRequested, ""), limitReached)},
		"GET " + path + "/{id}": {id: "getCandidateDocumentType",
			summary: "Get a candidate document type", text: withheld,
			out: "CandidateDocumentType", versioned: true},
		"POST " + path + "/{candidateDocumentTypeId}/upload": {id: "uploadDocument",
			summary: "Upload a document", in: "UploadRequest", out: "UploadAnswer",
			text: uploadText, fails: frozen},
		"POST /containers/{candidateDocumentTypeId}/upload": {id: "uploadDocumentToContainer",
			summary: "Upload a document to a container", in: "UploadRequest", out: "UploadAnswer",
			text: "The same as `POST /candidateDocumentTypes/{candidateDocumentTypeId}/upload`. " +
				uploadText, fails: frozen},
		"POST " + path + "/{id}/validate": {id: "validateDocument",
			summary: "Validate the newest document", in: "ValidationInput",
			out: "CandidateDocumentType",
			fails: fails(fail(dossier.CodeTransition,
				"The state does not allow it. If somebody decided first, `decision` says who.")),
			text: "Possible in `inReview`, `checkFailed` and `rejected`. `parsed` has the values that the reviewer enters or corrects: only those that the check of the document type " +
				"knows, each of its type. They are written back and read by the rules, and `corrections` of the document keeps what was read before. With the parser `none`, " +
				"what the check requires has to be there then. Before the answer, values are written back, the rules run and the candidate's status is calculated. If they cannot run at once, and for a second " +
				"request with the same `Idempotency-Key` meanwhile, the answer is still `processing`, and they run a moment later."},
		"POST " + path + "/{id}/reject": {id: "rejectDocument",
			summary: "Reject a document", in: "RejectDocumentRequest",
			text: "Rejects the newest document, unless `documentId` names the one in force. A validated document stays in force when a newer one is rejected. When it is rejected " +
				"itself, with or without `resubmit`, it is in force no more.",
			out: "CandidateDocumentType", fails: transition},
		"GET " + path + "/{id}/documents": {id: "listDocuments",
			summary: "List the versions of the document", text: "The newest first. " + withheld,
			out: "[]Document"},
		"GET " + path + "/{id}/documents/{documentId}/parts/{name}": {id: "getPartLink",
			summary: "Get a short-lived link to a part", out: "PartLink",
			text: "The link works for five minutes, without a key."},
		"GET " + path + "/{id}/ruleRuns": {id: "listRuleRuns", summary: "List the rule runs",
			text: "The newest first.", out: "[]RuleRun"},
		"POST " + path + "/{id}/ruleRuns/{runId}/keepAsTest": {id: "keepRuleRunAsTest",
			summary: "Keep a rule run as a test of the rules", in: "KeepAsTestRequest",
			out: "DocumentType", versioned: true, text: keepAsTestText,
			fails: fails(fail(dossier.CodeTransition,
				"The run cannot be repeated: what its rules could read was not kept, or they did not run."))},
	}
}

// uploadFails are the conflicts of an upload.
func uploadFails() []spec.OperationFailure {
	return fails(fail(dossier.CodeLocked, ""), fail(dossier.CodeRemoved, ""),
		fail(dossier.CodeNotReplaceable, ""),
		fail(dossier.CodeUploadIncomplete, ""),
		fail(dossier.CodeLimitReached,
			fmt.Sprintf(
				"It has %d versions or %d announced uploads, or the files of the candidate have %d bytes.",
				dossier.MaxVersions, dossier.MaxAnnounced, int64(dossier.MaxStoredBytes))))
}

func requestTypes() []spec.Type {
	fields := spec.Fields{
		"candidateId":    says("Id of the candidate."),
		"documentTypeId": says("Id of the document type to ask for."),
		"documentType":   spec.Field{},
		"state":          is("DocumentState"),
		"required":       says("Whether the candidate's status depends on it.").Default(true),
		"dueAt":          says("Until when it is asked for. When that has passed and it is the candidate's turn, `candidateDocumentOverdue` is emitted, once for each value."),
		"expiresAt": says(
			"The last day on which the validated document is valid. Left out if it does not expire.").Format(
			"date"),
		"candidate": says(
			"The candidate, in a list with `include=candidate`. Left out elsewhere."),
		"missingParts": says("Names of the required parts that the candidate has yet to upload. " +
			"None once the document is complete, until it has to be uploaded again."),
		"lock":     says("Set exactly while a document is being checked: `state`, or that of `replacement`, is `processing` then."),
		"document": says("The newest document. While a `replacement` is there, the validated one, which stays in force."),
		"replacement": says("The newest document, where a validated one stays in force until this one is validated too. Until then `state`, `expiresAt`, `document` and the " +
			"candidate's status are those of the validated document. Left out otherwise."),
		"createdAt": says("When it was asked for."),
		"updatedAt": says("When it last changed."),
	}
	return slices.Concat(
		spec.Output("CandidateDocumentType", "candidate document type",
			"A document type that one candidate is asked for.", dossier.CandidateDocumentType{},
			fields),
		spec.Input("CandidateDocumentTypeCreate",
			"The document type to ask for, and the candidate to ask.",
			dossier.CandidateDocumentTypeInput{}, fields),
		requestChangeType(fields),
		spec.Output("Replacement", "",
			"A newer document beside a validated one that stays in force.", dossier.Replacement{},
			spec.Fields{
				"documentId": says("Id of the newer document."),
				"state":      is("DocumentState"),
				"since":      says("When it came into this state."),
				"document":   says("The newer document."),
			}),
		spec.Output("CandidateName", "candidate", "Names a candidate in a list of something else.",
			dossier.CandidateName{}, spec.Fields{
				"firstName": says("First name."), "lastName": says("Last name."),
				"externalId": says("The company's own id."),
			}),
		spec.Output("Lock", "",
			"Since when the parts are frozen, and when they stop being frozen if the check does not end by itself.", dossier.Lock{}, spec.Fields{
				"startedAt": says("When the check began."),
				"expiresAt": says("When its lease ends."),
			}),
	)
}

// versionTypes describes the versions of a document and their files.
func versionTypes() []spec.Type {
	return slices.Concat(
		spec.Output("Document", "document",
			"One upload to a candidate document type, and what the check made of it.",
			dossier.Document{}, spec.Fields{
				"version": says("Counts the uploads to the candidate document type.").AtLeast(1),
				"state":   is("DocumentState"),
				"parts":   says("Its files."),
				"parsed": says(
					"What the check read, with what reviewers corrected, nested by the dots of the references."),
				"confidence": says("How sure the parser is.").Between(0, 1),
				"readings": says(
					"What the parsers `pdf` and `mrz` read, value by value, and where it stood. Corrections leave it as it is. Left out if there is nothing, and for candidates."),
				"reasons":   says("Why it did not pass."),
				"checkedAt": says("When the check ended."),
				"createdAt": says("When it was uploaded."),
				"corrections": says(
					"Values that reviewers entered, changed or took away. Left out if there are none, and for candidates."),
				"decidedBy": says(
					"Who last validated or rejected it. Left out if the check decided, and for candidates."),
				"decidedAt": says("When they did."),
				"comment": says(
					"What the person who validated it says to colleagues. Left out for candidates."),
			}),
		spec.Output("Part", "part", "One file of a document.", dossier.Part{}, spec.Fields{
			"fileName":    says("Name of the file as it was uploaded."),
			"contentType": is("PartContentType"),
			"size":        says("Bytes.").AtLeast(0),
			"sha256":      says("SHA-256 of the bytes, in lower-case hexadecimal."),
		}),
		spec.Shared("Reason", "", "Why a document did not pass.", dossier.Reason{}, spec.Fields{
			"code": says(
				"`UNREADABLE_PART`, `NO_TEXT_IN_PART`, `LOW_CONFIDENCE`, `MISSING_VALUE`, `MISSING_PART`, `CHECK_DIGIT_FAILED`, `NO_MRZ_FOUND`, `DOCUMENT_EXPIRED`, `INVALID_DATE`, " +
					"`INVALID_NUMBER`, `CHECK_UNAVAILABLE`, `CHECK_CAUSE` (why, not shown to candidates), `REJECTED_BY_REVIEWER`, or a word of your own parser service.").Needed(),
			"reference": says("The parser reference or the part that it is about."),
			"message":   says("What is wrong, for a person.").Needed(),
		}),
		spec.Output("PartLink", "", "A short-lived link to the bytes of a part.", partLink{},
			spec.Fields{
				"url":       says("Where the bytes are, without a key.").Format("uri"),
				"expiresAt": says("Until when the link works."),
			}),
	)
}

// reviewTypes describes what reviewers send, and what is kept of it.
func reviewTypes() []spec.Type {
	return slices.Concat(
		spec.Output("Correction", "", "A value that a reviewer entered, changed or took away.",
			dossier.Correction{}, spec.Fields{
				"reference": says("Where the value stands in `parsed`, dotted."),
				"read":      says("What the check read. Left out if it read nothing."),
				"value":     says("The value now. Left out if it was taken away."),
				"changedBy": says("Who changed it."),
				"changedAt": says("When it was changed."),
			}),
		spec.Output("Decision", "", "Who decided on a document, and how.", dossier.Decision{},
			spec.Fields{
				"state":     is("DocumentState"),
				"decidedBy": says("Who decided."),
				"decidedAt": says("When they did."),
			}),
		spec.Output("Actor", "", "Who did something.", dossier.Actor{}, spec.Fields{
			"kind": is("ActorKind"),
			"id":   says("Id of the key or of the candidate, or the subject of a JWT.").Plain(),
			"name": says("Name of the key or of the person. Left out for a candidate."),
		}),
		spec.Input("ValidationInput",
			"The values that the reviewer enters or corrects, and a comment.",
			dossier.ValidationInput{}, spec.Fields{
				"parsed": says(
					"Values that are entered or corrected, nested by the dots of the references. `null` takes a value away; what is absent stays."),
				"comment": says("For colleagues. Candidates are not shown it.").Length(0,
					dossier.MaxText),
			}),
		spec.Input("RejectDocumentRequest", "Why, and whether the candidate is to try again.",
			rejectInput{}, spec.Fields{
				"reason":     says("Why the document is rejected.").Length(1, dossier.MaxName),
				"resubmit":   says("The candidate has to upload it again: the state is `needsResubmission` instead of `rejected`.").Default(false),
				"documentId": says("Id of the document to reject: the newest, which is the default, or the one in force. Another one is refused with 409 `INVALID_TRANSITION`."),
			}),
	)
}

func uploadTypes() []spec.Type {
	part := spec.Fields{
		"name": says("Name of the part, such as `front`, `back` or `page-2`, unique in the document.").Length(1, maxPartName).
			Pattern(`^[A-Za-z0-9][A-Za-z0-9_-]*$`),
		"fileName":    says("Name of the file.").Length(0, dossier.MaxName),
		"contentType": is("PartContentType"),
		"content":     says("The bytes, in base64.").Length(1, 0).Needed(),
		"size":        says("Bytes.").Between(1, dossier.MaxPartSize).Needed(),
		"sha256": says("SHA-256 of the bytes, in lower-case hexadecimal.").Pattern(
			`^[0-9a-f]{64}$`).Needed(),
	}
	parts := func(name string) spec.Fields {
		return spec.Fields{
			"parts": says("The parts of the document.").Count(1, dossier.MaxParts).Needed().Each(
				is(name)),
			"uploadId": says("The id from the answer that announced the parts.").Needed(),
			"commit":   says("Always `true`.").Const(true).Needed(),
		}
	}
	return slices.Concat(
		spec.Input("InlineUpload", "The parts with their bytes: at most 4 MiB together, decoded.",
			uploadInput{}, parts("InlinePart"), "parts"),
		spec.Input("LargeUpload",
			"The parts without their bytes. The answer has a presigned form for each; when all are sent, commit.", uploadInput{}, parts("AnnouncedPart"), "parts"),
		spec.Input("UploadCommit",
			"Links the parts of a large upload. Each must have been sent, with the size and SHA-256 that were announced.", uploadInput{}, parts("InlinePart"),
			"uploadId", "commit"),
		spec.Input("InlinePart", "A part with its bytes.", partInput{}, part, "name", "fileName",
			"contentType", "content"),
		spec.Input("AnnouncedPart", "A part whose bytes follow through a presigned form.",
			partInput{}, part, "name", "fileName", "contentType", "size", "sha256"),
		spec.Output("PendingUpload", "", "A large upload that waits for its bytes.",
			pendingUpload{}, spec.Fields{
				"uploadId":  says("Name it in the commit."),
				"expiresAt": says("Until when the forms work and the commit is possible."),
				"forms":     says("One form for each part."),
			}),
		spec.Output("PresignedForm", "part",
			"Where and how to send the bytes of one part: as a multipart form with these fields, then the file as the last field, named `file`.", partForm{}, spec.Fields{
				"url":    says("Where to send the form.").Format("uri"),
				"method": says("Always `POST`.").Const("POST"),
				"fields": says("Fields of the form, to be sent as they are."),
			}),
	)
}

func requestSchemas() map[string]*spec.Schema {
	return map[string]*spec.Schema{
		"DocumentState": enum("The state of a candidate document type, and of a document.",
			dossier.States, map[string]string{
				dossier.StateRequested:         "nothing was uploaded",
				dossier.StateUploaded:          "a required part is still missing",
				dossier.StateProcessing:        "it is being checked and its parts are frozen",
				dossier.StateInReview:          "it was checked and waits for an administrator",
				dossier.StateValidated:         "it was accepted, and its rules have run",
				dossier.StateNeedsResubmission: "the candidate has to upload it again",
				dossier.StateRejected:          "an administrator rejected it",
				dossier.StateCheckFailed:       "the check failed technically",
				dossier.StateExpired:           "its date of expiry has passed",
				dossier.StateRemoved:           "the candidate is not asked for it any more",
			}),
		"ActorKind": enum("What kind of principal it is.",
			[]string{dossier.KindAdministrator, dossier.KindIntegration, dossier.KindCandidate,
				dossier.AuthorSystem}, map[string]string{
				dossier.KindAdministrator: "a person with a key or a JWT",
				dossier.KindIntegration:   "an integration with a key",
				dossier.KindCandidate:     "the candidate, with a token",
				dossier.AuthorSystem:      "the service itself"}),
		"PartContentType": enum(
			"The content type of a part. The content decides what it is, not this.", contentTypes,
			nil),
		"UploadRequest": {Description: "An upload in one request, the announcement of a larger one, or its end. Parts with and without `content` do not mix.",
			OneOf: []*spec.Schema{spec.RefTo("InlineUpload"), spec.RefTo("LargeUpload"),
				spec.RefTo("UploadCommit")}},
		"UploadAnswer": {Description: "The candidate document type, or the pending upload after an announcement.",
			OneOf: []*spec.Schema{spec.RefTo("CandidateDocumentType"),
				spec.RefTo("PendingUpload")}},
		"NotAppliedReason": enum("Why the rules were not applied.",
			[]string{dossier.NotAppliedShared}, map[string]string{
				dossier.NotAppliedShared: "the document type belongs to another company of the group"}),
		"UnchangedReason": enum("Why an action changed nothing.",
			[]string{dossier.ReasonAlreadyRequested, dossier.ReasonNotRequested,
				dossier.ReasonNoSuchForm,
				dossier.ReasonAlreadyApplied, dossier.ReasonTargetDeleted,
				dossier.ReasonBeingChecked,
				dossier.ReasonLimitReached, dossier.ReasonShadow}, map[string]string{
				dossier.ReasonShadow:           "the rule is in shadow mode: a live one would have changed it",
				dossier.ReasonAlreadyRequested: "the candidate is asked for the document type already",
				dossier.ReasonNotRequested:     "the candidate is not asked for the document type",
				dossier.ReasonNoSuchForm:       "the candidate does not have the form",
				dossier.ReasonAlreadyApplied:   "an earlier action of the same run did it",
				dossier.ReasonTargetDeleted:    "the entity was deleted",
				dossier.ReasonBeingChecked:     "a check runs on the document",
				dossier.ReasonLimitReached:     "the candidate would have more than 100 document types, removed ones included, or more than 50 forms",
			}),
		"ReadValue": {Description: "A value as it was read, shortened if it is long."},
	}
}

// requestExamples goes on with the candidate who registered and is asked for the work permit.
func requestExamples(s *session) {
	const path, one = "/candidateDocumentTypes", "/candidateDocumentTypes/{id}"
	const upload = "/candidateDocumentTypes/{candidateDocumentTypeId}/upload"
	s.ids["cdt"], s.ids["other"] = "cdt_"+s.ids["cnd"][4:]+s.ids["dty"][4:],
		"cdt_"+s.ids["cnd"][4:]+s.ids["dty2"][4:]
	s.record("POST "+path, path,
		`{"candidateId":"$cnd","documentTypeId":"$dty2","dueAt":"2099-01-31T00:00:00Z","metadata":{"note":"professional driver"}}`, "")
	inline := `{"parts":[{"name":"front","fileName":"permit.pdf","contentType":"application/pdf","content":"JVBERi0xLjQKJSVFT0YK"}]}`
	s.record("POST "+upload, path+"/$cdt/upload", inline, "", "inline")
	s.record("GET "+one, path+"/$cdt", "", "", "processing")
	s.finishChecks(store.CheckResult{State: dossier.StateInReview, Confidence: 0.97,
		Parsed: map[string]any{
			"permit": map[string]any{"number": "NL-204", "class": "CE", "expires": "2031-05-01"}}})
	s.record("POST "+one+"/validate", path+"/$cdt/validate",
		`{"parsed":{"permit":{"number":"NL-205"}},"comment":"The last digit was read wrong."}`, "")
	s.record("GET "+one, path+"/$cdt", "", "", "validated")
	s.ids["run"] = s.record("GET "+one+"/ruleRuns", path+"/$cdt/ruleRuns", "", "")
	s.record("POST "+one+"/ruleRuns/{runId}/keepAsTest", path+"/$cdt/ruleRuns/$run/keepAsTest",
		`{"name":"Professional driver"}`, "")
	s.ids["doc"] = s.record("GET "+one+"/documents", path+"/$cdt/documents", "", "")
	s.record("GET "+one+"/documents/{documentId}/parts/{name}",
		path+"/$cdt/documents/$doc/parts/front", "", "")
	s.ids["upl"] = s.record("POST "+upload, path+"/$other/upload",
		`{"parts":[{"name":"front","fileName":"card.pdf","contentType":"application/pdf","size":15,`+
			`"sha256":"`+sumOf("%PDF-1.4\n%%EOF\n")+`"}]}`, "", "announce")
	s.send("%PDF-1.4\n%%EOF\n")
	s.record("POST "+upload, path+"/$other/upload", `{"uploadId":"$upl","commit":true}`, "",
		"commit")
	s.finishChecks(store.CheckResult{State: dossier.StateInReview})
	s.record("POST "+one+"/reject", path+"/$other/reject",
		`{"reason":"The photo is too dark.","resubmit":true}`, "")
	s.record("POST /containers/{candidateDocumentTypeId}/upload", "/containers/$other/upload",
		inline, "", "inline")
	s.finishChecks(store.CheckResult{State: dossier.StateCheckFailed})
	s.record("POST "+one+"/check", path+"/$other/check", "", "")
	s.finishChecks(store.CheckResult{State: dossier.StateInReview})
	s.record("GET "+path, path+"?filter[candidateId]=$cnd", "", "")
	s.record("PATCH "+one, path+"/$other", `{"required":false,"dueAt":"2099-02-28T00:00:00Z"}`, "")
	s.record("DELETE "+one, path+"/$other", "", "")
	s.record("DELETE /candidates/{id}", "/candidates/$cnd2", "", "")
}
