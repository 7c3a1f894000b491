package httpapi_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/openapitest"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
)

// desk is a company whose settings are made through the handlers, on the embedded engine. Every answer is held against the document.
type desk struct {
	*testing.T
	api     http.Handler
	store   *store.Store
	doc     *openapitest.Validator
	bell    *recorder
	company dossier.Company
	key     string
}

// bell is a doorbell that keeps what was rung.
type recorder struct {
	mu   sync.Mutex
	rung []store.Task
}

// Ring implements store.Notifier.
func (b *recorder) Notify(_ context.Context, entries []store.Task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rung = append(b.rung, entries...)
}

// take returns what was rung for one kind of work.
func (b *recorder) take(kind string) []store.Task {
	b.mu.Lock()
	defer b.mu.Unlock()
	var taken []store.Task
	b.rung = slices.DeleteFunc(b.rung, func(e store.Task) bool {
		if e.Kind == kind {
			taken = append(taken, e)
		}
		return e.Kind == kind
	})
	return taken
}

// settingGroups are the groups of routes that the settings are.
var settingGroups = []httpapi.Group{httpapi.GroupDocumentTypes, httpapi.GroupScenarios, httpapi.GroupRegistrationPages, httpapi.GroupIntegrations,
	httpapi.GroupSettings, httpapi.GroupCandidates}

// newDesk makes a company of a new group. targets are addresses that may be reached although they are private.
func newDesk(t *testing.T, targets ...string) desk {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "table"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	d := desk{T: t, doc: openapitest.New(t), bell: &recorder{}}
	d.store = store.New(engine, store.Config{Notifier: d.bell})
	guard := webhook.NewGuard(targets)
	d.api, err = httpapi.New(httpapi.Config{Store: d.store, Groups: settingGroups, Rate: 1e6, Burst: 1e6,
		Log: slog.New(slog.DiscardHandler), Targets: guard, Prober: webhook.NewSender(guard, webhook.Config{}), NewSecret: webhook.NewSecret})
	if err != nil {
		t.Fatal(err)
	}
	d.company, err = d.store.CreateCompany(t.Context(), "", "First")
	if err != nil {
		t.Fatal(err)
	}
	d.key = d.company.Key.Secret
	return d
}

// of is the same desk with the key of another company.
func (d desk) of(c dossier.Company) desk {
	d.company, d.key = c, c.Key.Secret
	return d
}

// partner makes a company of the same group, stranger one of another.
func (d desk) partner() desk  { return d.join(d.company.GroupID) }
func (d desk) stranger() desk { return d.join("") }

func (d desk) join(group string) desk {
	d.Helper()
	c, err := d.store.CreateCompany(d.Context(), group, "Other")
	if err != nil {
		d.Fatal(err)
	}
	return d.of(c)
}

// answered is one answer: its status, its body as text and as JSON.
type answered struct {
	status int
	header http.Header
	text   string
	body   any
}

// send sends a request with headers in pairs, and holds the answer against the document.
func (d desk) send(method, target, body string, header ...string) answered {
	d.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+d.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for n := 0; n+1 < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	w := httptest.NewRecorder()
	d.api.ServeHTTP(w, r)
	result := w.Result()
	text, err := io.ReadAll(result.Body)
	if err != nil {
		d.Fatal(err)
	}
	result.Body = io.NopCloser(bytes.NewReader(text))
	d.doc.Check(d.T, r, []byte(body), result, text)
	a := answered{status: result.StatusCode, header: result.Header, text: string(text)}
	if err := json.Unmarshal(text, &a.body); err != nil {
		d.Fatalf("%s %s: %v: %s", method, target, err, text)
	}
	return a
}

// ok sends a request that has to be answered 200.
func (d desk) ok(method, target, body string, header ...string) answered {
	d.Helper()
	a := d.send(method, target, body, header...)
	if a.status != http.StatusOK {
		d.Fatalf("%s %s %s: %d %s", method, target, body, a.status, a.text)
	}
	return a
}

// make creates an entity and returns its id.
func (d desk) make(path, body string) string {
	d.Helper()
	return d.ok("POST", path, body).str("id")
}

// refuse sends a request that has to be answered with a status and code, and returns what its errors point to.
func (d desk) refuse(method, target, body string, status int, code dossier.Code) []string {
	d.Helper()
	a := d.send(method, target, body)
	if a.status != status || a.str("code") != string(code) {
		d.Errorf("%s %s %s: %d %s, want %d %s", method, target, body, a.status, a.text, status, code)
	}
	return a.pointers()
}

func (a answered) pointers() []string {
	var pointers []string
	for n := range a.len("errors") {
		pointers = append(pointers, a.str("errors", n, "pointer"))
	}
	return pointers
}

// at follows names of members and numbers of elements; nil where there is nothing.
func (a answered) at(path ...any) any {
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

func (a answered) str(path ...any) string {
	s, _ := a.at(path...).(string)
	return s
}

func (a answered) len(path ...any) int {
	l, _ := a.at(path...).([]any)
	return len(l)
}
