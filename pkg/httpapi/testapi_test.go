package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/blob/fileblob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/openapitest"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/store"
)

// testAPI is the whole API on an embedded store and a folder of its own, called by one company with
// its first key. Every response is checked against
// the OpenAPI document.
type testAPI struct {
	*bench
	store     *store.Store
	engine    kv.Engine
	company   dossier.Company
	key       string
	blobs     *fileblob.Store
	files     *httptest.Server // where forms are sent and links lead
	notified  *notifications
	clock     *clock
	unchecked bool // answers are not held against the document: for the tests that send thousands
}

// notifications is a doorbell that keeps what rang.
type notifications struct {
	mu      sync.Mutex
	entries []store.Task
}

func (o *notifications) Notify(_ context.Context, entries []store.Task) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries = append(o.entries, entries...)
}

// clock is a time that goes on only when it is told to.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// anyTarget lets every address be saved, and reaches none.
type anyTarget struct{}

func (anyTarget) CheckURL(string) error { return nil }

func (anyTarget) Probe(context.Context, dossier.Delivery, string) dossier.DeliveryReport {
	return dossier.DeliveryReport{}
}

// runner runs rules as the work package does.
type ruleRunner struct{ t *store.Store }

func (r ruleRunner) Run(ctx context.Context, company, candidate string) error {
	return r.t.RunJobs(ctx, company, candidate)
}

func newTestAPI(t *testing.T) *testAPI {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	return newTestAPIOn(t, engine)
}

func newTestAPIOn(t *testing.T, engine kv.Engine) *testAPI {
	t.Helper()
	h := &testAPI{engine: engine, notified: &notifications{}, clock: &clock{at: time.Now()}}
	h.store = store.New(engine, store.Config{Notifier: h.notified, Now: h.clock.now})
	h.files = httptest.NewUnstartedServer(nil)
	var err error
	h.blobs, err = fileblob.New(t.TempDir(), "http://"+h.files.Listener.Addr().String(), []byte("a secret of this test"))
	if err != nil {
		t.Fatal(err)
	}
	h.files.Config.Handler = h.blobs.Handler()
	h.files.Start()
	t.Cleanup(func() {
		h.files.Close()
		_ = h.blobs.Close()
	})
	h.company, err = h.store.CreateCompany(t.Context(), "", "One")
	if err != nil {
		t.Fatal(err)
	}
	h.key = h.company.Key.Secret
	api, err := New(Config{Store: h.store, Groups: Groups(), Blobs: h.blobs, Rules: ruleRunner{h.store}, Now: h.clock.now, Rate: 1e9, Burst: 1e9, FailureRate: 1e9, FailureBurst: 1e9, GuestRate: 1e9, GuestBurst: 1e9,
		Targets: anyTarget{}, Prober: anyTarget{}, NewSecret: func() string { return "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h.bench = &bench{API: api}
	return h
}

// do sends a request, with the company's first key where it names none.
func (h *testAPI) do(t *testing.T, c call) *httptest.ResponseRecorder {
	t.Helper()
	if c.key == "" {
		c.key = h.key
	}
	w := h.bench.do(t, c)
	if !h.unchecked {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Header.Set("Content-Type", "application/json")
		openapitest.New(t).Check(t, r, []byte(c.body), w.Result(), w.Body.Bytes())
	}
	return w
}

// ok sends a request that has to succeed and returns its answer.
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

// decoded reads an answer.
func decoded[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Errorf("%v: %s", err, w.Body)
	}
	return v
}

// refused sends a request that has to be refused with a code, naming exactly the pointers ("/name tooLong").
func (h *testAPI) refused(t *testing.T, c call, code dossier.Code, named ...string) *httptest.ResponseRecorder {
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

// documentType makes one of a name; more are further members of its body.
func (h *testAPI) documentType(t *testing.T, name, more string) string {
	t.Helper()
	return ok[dossier.DocumentType](t, h, "POST", "/documentTypes", fmt.Sprintf(`{"name":%q%s}`, name, more)).ID
}

// candidate makes one who is asked for document types.
func (h *testAPI) candidate(t *testing.T, documentTypeIDs ...string) string {
	t.Helper()
	ids, _ := json.Marshal(documentTypeIDs)
	return ok[dossier.Candidate](t, h, "POST", "/candidates", `{"firstName":"Ada","documentTypeIds":`+string(ids)+`}`).ID
}

// requests lists a candidate's candidate document types.
func (h *testAPI) requests(t *testing.T, candidate string) []dossier.CandidateDocumentType {
	t.Helper()
	return ok[[]dossier.CandidateDocumentType](t, h, "GET", "/candidateDocumentTypes?filter[candidateId]="+candidate, "")
}

// asked makes a candidate who is asked for one document type, and returns both ids.
func (h *testAPI) candidateWithRequest(t *testing.T, typeMembers string) (candidate, request string) {
	t.Helper()
	candidate = h.candidate(t, h.documentType(t, "Permit", typeMembers))
	return candidate, h.requests(t, candidate)[0].ID
}

// checked carries out every check that rang, with what it finds, and what follows from it.
func (h *testAPI) finishChecks(t *testing.T, found store.CheckResult) int {
	t.Helper()
	h.notified.mu.Lock()
	entries := h.notified.entries
	h.notified.entries = nil
	h.notified.mu.Unlock()
	done := 0
	for _, e := range entries {
		claim, ok, err := h.store.ClaimCheck(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		if err := h.store.FinishCheck(t.Context(), claim, found); err != nil {
			t.Fatal(err)
		}
		if err := (ruleRunner{h.store}).Run(t.Context(), claim.Company, claim.Candidate); err != nil {
			t.Fatal(err)
		}
		done++
	}
	return done
}

// token makes a token of a candidate.
func (h *testAPI) token(t *testing.T, candidate string) string {
	t.Helper()
	token, err := h.store.CreateToken(t.Context(), h.company.ID, candidate, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token.Token
}

const pdf = "%PDF-1.4\n%%EOF\n"

// parts is the body of an inline upload: name and content of each part, said to be a PDF.
func parts(nameAndContent ...string) string {
	var list []string
	for i := 0; i < len(nameAndContent); i += 2 {
		list = append(list, fmt.Sprintf(`{"name":%q,"fileName":"a.pdf","contentType":"application/pdf","content":%q}`,
			nameAndContent[i], base64.StdEncoding.EncodeToString([]byte(nameAndContent[i+1]))))
	}
	return `{"parts":[` + strings.Join(list, ",") + `]}`
}

// read reads what a link leads to.
func (h *testAPI) read(t *testing.T, url string) string {
	t.Helper()
	resp, err := h.files.Client().Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: %d %v", url, resp.StatusCode, err)
	}
	return string(body)
}

// holds reports whether a text stands in anything that is stored of a candidate.
func (h *testAPI) holds(t *testing.T, candidate, text string) bool {
	t.Helper()
	partition := h.company.ID[len("com_"):] + "#CAND#" + candidate[len("cnd_"):]
	for _, p := range []string{partition, partition + "#MSG"} {
		page, err := h.engine.Query(t.Context(), kv.Query{Partition: p})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Items {
			if strings.Contains(fmt.Sprintf("%s %v", i.Doc, i), text) {
				return true
			}
		}
	}
	return false
}
