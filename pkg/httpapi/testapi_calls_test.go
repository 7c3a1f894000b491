package httpapi

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/openapitest"
)

// call is one request of a test.
type call struct {
	method, target, body string
	key                  string   // bearer; empty: the fixture's key, "none": no header
	header               []string // name, value, name, value …
}

// do sends a request and checks the response.
func (h *testAPI) do(t *testing.T, c call) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	switch c.key {
	case "":
		r.Header.Set("Authorization", "Bearer "+h.key)
	case "none":
	default:
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	for i := 0; i+1 < len(c.header); i += 2 {
		if c.header[i+1] == "" {
			r.Header.Del(c.header[i])
			continue
		}
		r.Header.Add(c.header[i], c.header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	checkResponse(t, c, w)
	if !h.unchecked {
		sent := httptest.NewRequest(c.method, c.target, nil)
		sent.Header.Set("Content-Type", "application/json")
		openapitest.New(t).Check(t, sent, []byte(c.body), w.Result(), w.Body.Bytes())
	}
	return w
}

// serveRaw sends a request unchanged but for the fixture's key.
func (h *testAPI) serveRaw(r *http.Request) *httptest.ResponseRecorder {
	r.Header.Set("Authorization", "Bearer "+h.key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// ok sends a request that has to succeed and returns its response.
func ok[T any](t *testing.T, h *testAPI, method, target, body string) T {
	t.Helper()
	v, _ := okWith[T](t, h, call{method: method, target: target, body: body})
	return v
}

func okWith[T any](t *testing.T, h *testAPI, c call) (T, *httptest.ResponseRecorder) {
	t.Helper()
	w := h.do(t, c)
	if w.Code != 200 {
		t.Fatalf("%s %s: %d %s", c.method, c.target, w.Code, w.Body)
	}
	return decoded[T](t, w), w
}

// decoded reads a response.
func decoded[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	return decodedText[T](t, w.Body.String())
}

func decodedText[T any](t *testing.T, body string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Errorf("%v: %s", err, body)
	}
	return v
}

// refused sends a request that has to be refused with a code, for exactly these fields ("/name
// tooLong").
func (h *testAPI) refused(t *testing.T, c call, code dossier.Code,
	named ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := h.do(t, c)
	if w.Code != kinds[code].status {
		t.Errorf("%s %s %s: %d %s, not %s", c.method, c.target, c.body, w.Code, w.Body, code)
		return w
	}
	p := problemOf(t, w)
	if p.Code != code {
		t.Errorf("%s %s: %s, not %s", c.method, c.target, w.Body, code)
	}
	if named == nil {
		named = []string{}
	}
	if diff := cmp.Diff(named, pointers(p.Errors)); diff != "" {
		t.Errorf("%s %s %s: (-want +got)\n%s", c.method, c.target, c.body, diff)
	}
	return w
}

// checkResponse checks the headers and the problem format that all responses share.
func checkResponse(t *testing.T, c call, w *httptest.ResponseRecorder) {
	t.Helper()
	h := w.Result().Header
	cache := "no-store"
	if c.target == "/openapi.json" && w.Code == http.StatusOK {
		cache = documentCache
	}
	for name, want := range map[string]string{"Cache-Control": cache,
		"X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*"} {
		if got := h.Get(name); got != want {
			t.Errorf("%s %s: %s is %q", c.method, c.target, name, got)
		}
	}
	if h.Get("X-Request-Id") == "" {
		t.Errorf("%s %s: no X-Request-Id", c.method, c.target)
	}
	if w.Body.Len() > 0 && h.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s: Content-Type %q", c.method, c.target, h.Get("Content-Type"))
	}
	if w.Code == http.StatusOK || c.method == http.MethodHead {
		return
	}
	p := problemOf(t, w)
	for _, f := range p.Errors {
		first, _ := utf8.DecodeRuneInString(f.Message)
		sentence := unicode.IsUpper(first) || strings.HasPrefix(f.Message, "null") || first == '"'
		if !slices.Contains(dossier.ProblemCodes, f.Code) || !sentence ||
			!strings.ContainsAny(f.Message[len(f.Message)-1:], ".?") {
			t.Errorf("%s %s: %q of %s is no code of the table, or its message no sentence: %q",
				c.method, c.target, f.Code, f.Pointer, f.Message)
		}
	}
	if p.Status != w.Code || p.Code == "" || p.Title == "" || p.Detail == "" || p.Type == "" ||
		p.RequestID != h.Get("X-Request-Id") {
		t.Errorf("%s %s: problem %+v", c.method, c.target, p)
	}
}

func problemOf(t *testing.T, w *httptest.ResponseRecorder) problem {
	t.Helper()
	var p problem
	if err := json.Unmarshal(w.Body.Bytes(), &p, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("not a problem: %s: %v", w.Body, err)
	}
	return p
}

// pointers returns each field error as "pointer code".
func pointers(list []dossier.FieldError) []string {
	all := []string{}
	for _, f := range list {
		all = append(all, f.Pointer+" "+string(f.Code))
		if !slices.Contains(dossier.ProblemCodes, f.Code) {
			panic("the code " + f.Code + " is not in the table")
		}
	}
	return all
}
