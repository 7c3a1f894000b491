package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// client calls the API in process with one credential.
type client struct {
	ctx        context.Context
	api        http.Handler
	credential string // empty: none
	requestID  string
	from       string // the browser's address, by which the API counts what needs no credential
}

// apiError is the API's answer to a request that it refused.
type apiError struct {
	Status    int                  `json:"status"`
	Code      dossier.Code         `json:"code"`
	Title     string               `json:"title"`
	Detail    string               `json:"detail"`
	RequestID string               `json:"requestId"`
	Errors    []dossier.FieldError `json:"errors"`
}

// Error returns the code and the sentence.
func (e *apiError) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Detail) }

// about reports whether the API refused a field of the request.
func (e *apiError) about(pointer string) bool {
	return slices.ContainsFunc(e.Errors, func(f dossier.FieldError) bool {
		return f.Pointer == pointer
	})
}

// isStatus reports whether the API refused with one of some statuses.
func isStatus(err error, statuses ...int) bool {
	var e *apiError
	return errors.As(err, &e) && slices.Contains(statuses, e.Status)
}

// responseHeaders holds the headers of a response of the API.
type responseHeaders struct {
	etag string
	next string // the page[after] of the next page, empty where there is none
}

// recorder keeps an answer of the API in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// call is one request to the API.
type call struct {
	method  string // GET where empty
	path    string
	query   url.Values
	body    any    // JSON; nil is none
	key     string // Idempotency-Key
	ifMatch string
}

// do sends a request and decodes a success into out, unless that is nil. A refusal is an *apiError.
func (c *client) do(in call, out any) (responseHeaders, error) {
	var body []byte
	if in.body != nil {
		var err error
		// Sent again with its Idempotency-Key, a request has to have the same bytes.
		body, err = json.Marshal(in.body, json.Deterministic(true))
		if err != nil {
			return responseHeaders{}, err
		}
	}
	if in.method == "" {
		in.method = http.MethodGet
	}
	target := url.URL{Path: in.path, RawQuery: in.query.Encode()}
	r, err := http.NewRequestWithContext(c.ctx, in.method, target.String(), bytes.NewReader(body))
	if err != nil {
		return responseHeaders{}, err
	}
	r.RequestURI, r.RemoteAddr = target.RequestURI(), c.from
	r.Header.Set("X-Request-Id", c.requestID)
	for name, value := range map[string]string{"Idempotency-Key": in.key, "If-Match": in.ifMatch} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if c.credential != "" {
		r.Header.Set("Authorization", "Bearer "+c.credential)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w := &recorder{header: http.Header{}}
	c.api.ServeHTTP(w, r)
	if w.status >= http.StatusBadRequest {
		return responseHeaders{}, refusal(w)
	}
	if out != nil {
		if err := json.Unmarshal(w.body.Bytes(), out); err != nil {
			return responseHeaders{}, fmt.Errorf("%s %s: %w", in.method, in.path, err)
		}
	}
	return responseHeaders{etag: w.header.Get("ETag"), next: nextPage(w.header.Get("Link"))}, nil
}

func refusal(w *recorder) error {
	e := &apiError{}
	if err := json.Unmarshal(w.body.Bytes(), e); err != nil || e.Code == "" {
		return fmt.Errorf("the API answered %s", strconv.Itoa(w.status))
	}
	return e
}

var linkNext = regexp.MustCompile(`<([^>]+)>; rel="next"`)

// nextPage returns the cursor in a Link header.
func nextPage(link string) string {
	m := linkNext.FindStringSubmatch(link)
	if m == nil {
		return ""
	}
	u, err := url.Parse(m[1])
	if err != nil {
		return ""
	}
	return u.Query().Get("page[after]")
}

// get reads one resource.
func (c *client) get(path string, out any) (responseHeaders, error) {
	return c.do(call{path: path}, out)
}

// pageSize is the most items that one page of a list has.
const pageSize = 100

// list reads a list whole, up to most items; more reports whether there are more.
func list[T any](c *client, path string, query url.Values,
	most int) (all []T, more bool, err error) {
	q := url.Values{}
	for name, values := range query {
		q[name] = values
	}
	for {
		q.Set("page[size]", strconv.Itoa(min(pageSize, most-len(all))))
		var page []T
		rep, err := c.do(call{path: path, query: q}, &page)
		if err != nil {
			return nil, false, err
		}
		all = append(all, page...)
		if rep.next == "" || len(all) >= most {
			return all, rep.next != "", nil
		}
		q.Set("page[after]", rep.next)
	}
}
