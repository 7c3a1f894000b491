package dossier

import (
	"fmt"
	"strings"
	"time"
)

// Code names one kind of failure a client can react to. The list is closed; pkg/httpapi gives each
// its HTTP status.
type Code string

// The codes.
const (
	CodeMalformed        Code = "MALFORMED_REQUEST"      // not JSON, a duplicate member, a bad cursor
	CodeUnauthorized     Code = "UNAUTHORIZED"           // no key, or one that is unknown, malformed, revoked, expired
	CodeForbidden        Code = "FORBIDDEN"              // the key lacks the scope
	CodeNotFound         Code = "NOT_FOUND"              // absent, or another company's
	CodeMethodNotAllowed Code = "METHOD_NOT_ALLOWED"     // the path exists with other methods
	CodeTooLarge         Code = "REQUEST_TOO_LARGE"      // the body is over its limit
	CodeMediaType        Code = "UNSUPPORTED_MEDIA_TYPE" // the body is not JSON
	CodeValidation       Code = "VALIDATION_FAILED"      // one entry in Fields for each bad field
	CodePrecondition     Code = "PRECONDITION_FAILED"    // If-Match names another version
	CodeRateLimited      Code = "RATE_LIMITED"           // too many requests by one key
	CodeUnavailable      Code = "UNAVAILABLE"            // storage is throttled or away: try again
	CodeInternal         Code = "INTERNAL"               // everything unknown
	CodeKeyReused        Code = "IDEMPOTENCY_KEY_REUSED" // the same Idempotency-Key with another body

	CodeLocked            Code = "NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING" // a check runs on the parts; Lock tells since when
	CodeRemoved           Code = "DOCUMENT_TYPE_REMOVED"                    // the candidate document type was removed
	CodeTransition        Code = "INVALID_TRANSITION"                       // the state does not allow this
	CodeAlreadyRequested  Code = "DOCUMENT_TYPE_ALREADY_REQUESTED"          // the candidate is asked for this type already
	CodeInUse             Code = "IN_USE"                                   // something names it; Fields lists what
	CodeConflict          Code = "CONFLICT"                                 // the reference, slug or external id is taken
	CodeLimitReached      Code = "LIMIT_REACHED"                            // the company has as many as it can
	CodeUploadIncomplete  Code = "UPLOAD_INCOMPLETE"                        // a part of a large upload is not there, or not as announced
	CodeNotMessageAuthor  Code = "NOT_MESSAGE_AUTHOR"                       // the message is another's
	CodeMessageRead       Code = "MESSAGE_ALREADY_READ"                     // somebody has read it
	CodeIntegrationActive Code = "INTEGRATION_NOT_DISABLED"                 // there is nothing to enable
)

// Error is a failure that a client is told of: a code of the closed list, a sentence, and what the
// code needs beside it.
type Error struct {
	Code       Code
	Detail     string
	Fields     []FieldError  // VALIDATION_FAILED, MALFORMED_REQUEST, IN_USE
	Lock       *Lock         // NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING
	Decision   *Decision     // of a document on which somebody else decided first
	RetryAfter time.Duration // of the lock, RATE_LIMITED and UNAVAILABLE; 0 is none
}

// Error returns code and sentence, and the pointers of the bad fields.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Detail)
	for _, f := range e.Fields {
		fmt.Fprintf(&b, "; %s: %s", f.Pointer, f.Message)
	}
	return b.String()
}

// Errorf makes an Error of a code and a sentence.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// ErrNotFound is the error for everything that is absent or belongs to another company.
var ErrNotFound = &Error{Code: CodeNotFound, Detail: "There is nothing at this address."}
