package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// response is an HTTP response before a byte of it is written.
type response struct {
	status     int
	body       []byte
	stream     listStream // instead of body
	etag       string
	link       string
	allow      string
	retryAfter int    // seconds, 0 is none
	code       string // of an error
	challenge  bool   // says how to authenticate
	preflight  bool   // tells browsers what requests from other origins may have
	encoding   string // of the body [identity]
	cache      string // Cache-Control [no-store]
}

// pageResult is a handler's page of a list. The next page begins at the cursor next, if there is
// one.
type pageResult struct {
	items any
	next  string
}

// entityResult is a handler's resource with its revision, which becomes the ETag.
type entityResult struct {
	value any
	rev   int64
}

// listStream is a list that is written page by page, so that it is never in memory whole.
type listStream func(w io.Writer) error

// streamList streams the pages of a list, of which the first has been read.
func streamList[T any](first []T, next string,
	find func(after string) ([]T, string, error)) listStream {
	return func(w io.Writer) error {
		page, separator := first, "["
		for {
			for _, v := range page {
				text, err := json.Marshal(v, json.Deterministic(true))
				if err != nil {
					return fmt.Errorf("encode a streamed item: %w", err)
				}
				if _, err := w.Write(append([]byte(separator), text...)); err != nil {
					return err
				}
				separator = ","
			}
			if next == "" {
				break
			}
			var err error
			if page, next, err = find(next); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, "]")
		return err
	}
}

const (
	defaultMaxList = 3 << 20   // bytes of a list
	maxUncut       = 2000      // items that are read for an uncut list if its bytes are limited
	maxUnderWay    = 256 << 20 // bytes of all the responses that are being sent
)

var errBusy = &dossier.Error{Code: dossier.CodeUnavailable, RetryAfter: time.Second,
	Detail: "Too many large responses are being sent. Try again in a moment."}

// fitToLimit returns the response of a handler. A list that is too long is read again as a shorter
// page. Items are encoded one by one, so that no more than the limit is ever in memory.
func (a *API) fitToLimit(r *request, result any) (response, error) {
	for before := math.MaxInt; ; {
		list, ok := result.(pageResult)
		if !ok {
			return encode(r, result)
		}
		list = r.visible(list).(pageResult)
		body, n, err := encodeList(list.items, a.cfg.MaxList)
		if all := reflect.ValueOf(list.items).Len(); err != nil || n == all {
			resp := response{status: http.StatusOK, body: body}
			if list.next != "" {
				resp.link = nextLink(r, list.next)
			}
			return resp, err
		}
		if n >= before {
			return response{}, errors.New("a shorter page is longer than the one before")
		}
		r.limit, before = n, n
		if result, err = r.route.handle(r); err != nil {
			return response{}, err
		}
	}
}

// encodeList encodes items up to a limit of bytes, but one at least, and returns how many these
// are.
func encodeList(items any, limit int) (body []byte, n int, err error) {
	all := reflect.ValueOf(items)
	body = []byte{'['}
	for ; n < all.Len(); n++ {
		text, err := json.Marshal(all.Index(n).Interface(), json.Deterministic(true))
		if err != nil {
			return nil, 0, fmt.Errorf("encode the response: %w", err)
		}
		if n > 0 {
			if len(body)+len(text) >= limit {
				return nil, n, nil
			}
			body = append(body, ',')
		}
		body = append(body, text...)
	}
	return append(body, ']'), n, nil
}

// encode returns the response for the result of a handler, complete before anything is written.
// Every success is 200.
func encode(r *request, result any) (response, error) {
	resp := response{status: http.StatusOK}
	result = r.visible(result)
	switch v := result.(type) {
	case representation:
		return v.response(), nil
	case listStream:
		resp.stream = v
		return resp, nil
	case entityResult:
		result = v.value
		resp.etag = `"` + strconv.FormatInt(v.rev, 10) + `"`
	}
	if result == nil {
		result = struct{}{}
	}
	body, err := json.Marshal(result, json.Deterministic(true))
	if err != nil {
		return response{}, fmt.Errorf("encode the response: %w", err)
	}
	resp.body = body
	return resp, nil
}

// nextLink returns the Link header (RFC 8288) of the page at a cursor, with the other parameters.
func nextLink(r *request, cursor string) string {
	query := url.Values{}
	for name, values := range r.query {
		query[name] = values
	}
	query.Set(pageAfter, r.listMark()+cursor)
	return "<" + r.URL.EscapedPath() + "?" + query.Encode() + `>; rel="next"`
}

// What browsers may do from other origins: everything, with a key and without cookies.
const (
	corsExposed = "ETag, Link, Retry-After, X-Request-Id"
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, X-Request-Id"
	corsMaxAge  = "7200"
)

// write sends the response. An error means that a streamed one is not complete.
func (x *exchange) write() error {
	h, resp := x.w.Header(), x.response
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	h.Set("X-Request-Id", x.id)
	h.Set("Cache-Control", cmp.Or(resp.cache, "no-store"))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", corsExposed)
	if resp.stream == nil && resp.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(resp.body)))
	}
	if resp.cache != "" {
		h.Set("Vary", "Accept-Encoding")
	}
	set("Content-Encoding", resp.encoding)
	set("ETag", resp.etag)
	set("Link", resp.link)
	set("Allow", resp.allow)
	if len(resp.body) > 0 || resp.stream != nil {
		h.Set("Content-Type", "application/json")
	}
	if resp.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(resp.retryAfter))
	}
	if resp.challenge {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if resp.preflight {
		h.Set("Access-Control-Allow-Methods", resp.allow)
		h.Set("Access-Control-Allow-Headers", corsHeaders)
		h.Set("Access-Control-Max-Age", corsMaxAge)
	}
	x.w.WriteHeader(resp.status)
	if x.Method == http.MethodHead {
		return nil
	}
	if resp.stream != nil {
		return resp.stream(x.w)
	}
	_, _ = x.w.Write(resp.body) // a client that went away has no use for the error
	return nil
}
