package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// kind is the HTTP status and title of a code.
type kind struct {
	status int
	title  string
}

// kinds has a row for every code of the closed list.
var kinds = map[dossier.Code]kind{
	dossier.CodeMalformed:         {http.StatusBadRequest, "Malformed request"},
	dossier.CodeUnauthorized:      {http.StatusUnauthorized, "Not authenticated"},
	dossier.CodeForbidden:         {http.StatusForbidden, "Not allowed"},
	dossier.CodeNotFound:          {http.StatusNotFound, "Not found"},
	dossier.CodeMethodNotAllowed:  {http.StatusMethodNotAllowed, "Method not allowed"},
	dossier.CodeTooLarge:          {http.StatusRequestEntityTooLarge, "Too large"},
	dossier.CodeMediaType:         {http.StatusUnsupportedMediaType, "Unsupported media type"},
	dossier.CodeValidation:        {http.StatusUnprocessableEntity, "Validation failed"},
	dossier.CodePrecondition:      {http.StatusPreconditionFailed, "Changed in the meantime"},
	dossier.CodeRateLimited:       {http.StatusTooManyRequests, "Too many requests"},
	dossier.CodeUnavailable:       {http.StatusServiceUnavailable, "Temporarily unavailable"},
	dossier.CodeInternal:          {http.StatusInternalServerError, "Internal error"},
	dossier.CodeKeyReused:         {http.StatusUnprocessableEntity, "Idempotency key reused"},
	dossier.CodeLocked:            {http.StatusConflict, "Being checked"},
	dossier.CodeRemoved:           {http.StatusConflict, "Removed"},
	dossier.CodeNotReplaceable:    {http.StatusConflict, "Not replaceable"},
	dossier.CodeTransition:        {http.StatusConflict, "Not possible in this state"},
	dossier.CodeAlreadyRequested:  {http.StatusConflict, "Already requested"},
	dossier.CodeInUse:             {http.StatusConflict, "In use"},
	dossier.CodeConflict:          {http.StatusConflict, "Taken"},
	dossier.CodeLimitReached:      {http.StatusConflict, "Limit reached"},
	dossier.CodeUploadIncomplete:  {http.StatusConflict, "Upload incomplete"},
	dossier.CodeNotMessageAuthor:  {http.StatusForbidden, "Not the author"},
	dossier.CodeMessageRead:       {http.StatusConflict, "Already read"},
	dossier.CodeIntegrationActive: {http.StatusConflict, "Not disabled"},
}

// problem is the body of every error: the members of RFC 9457, and ours.
type problem struct {
	Type      string               `json:"type"`
	Title     string               `json:"title"`
	Status    int                  `json:"status"`
	Code      dossier.Code         `json:"code"`
	Detail    string               `json:"detail"`
	RequestID string               `json:"requestId"`
	Errors    []dossier.FieldError `json:"errors"`
	Lock      *dossier.Lock        `json:"lock,omitzero"`
	Decision  *dossier.Decision    `json:"decision,omitzero"`
}

// render is the one place where an error becomes a response.
func (a *API) render(x *exchange, err error) response {
	e := known(err)
	if e.Code == dossier.CodeNotFound {
		e = x.notFound()
	}
	k, ok := kinds[e.Code]
	if !ok {
		e = errInternal
		k = kinds[e.Code]
	}
	p := problem{Type: problemType(e.Code), Title: k.title, Status: k.status, Code: e.Code,
		Detail: strings.ToValidUTF8(e.Detail, "\uFFFD"), RequestID: x.id, Lock: e.Lock,
		Decision: e.Decision}
	for _, f := range e.Fields {
		p.Errors = append(p.Errors, dossier.FieldError{Pointer: dossier.Clip(f.Pointer),
			Code: f.Code, Message: f.Message})
	}
	body, err := json.Marshal(p, jsontext.AllowInvalidUTF8(true))
	if err != nil { // nothing in it can fail
		body = []byte("{}")
	}
	resp := response{status: k.status, body: body, code: string(e.Code), allow: x.allow,
		challenge: k.status == http.StatusUnauthorized}
	wait := e.RetryAfter
	if e.Lock != nil && wait <= 0 {
		wait = e.Lock.ExpiresAt.Sub(a.cfg.Now())
	}
	if wait > 0 || e.Lock != nil || e.Code == dossier.CodeUnavailable ||
		e.Code == dossier.CodeRateLimited {
		resp.retryAfter = max(1, int((wait+time.Second-1)/time.Second))
	}
	return resp
}

// problemType names the kind of a problem as a URI.
func problemType(c dossier.Code) string {
	return "urn:dossier:problem:" + strings.ReplaceAll(strings.ToLower(string(c)), "_", "-")
}

var (
	errInternal = dossier.Errorf(dossier.CodeInternal,
		"Something went wrong on our side. Quote the request id when you report it.")
	errUnavailable = &dossier.Error{Code: dossier.CodeUnavailable, Detail: "Try again in a moment.",
		RetryAfter: time.Second}
	errTooLarge = dossier.Errorf(dossier.CodeTooLarge, "The data is too large for one record.")
)

// known returns what a client is told of an error.
func known(err error) *dossier.Error {
	e := (*dossier.Error)(nil)
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, kv.ErrCursor):
		return dossier.Errorf(dossier.CodeMalformed, "The cursor does not belong to this list.")
	case errors.Is(err, kv.ErrTooLarge):
		return errTooLarge
	case errors.Is(err, kv.ErrUnavailable), errors.Is(err, blob.ErrUnavailable),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return errUnavailable
	}
	return errInternal
}
