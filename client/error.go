package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Error returns the detail, each bad field and the request id.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Code != "" {
		b.WriteString(string(e.Code) + ": ")
	}
	b.WriteString(e.Detail)
	for _, f := range e.Errors {
		fmt.Fprintf(&b, " %s: %s", f.Pointer, f.Message)
	}
	if e.RequestId != "" {
		b.WriteString(" (request " + e.RequestId + ")")
	}
	return b.String()
}

// Field returns what is wrong with a field, by its JSON pointer, and whether anything is.
func (e *Error) Field(pointer string) (FieldError, bool) {
	for _, f := range e.Errors {
		if f.Pointer == pointer {
			return f, true
		}
	}
	return FieldError{}, false
}

// refusal returns the error of an answer. Where something before the service answered, it has a
// status and no code.
func refusal(r call, response *http.Response, body []byte) *Error {
	e := new(Error)
	if err := json.Unmarshal(body, e); err != nil || e.Code == "" {
		e = &Error{Detail: fmt.Sprintf("%s %s was answered %s, and not by the service.", r.method,
			r.path, response.Status)}
	}
	e.Status = response.StatusCode
	if e.RequestId == "" {
		e.RequestId = response.Header.Get("X-Request-Id")
	}
	return e
}
