package httpapi

import (
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// client sends requests of one company and reads responses as untyped JSON.
type client struct {
	*testing.T
	api     *testAPI
	company dossier.Company
	key     string
}

// newClient returns a client of a new API. Targets are checked and probed as in production; those
// named may be reached although they are private.
func newClient(t *testing.T, targets ...string) client {
	t.Helper()
	h := newTestAPI(t, withTargets(targets...))
	return client{T: t, api: h, company: h.company, key: h.key}
}

// of returns a client of another company.
func (d client) of(c dossier.Company) client {
	d.company, d.key = c, c.Key.Secret
	return d
}

// partner returns a client of a new company in the same group, stranger one of another group.
func (d client) partner() client  { return d.join(d.company.GroupID) }
func (d client) stranger() client { return d.join("") }

func (d client) join(group string) client {
	d.Helper()
	c, err := d.api.store.CreateCompany(d.Context(), group, "Other")
	if err != nil {
		d.Fatal(err)
	}
	return d.of(c)
}

// textResponse is a response with its body as text and as JSON.
type textResponse struct {
	status int
	header http.Header
	text   string
	body   any
}

// send sends a request with headers in pairs.
func (d client) send(method, target, body string, header ...string) textResponse {
	d.Helper()
	w := d.api.do(d.T, call{method: method, target: target, body: body, key: d.key, header: header})
	a := textResponse{status: w.Code, header: w.Result().Header, text: w.Body.String()}
	if err := json.Unmarshal(w.Body.Bytes(), &a.body); err != nil {
		d.Fatalf("%s %s: %v: %s", method, target, err, w.Body)
	}
	return a
}

// ok sends a request that has to succeed.
func (d client) ok(method, target, body string, header ...string) textResponse {
	d.Helper()
	a := d.send(method, target, body, header...)
	if a.status != http.StatusOK {
		d.Fatalf("%s %s %s: %d %s", method, target, body, a.status, a.text)
	}
	return a
}

// make creates an entity and returns its id.
func (d client) make(path, body string) string {
	d.Helper()
	return d.ok("POST", path, body).str("id")
}

// refuse sends a request that has to fail with a status and code, and returns the pointers of its
// errors.
func (d client) refuse(method, target, body string, status int, code dossier.Code) []string {
	d.Helper()
	a := d.send(method, target, body)
	if a.status != status || a.str("code") != string(code) {
		d.Errorf("%s %s %s: %d %s, want %d %s", method, target, body, a.status, a.text, status,
			code)
	}
	return a.pointers()
}

func (a textResponse) pointers() []string {
	var pointers []string
	for n := range a.len("errors") {
		pointers = append(pointers, a.str("errors", n, "pointer"))
	}
	return pointers
}

// at follows names of members and indexes of elements, and returns nil where there is nothing.
func (a textResponse) at(path ...any) any {
	v := a.body
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[s]
		case int:
			l, _ := v.([]any)
			if s >= len(l) {
				return nil
			}
			v = l[s]
		}
	}
	return v
}

func (a textResponse) str(path ...any) string {
	s, _ := a.at(path...).(string)
	return s
}

func (a textResponse) len(path ...any) int {
	l, _ := a.at(path...).([]any)
	return len(l)
}
