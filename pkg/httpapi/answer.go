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

// answer is an HTTP response before a byte of it is written.
type answer struct {
	status     int
	body       []byte
	stream     streamed // instead of body
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

// listed is a handler's page of a list. The next page begins at the cursor next, if there is one.
type listed struct {
	items any
	next  string
}

// versioned is a handler's resource with its revision, which becomes the ETag.
type versioned struct {
	value any
	rev   int64
}

// streamed is a handler's list that is written page by page, so that it is never in memory whole.
type streamed func(w io.Writer) error

// streamList streams the pages of a list, of which the first has been read.
func streamList[T any](first []T, next string,
	find func(after string) ([]T, string, error)) streamed {
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
func (a *API) fitToLimit(r *request, result any) (answer, error) {
	for before := math.MaxInt; ; {
		list, ok := result.(listed)
		if !ok {
			return encode(r, result)
		}
		list = r.visible(list).(listed)
		body, n, err := encodeList(list.items, a.cfg.MaxList)
		if all := reflect.ValueOf(list.items).Len(); err != nil || n == all {
			ans := answer{status: http.StatusOK, body: body}
			if list.next != "" {
				ans.link = nextLink(r, list.next)
			}
			return ans, err
		}
		if n >= before {
			return answer{}, errors.New("a shorter page is longer than the one before")
		}
		r.limit, before = n, n
		if result, err = r.route.handle(r); err != nil {
			return answer{}, err
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
func encode(r *request, result any) (answer, error) {
	ans := answer{status: http.StatusOK}
	result = r.visible(result)
	switch v := result.(type) {
	case representation:
		return v.answer(), nil
	case streamed:
		ans.stream = v
		return ans, nil
	case versioned:
		result = v.value
		ans.etag = `"` + strconv.FormatInt(v.rev, 10) + `"`
	}
	if result == nil {
		result = struct{}{}
	}
	body, err := json.Marshal(result, json.Deterministic(true))
	if err != nil {
		return answer{}, fmt.Errorf("encode the response: %w", err)
	}
	ans.body = body
	return ans, nil
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
	h, ans := x.w.Header(), x.answer
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	h.Set("X-Request-Id", x.id)
	h.Set("Cache-Control", cmp.Or(ans.cache, "no-store"))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", corsExposed)
	if ans.stream == nil && ans.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(ans.body)))
	}
	if ans.cache != "" {
		h.Set("Vary", "Accept-Encoding")
	}
	set("Content-Encoding", ans.encoding)
	set("ETag", ans.etag)
	set("Link", ans.link)
	set("Allow", ans.allow)
	if len(ans.body) > 0 || ans.stream != nil {
		h.Set("Content-Type", "application/json")
	}
	if ans.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(ans.retryAfter))
	}
	if ans.challenge {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if ans.preflight {
		h.Set("Access-Control-Allow-Methods", ans.allow)
		h.Set("Access-Control-Allow-Headers", corsHeaders)
		h.Set("Access-Control-Max-Age", corsMaxAge)
	}
	x.w.WriteHeader(ans.status)
	if x.Method == http.MethodHead {
		return nil
	}
	if ans.stream != nil {
		return ans.stream(x.w)
	}
	_, _ = x.w.Write(ans.body) // a client that went away has no use for the error
	return nil
}
