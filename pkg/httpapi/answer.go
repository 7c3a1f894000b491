package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
)

// answer is an HTTP answer before a byte of it is written.
type answer struct {
	status     int
	body       []byte
	etag       string
	link       string
	allow      string
	retryAfter int    // seconds, 0 is none
	code       string // of an error
	challenge  bool   // says how to authenticate
	preflight  bool   // tells browsers what requests from other origins may have
}

// listed is a handler's list of which more follows behind the cursor next, if it has one.
type listed struct {
	items any
	next  string
}

// versioned is a handler's resource at a revision, which becomes its ETag.
type versioned struct {
	value any
	rev   int64
}

// document is JSON that is sent as it is.
type document []byte

// maxUncut is how many items are read for a list that is not cut, where an answer may not have any size.
const maxUncut = 2000

// fitToLimit is the answer of a handler. A list that is too long is read again, as the shorter page of it that fits.
func (a *API) fitToLimit(r *request, result any) (answer, error) {
	for before := math.MaxInt; ; {
		ans, err := encode(r, result)
		list, ok := result.(listed)
		if err != nil || !ok || a.cfg.MaxList == 0 || len(ans.body) <= a.cfg.MaxList {
			return ans, err
		}
		if r.limit, err = fits(list.items, a.cfg.MaxList); err != nil || r.limit >= before {
			return ans, err
		}
		before = r.limit
		if result, err = r.route.handle(r); err != nil {
			return answer{}, err
		}
	}
}

// fits is how many of the items, one at least, are at most so many bytes of JSON.
func fits(items any, most int) (int, error) {
	all := reflect.ValueOf(items)
	size := len("[]")
	for n := range all.Len() {
		text, err := json.Marshal(all.Index(n).Interface(), json.Deterministic(true))
		if err != nil {
			return 0, fmt.Errorf("encode the answer: %w", err)
		}
		if size += len(text) + len(","); size > most && n > 0 {
			return n, nil
		}
	}
	return all.Len(), nil
}

// encode makes the answer of what a handler returned, always whole before anything is written. Every success is 200.
func encode(r *request, result any) (answer, error) {
	ans := answer{status: http.StatusOK}
	switch v := result.(type) {
	case document:
		ans.body = v
		return ans, nil
	case listed:
		result = v.items
		if v.next != "" {
			ans.link = nextLink(r, v.next)
		}
	case versioned:
		result = v.value
		ans.etag = `"` + strconv.FormatInt(v.rev, 10) + `"`
	}
	if result == nil {
		result = struct{}{}
	}
	body, err := json.Marshal(result, json.Deterministic(true))
	if err != nil {
		return answer{}, fmt.Errorf("encode the answer: %w", err)
	}
	ans.body = body
	return ans, nil
}

// nextLink is the Link header (RFC 8288) to the page behind a cursor. It keeps the other parameters.
func nextLink(r *request, cursor string) string {
	query := url.Values{}
	for name, values := range r.query {
		query[name] = values
	}
	query.Set(pageAfter, r.listMark()+cursor)
	return "<" + r.URL.EscapedPath() + "?" + query.Encode() + `>; rel="next"`
}

// What browsers are told about requests from other origins: any may ask, with a key of its own and without cookies.
const (
	corsExposed = "ETag, Link, Retry-After, X-Request-Id"
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, X-Request-Id"
	corsMaxAge  = "7200"
)

// write sends the answer.
func (x *exchange) write() {
	h, ans := x.w.Header(), x.answer
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	h.Set("X-Request-Id", x.id)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", corsExposed)
	h.Set("Content-Length", strconv.Itoa(len(ans.body)))
	set("ETag", ans.etag)
	set("Link", ans.link)
	set("Allow", ans.allow)
	if len(ans.body) > 0 {
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
	if x.Method != http.MethodHead {
		_, _ = x.w.Write(ans.body) // a client that went away has no use for the error
	}
}
