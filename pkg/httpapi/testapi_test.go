package httpapi

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/blob/fileblob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
)

// testAPI is the fixture of all tests that send requests. Without options it is the whole API on an
// embedded store and a folder of files, called with the first key of one company; every response is
// checked against the OpenAPI document. withRoutes replaces the routes and the store: tests of
// routing, authentication and decoding need neither.
//
//	testapi_test.go         the fixture and its options
//	testapi_routes_test.go  fake credentials and stored responses, for withRoutes
//	testapi_calls_test.go   requests, and the checks that every response has to pass
//	testapi_records_test.go creates records and runs their pending work
//	testapi_client_test.go  requests of one company, with responses as untyped JSON
type testAPI struct {
	*API
	store     *store.Store
	engine    kv.Engine
	company   dossier.Company
	key       string // sent by requests that name no other
	blobs     *fileblob.Store
	files     *httptest.Server // serves the blobs' forms and links
	notified  *notifications
	clock     *clock
	log       *bytes.Buffer
	lateForms bool // forms take files whatever has become of their upload
	unchecked bool // skips the OpenAPI document, for tests that send thousands of requests

	routes      []route // set by withRoutes, like the two below
	credentials *fakeCredentials
	responses   *fakeResponses
}

// testOption changes the fixture before it is built.
type testOption func(*testAPI, *Config)

// onEngine stores everything in an engine of the test instead of a new embedded one.
func onEngine(engine kv.Engine) testOption {
	return func(h *testAPI, _ *Config) { h.engine = engine }
}

// withTargets checks and probes targets as in production. The addresses may be reached although
// they are private.
func withTargets(addresses ...string) testOption {
	return func(_ *testAPI, cfg *Config) {
		guard := webhook.NewGuard(addresses)
		cfg.Targets, cfg.Prober = guard, webhook.NewSender(guard, webhook.Config{})
		cfg.NewSecret = webhook.NewSecret
	}
}

// withRoutes serves these routes only, on fake credentials and stored responses. The clock stands
// at start, and the configuration has nothing but what the test sets.
func withRoutes(config Config, routes ...route) testOption {
	return func(h *testAPI, cfg *Config) {
		*cfg, h.routes = config, routes
		h.clock.at, h.key, h.unchecked = start, adminKey, true
		h.credentials, h.responses = newFakeCredentials(),
			&fakeResponses{kept: map[store.Idempotency][]byte{}}
	}
}

func newTestAPI(t *testing.T, options ...testOption) *testAPI {
	t.Helper()
	h := &testAPI{notified: &notifications{}, clock: &clock{at: time.Now()}, log: &bytes.Buffer{}}
	cfg := Config{Groups: Groups(), Rate: 1e9, Burst: 1e9, FailureRate: 1e9, FailureBurst: 1e9,
		GuestRate: 1e9, GuestBurst: 1e9, SimulationShare: 1, SimulationBurst: 1000 * time.Hour,
		Targets: anyTarget{}, Prober: anyTarget{}, People: anyPerson{}, NewSecret: func() string {
			return "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
		}}
	for _, o := range options {
		o(h, &cfg)
	}
	cfg.Now, cfg.Log = h.clock.now, slog.New(slog.NewJSONHandler(h.log, nil))
	var err error
	if h.routes != nil {
		cfg.Keys = h.credentials
		h.API, err = (&API{}).build(cfg, h.responses, h.routes)
	} else {
		h.openStore(t)
		cfg.Store, cfg.Blobs, cfg.Rules = h.store, h.blobs, ruleRunner{h.store}
		h.API, err = New(cfg)
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// openStore opens the store, its files and the first company.
func (h *testAPI) openStore(t *testing.T) {
	t.Helper()
	var err error
	if h.engine == nil {
		engine, err := bolt.Open(filepath.Join(t.TempDir(), "db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = engine.Close() })
		h.engine = engine
	}
	h.store = store.New(h.engine, store.Config{Notifier: h.notified, Now: h.clock.now,
		LateForms: h.lateForms})
	h.files = httptest.NewUnstartedServer(nil)
	h.blobs, err = fileblob.New(t.TempDir(), "http://"+h.files.Listener.Addr().String(),
		[]byte("a secret of this test"))
	if err != nil {
		t.Fatal(err)
	}
	h.files.Config.Handler = h.blobs.Handler(h.store)
	if h.lateForms {
		h.files.Config.Handler = h.blobs.Handler(anyUpload{})
	}
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
}

// notifications is a store.Notifier that keeps the tasks.
type notifications struct {
	mu      sync.Mutex
	entries []store.Task
}

// Notify implements store.Notifier.
func (n *notifications) Notify(_ context.Context, entries []store.Task) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.entries = append(n.entries, entries...)
}

// all returns the tasks and keeps them.
func (n *notifications) all() []store.Task {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.entries)
}

// take returns the tasks and forgets them.
func (n *notifications) take() []store.Task {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.entries
	n.entries = nil
	return taken
}

// clock is a time that moves only when a test moves it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// anyTarget accepts every address and sends nothing.
type anyTarget struct{}

func (anyTarget) CheckURL(string) error { return nil }

func (anyTarget) Probe(context.Context, dossier.Delivery, string) dossier.DeliveryReport {
	return dossier.DeliveryReport{}
}

// anyPerson signs in whoever comes with a code.
type anyPerson struct{}

func (anyPerson) Begin(_ context.Context, with dossier.SignInExchange) (string, error) {
	return with.Provider.Issuer + "/authorize", nil
}

func (anyPerson) Finish(context.Context, dossier.SignInExchange, string) (dossier.SignedIn,
	error) {
	return dossier.SignedIn{ID: "sub_0123456789abcdef", Name: "Ann", Domain: "example.com"}, nil
}

// ruleRunner runs rules as the worker package does.
type ruleRunner struct{ t *store.Store }

func (r ruleRunner) Run(ctx context.Context, company, candidate string) error {
	return r.t.RunJobs(ctx, company, candidate)
}
