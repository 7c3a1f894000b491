package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/check/printed"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// Bounds of a call of an http parser.
const (
	maxInline      = dossier.MaxInlineSize // bytes of parts in the request if others can be linked
	maxInlineAlone = 32 << 20              // the same when there are no links
	maxHTTPAnswer  = 1 << 20               // bytes
	maxReasons     = 50
)

// parserRequest is the body of a request to an http parser.
type parserRequest struct {
	DocumentID     string     `json:"documentId"`
	CandidateID    string     `json:"candidateId"`
	DocumentTypeID string     `json:"documentTypeId"`
	Parts          []sentPart `json:"parts"`
}

// sentPart is a part as an http parser gets it: with its content, or with an address to fetch it
// from.
type sentPart struct {
	Name        string `json:"name"`
	FileName    string `json:"fileName,omitzero"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
	Content     []byte `json:"content,omitzero"` // base64 in JSON
	URL         string `json:"url,omitzero"`
}

// parserResponse is the body of an http parser's response.
type parserResponse struct {
	Parsed     map[string]any   `json:"parsed"`
	Confidence *float64         `json:"confidence"`
	Reasons    []dossier.Reason `json:"reasons"`
}

// ask has the http parser of the check read the parts. call is nil if the parser was not called.
func (c *Checker) ask(ctx context.Context, r Request,
	f *findings) (call *dossier.Attempt, err error) {
	if r.Check.HTTP == nil || c.cfg.Transport == nil || c.cfg.Sign == nil {
		return nil, errors.New("not configured")
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.HTTPTimeout)
	defer cancel()
	parts, err := c.sentParts(ctx, r)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(parserRequest{r.DocumentID, r.CandidateID, r.DocumentTypeID, parts})
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	req, err := c.signed(ctx, r, body)
	if err != nil {
		return nil, err
	}
	call = &dossier.Attempt{At: dossier.NewTime(c.cfg.Now())}
	began := time.Now()
	answer, status, err := c.post(req)
	call.StatusCode, call.DurationMS = status, time.Since(began).Milliseconds()
	if err == nil {
		err = answer.into(f)
	}
	var failed *dossier.CheckError
	if errors.As(err, &failed) {
		call.Error = failed.Cause
	}
	c.logCall(ctx, r, call)
	return call, err
}

// logCall logs one call of a parser service, as deliveries are logged.
func (c *Checker) logCall(ctx context.Context, r Request, call *dossier.Attempt) {
	level := slog.LevelInfo
	if call.Error != "" {
		level = slog.LevelWarn
	}
	c.cfg.Log.LogAttrs(ctx, level, "parser called", slog.String("candidateId", r.CandidateID),
		slog.String("documentId", r.DocumentID), slog.String("documentTypeId", r.DocumentTypeID),
		slog.Int("status", call.StatusCode), slog.Int64("durationMs", call.DurationMS),
		slog.String("error", call.Error))
}

// sentParts puts small parts into the request, as long as they fit, and makes links for the others.
func (c *Checker) sentParts(ctx context.Context, r Request) ([]sentPart, error) {
	left := int64(maxInline)
	if !slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Link != nil }) {
		left = maxInlineAlone
	}
	parts := make([]sentPart, len(r.Parts))
	for i, p := range r.Parts {
		parts[i] = sentPart{Name: p.Name, FileName: p.FileName, ContentType: p.ContentType,
			Size: p.Size, SHA256: p.SHA256}
		var err error
		switch {
		case p.Size <= left:
			left -= p.Size
			parts[i].Content, err = os.ReadFile(p.Path)
		case p.Link != nil:
			parts[i].URL, err = p.Link(ctx)
		default:
			err = errors.New("too big for a request")
		}
		if err != nil {
			return nil, fmt.Errorf("part %s: %w", p.Name, err)
		}
	}
	return parts, nil
}

// signed makes the signed request to the parser service.
func (c *Checker) signed(ctx context.Context, r Request, body []byte) (*http.Request, error) {
	header, err := c.cfg.Sign([]string{r.Check.HTTP.Secret}, r.DocumentID, c.cfg.Now(), body)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Check.HTTP.URL,
		bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	return req, nil
}

// post sends the request and reads the response. Any status but a 2xx is a failure; 0 is none.
func (c *Checker) post(req *http.Request) (a parserResponse, status int, err error) {
	res, err := c.cfg.Transport.RoundTrip(req)
	if err != nil {
		return a, 0, unreached(err)
	}
	defer res.Body.Close()
	status = res.StatusCode
	if status < 200 || status > 299 {
		return a, status, serviceError("answered with status %d", status)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxHTTPAnswer+1))
	if err != nil {
		return a, status, unreached(err)
	}
	if len(text) > maxHTTPAnswer {
		return a, status, unusable("it is longer than 1 MB")
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return parserResponse{}, status, unusable("it is not the expected JSON")
	}
	return a, status, nil
}

// word reports whether a code is one to a hundred letters, digits and underscores.
func word(code string) bool {
	return code != "" && len(code) <= dossier.MaxReference &&
		strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// into checks a response and takes it over. Without a confidence it is 1.
func (a parserResponse) into(f *findings) error {
	confidence := 1.0
	if a.Confidence != nil {
		confidence = *a.Confidence
	}
	switch {
	case a.Parsed == nil:
		return unusable("parsed is missing")
	case confidence < 0 || confidence > 1:
		return unusable("confidence is not from 0 to 1")
	case len(a.Reasons) > maxReasons:
		return unusable("there are too many reasons")
	}
	parsed, ok := clean(a.Parsed)
	if !ok {
		return unusable("parsed has too many values")
	}
	for _, r := range a.Reasons {
		code, reference, message := printed.Text(r.Code), printed.Text(r.Reference),
			printed.Text(r.Message)
		// A code goes into events, which hold nothing personal: it is a word, not a sentence.
		if !word(code) || len(reference) > dossier.MaxReference {
			return unusable("a reason has no usable code")
		}
		f.add(code, reference, message)
	}
	f.parsed, f.confidence = parsed, confidence
	return nil
}

// serviceError returns a failure of the parser service, as administrators are told.
func serviceError(format string, args ...any) error {
	text := "The parser service " + fmt.Sprintf(format, args...) + "."
	return &dossier.CheckError{Cause: text, Err: errors.New(text)}
}

func unusable(why string) error {
	return serviceError("gave an unusable response: %s", why)
}

// unreached returns a failure of the connection. Its cause contains no address.
func unreached(err error) error {
	cause := "The parser service cannot be reached."
	if errors.Is(err, context.DeadlineExceeded) {
		cause = "The parser service did not answer in time."
	}
	return &dossier.CheckError{Cause: cause, Err: err}
}
