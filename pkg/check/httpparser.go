package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/check/printed"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// Bounds of the talk with an http parser.
const (
	maxInline      = dossier.MaxInlineSize // bytes of parts that travel in the request while there are links for others
	maxInlineAlone = 32 << 20              // the same when there are no links
	maxHTTPAnswer  = 1 << 20               // bytes
	maxReasons     = 50
)

// question is what an http parser is asked.
type question struct {
	DocumentID     string     `json:"documentId"`
	CandidateID    string     `json:"candidateId"`
	DocumentTypeID string     `json:"documentTypeId"`
	Parts          []sentPart `json:"parts"`
}

// sentPart is a part as an http parser gets it: with its content, or with an address to fetch it from.
type sentPart struct {
	Name        string `json:"name"`
	FileName    string `json:"fileName,omitzero"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
	Content     []byte `json:"content,omitzero"` // base64 in JSON
	URL         string `json:"url,omitzero"`
}

// reply is what an http parser answers.
type reply struct {
	Parsed     map[string]any   `json:"parsed"`
	Confidence *float64         `json:"confidence"`
	Reasons    []dossier.Reason `json:"reasons"`
}

// ask has the http parser of the check read the parts.
func (c *Checker) ask(ctx context.Context, r Request, f *findings) error {
	if r.Check.HTTP == nil || c.cfg.Transport == nil || c.cfg.Sign == nil {
		return errors.New("not configured")
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.HTTPTimeout)
	defer cancel()
	parts, err := c.sentParts(ctx, r)
	if err != nil {
		return err
	}
	body, err := json.Marshal(question{r.DocumentID, r.CandidateID, r.DocumentTypeID, parts})
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	answer, err := c.post(ctx, r, body)
	if err != nil {
		return err
	}
	return answer.into(f)
}

// sentParts puts small parts into the request, as long as they fit, and makes links for the others.
func (c *Checker) sentParts(ctx context.Context, r Request) ([]sentPart, error) {
	left := int64(maxInline)
	if !slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Link != nil }) {
		left = maxInlineAlone
	}
	parts := make([]sentPart, len(r.Parts))
	for i, p := range r.Parts {
		parts[i] = sentPart{Name: p.Name, FileName: p.FileName, ContentType: p.ContentType, Size: p.Size, SHA256: p.SHA256}
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

// post sends the question, signed, and reads the answer. Anything but a 2xx is a failure.
func (c *Checker) post(ctx context.Context, r Request, body []byte) (reply, error) {
	header, err := c.cfg.Sign([]string{r.Check.HTTP.Secret}, r.DocumentID, c.cfg.Now(), body)
	if err != nil {
		return reply{}, fmt.Errorf("sign: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Check.HTTP.URL, bytes.NewReader(body))
	if err != nil {
		return reply{}, fmt.Errorf("make request: %w", err)
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	res, err := c.cfg.Transport.RoundTrip(req)
	if err != nil {
		return reply{}, fmt.Errorf("send: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return reply{}, fmt.Errorf("answered with status %d", res.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxHTTPAnswer+1))
	if err != nil {
		return reply{}, fmt.Errorf("read answer: %w", err)
	}
	if len(text) > maxHTTPAnswer {
		return reply{}, errors.New("answered with more than 1 MB")
	}
	var a reply
	if err := json.Unmarshal(text, &a); err != nil {
		return reply{}, errors.New("answered with something else than the JSON asked for")
	}
	return a, nil
}

// into checks an answer and takes it over.
// word reports whether a code is one to a hundred letters, digits and underscores.
func word(code string) bool {
	return code != "" && len(code) <= dossier.MaxReference && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func (a reply) into(f *findings) error {
	switch {
	case a.Parsed == nil:
		return errors.New("answered without parsed")
	case a.Confidence == nil || *a.Confidence < 0 || *a.Confidence > 1:
		return errors.New("answered without a confidence from 0 to 1")
	case len(a.Reasons) > maxReasons:
		return errors.New("answered with too many reasons")
	}
	parsed, ok := clean(a.Parsed)
	if !ok {
		return errors.New("answered with more parsed values than are kept")
	}
	for _, r := range a.Reasons {
		code, reference, message := printed.Text(r.Code), printed.Text(r.Reference), printed.Text(r.Message)
		// A code goes into events, which hold nothing personal: it is a word, not a sentence.
		if !word(code) || len(reference) > dossier.MaxReference {
			return errors.New("answered with a reason without a usable code")
		}
		f.add(code, reference, message)
	}
	f.parsed, f.confidence = parsed, *a.Confidence
	return nil
}
