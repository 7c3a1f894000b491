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
	// not JSON, a duplicate member, a bad cursor
	CodeMalformed Code = "MALFORMED_REQUEST"
	// no key, or one that is unknown, malformed, revoked, expired
	CodeUnauthorized     Code = "UNAUTHORIZED"
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
	// the same Idempotency-Key with another body
	CodeKeyReused Code = "IDEMPOTENCY_KEY_REUSED"

	// a check runs on the parts; Lock tells since when
	CodeLocked Code = "NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING"
	// the candidate document type was removed
	CodeRemoved Code = "DOCUMENT_TYPE_REMOVED"
	// the validated document may not be replaced, or not by a candidate
	CodeNotReplaceable Code = "NOT_REPLACEABLE"
	// the state does not allow this
	CodeTransition Code = "INVALID_TRANSITION"
	// the candidate is asked for this type already
	CodeAlreadyRequested Code = "DOCUMENT_TYPE_ALREADY_REQUESTED"
	// something names it; Fields lists what
	CodeInUse Code = "IN_USE"
	// the reference, slug or external id is taken
	CodeConflict Code = "CONFLICT"
	// the company has as many as it can
	CodeLimitReached Code = "LIMIT_REACHED"
	// a part of a large upload is not there, or not as announced
	CodeUploadIncomplete Code = "UPLOAD_INCOMPLETE"
	// the message is another's
	CodeNotMessageAuthor Code = "NOT_MESSAGE_AUTHOR"
	CodeMessageRead      Code = "MESSAGE_ALREADY_READ" // somebody has read it
	// there is nothing to enable
	CodeIntegrationActive Code = "INTEGRATION_NOT_DISABLED"
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

// ErrNotFound is the error for everything that is absent or belongs to another company. The HTTP
// interface words it by the path alone, so that the two read the same.
var ErrNotFound = &Error{Code: CodeNotFound, Detail: "There is nothing at this address."}
