package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

// failureTexts has the usual meaning of each error code, for routes that state none of their own,
// and an example.
var failureTexts = []struct {
	code    dossier.Code
	text    string
	example dossier.Error
}{
	{dossier.CodeMalformed,
		"The body is not JSON or ambiguous, the query cannot be read, or the cursor belongs to another list.",
		dossier.Error{Detail: "The body is not valid JSON.",
			Fields: []dossier.FieldError{
				{Pointer: "/name", Code: "malformed", Message: "The JSON is invalid at byte 11."},
			}}},
	{dossier.CodeUnauthorized,
		"There is no key, or it is unknown, malformed, revoked or expired. The answer is the same for all of them.",
		dossier.Error{Detail: "A valid key is required: Authorization: Bearer …"}},
	{dossier.CodeForbidden, "The key lacks the scope.",
		dossier.Error{Detail: "This request requires a key with the scope settings:write."}},
	{dossier.CodeNotFound,
		"There is nothing with this id, or nothing at this address. What belongs to another company gets the same answer, to the byte but for the request id.", dossier.Error{}},
	{dossier.CodeMethodNotAllowed, "The address exists with other methods.",
		dossier.Error{Detail: "This address supports the methods GET, HEAD, OPTIONS, PATCH."}},
	{dossier.CodeTooLarge,
		"The body exceeds its limit, or what it creates is more than one record can hold.",
		dossier.Error{Detail: "The body has more than 1048576 bytes."}},
	{dossier.CodeMediaType, "The body is not JSON in UTF-8, or it is compressed.",
		dossier.Error{Detail: "The body must be application/json, in UTF-8 and not compressed."}},
	{dossier.CodeValidation,
		"Some fields or parameters cannot be accepted. Each is named in `errors`, an unknown one with the possible names or the nearest.",
		dossier.Error{Detail: "Some fields of the request are not valid.",
			Fields: []dossier.FieldError{
				{Pointer: "/nmae", Code: "unknown",
					Message: "There is no member \"nmae\" here. Did you mean \"name\"?"},
				{Pointer: "/name", Code: "required", Message: "The name is missing."}}}},
	{dossier.CodePrecondition, "The stored version is not the one that `If-Match` names.",
		dossier.Error{Detail: "The resource has changed: If-Match names another version."}},
	{dossier.CodeRateLimited, "Too many requests came with this key.",
		dossier.Error{Detail: "This key has sent too many requests.", RetryAfter: time.Second}},
	{dossier.CodeUnavailable,
		"Storage is throttled or cannot be reached. Whether the request took effect is not known: send it again, a POST with its `Idempotency-Key`.",
		dossier.Error{Detail: "Try again in a moment.", RetryAfter: time.Second}},
	{dossier.CodeInternal, "Something unexpected happened. Only the log has the details.",
		dossier.Error{
			Detail: "Something went wrong on our side. Quote the request id when you report it.",
		}},
	{dossier.CodeKeyReused, "The `Idempotency-Key` was used with another request.",
		dossier.Error{Detail: "This Idempotency-Key was already used with another request."}},
	{dossier.CodeLocked,
		"An automatic check runs on the parts, which are frozen. `lock` says since when.",
		dossier.Error{
			Detail: "The document is being checked. Its parts cannot change until the check has finished.",
			Lock:   &dossier.Lock{StartedAt: exampleTime(1), ExpiresAt: exampleTime(31)},
		}},
	{dossier.CodeRemoved, "The candidate is not asked for it any more.",
		dossier.Error{Detail: "This document is no longer requested."}},
	{dossier.CodeNotReplaceable, "A validated document is in force, and `replaceable` of the document type does not let the caller replace it.",
		dossier.Error{Detail: "The document is validated. Only the company can replace it."}},
	{dossier.CodeTransition, "The state does not allow it.",
		dossier.Error{
			Detail: "The candidate document type is validated and cannot become validated.",
		}},
	{dossier.CodeAlreadyRequested, "The candidate is asked for it already.",
		dossier.Error{Detail: "The candidate has already been asked for this document type."}},
	{dossier.CodeInUse, "Something names it. `errors` lists what.",
		dossier.Error{Detail: "The form is still in use.", Fields: []dossier.FieldError{
			{Pointer: "/documentTypes/dty_01JD7PX3E5G7H9J1K3M5N7P9QA/submission/rules/0",
				Code:    "inUse",
				Message: "This place refers to it."}}}},
	{dossier.CodeConflict, "Another one has the same reference, slug or external id.",
		dossier.Error{Detail: "Another one has it already."}},
	{dossier.CodeLimitReached, "The company or the candidate has as many as there can be.",
		dossier.Error{Detail: "There are as many as there can be."}},
	{dossier.CodeUploadIncomplete,
		"A part of a large upload was not sent, or is not as it was announced.",
		dossier.Error{Detail: "A part is not there, or not as it was announced."}},
	{dossier.CodeNotMessageAuthor, "Somebody else wrote the message.",
		dossier.Error{Detail: "The message is another's."}},
	{dossier.CodeMessageRead, "Somebody has read the message.",
		dossier.Error{Detail: "Somebody has read it."}},
	{dossier.CodeIntegrationActive, "The integration is not disabled.",
		dossier.Error{Detail: "There is nothing to enable."}},
}

// failureHeaders maps the headers that come with a code to their names in the document.
var failureHeaders = map[dossier.Code]map[string]string{
	dossier.CodeUnauthorized: {"WWW-Authenticate": "WWWAuthenticate"},
	dossier.CodeRateLimited:  {"Retry-After": "RetryAfter"},
	dossier.CodeUnavailable:  {"Retry-After": "RetryAfter"},
	dossier.CodeLocked:       {"Retry-After": "RetryAfterLock"},
}

// failures has a row for each code that an answer can have, rendered as the API renders it.
func failures(t *testing.T) []spec.Failure {
	t.Helper()
	if len(failureTexts) != len(kinds) {
		t.Errorf("%d codes are described, and there are %d", len(failureTexts), len(kinds))
	}
	api := &API{cfg: Config{Now: func() time.Time { return exampleTime(0).Time }}}
	var list []spec.Failure
	for _, f := range failureTexts {
		e := f.example
		e.Code = f.code
		x := &exchange{request: &request{Request: httptest.NewRequest(http.MethodGet, "/", nil),
			id: exampleRequestID}}
		list = append(list, spec.Failure{Code: string(f.code), Status: kinds[f.code].status,
			Title: kinds[f.code].title, Text: f.text,
			Headers: failureHeaders[f.code], Example: api.render(x, &e).body})
	}
	return list
}

// failureTypes describes the one shape of all failures.
func failureTypes() []spec.Type {
	return append(spec.Output("Error", "error",
		"Every failure has this shape: the members of RFC 9457 and `code`, sent as `application/json`.", problem{}, spec.Fields{
			"type": says("A URI that names the kind of failure (RFC 9457).").Format(
				"uri-reference"),
			"title": says(
				"The kind of failure in a few words, the same for every failure of a kind."),
			"status":    says("The HTTP status.").Between(400, 599),
			"code":      is("ErrorCode"),
			"detail":    says("What happened, for a person."),
			"requestId": says("The `X-Request-Id` of this answer. Name it when you ask for help.").Plain(),
			"errors": says(
				"One entry for each bad field of a `VALIDATION_FAILED`, or for each thing that names what was to be deleted (`IN_USE`)."),
			"lock":     says("Only with `NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING`."),
			"decision": says("With a 409 about a document on which somebody decided before."),
		}), spec.Output("FieldError", "error",
		"One place of a request that cannot be accepted, or one thing that stands in the way.",
		dossier.FieldError{}, spec.Fields{
			"pointer": says(
				"Where: an RFC 6901 JSON pointer into the body, `?name` for a query parameter, or `#header/Name` for a header."),
			"code": says(
				"A word that a program can compare, such as `required`, `unknown` or `tooLong`."),
			"message": says(
				"The same for a person. It names the nearest known word if there is one."),
		})...)
}

// errorCodes is the closed list of codes.
func errorCodes() *spec.Schema {
	list, meanings := make([]string, len(failureTexts)), map[string]string{}
	for n, f := range failureTexts {
		list[n] = string(f.code)
		meanings[list[n]] = f.text
	}
	return enum("The kind of a failure, for a program. The list is closed.", list, meanings)
}
