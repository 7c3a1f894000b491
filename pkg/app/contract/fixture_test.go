package contract

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app/checker"
	"github.com/dossierhq/dossier/pkg/app/standalone"
	"github.com/dossierhq/dossier/pkg/blob/fileblob"
	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
	"github.com/dossierhq/dossier/pkg/notify/inprocess"
	"github.com/dossierhq/dossier/pkg/seal"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

// engines are the storages on which the contract holds.
var engines = map[string]func(*testing.T) kv.Engine{
	"bolt": func(t *testing.T) kv.Engine {
		engine, err := bolt.Open(filepath.Join(t.TempDir(), "table"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = engine.Close() })
		return engine
	},
	"dynamo": func(t *testing.T) kv.Engine {
		return dynamotest.New(t)
	},
}

// service is the whole service over HTTP, checks and deliveries included, for one company.
type service struct {
	*testing.T
	url      string
	store    *store.Store
	sweep    *worker.Sweep
	later    func(time.Duration) *store.Store // the same store, with a clock that is ahead
	group    string
	key      string
	receiver *receiver
	company  string
	shards   int // of the lists of every company
}

// newService wires the service on an engine as the standalone process does.
func newService(t *testing.T, engine kv.Engine,
	options ...func(*httpapi.Config)) *service {
	t.Helper()
	return newShardedService(t, engine, 1, options...)
}

// newServiceAt is newService on a clock of the test. Its sweeps are up to the test.
func newServiceAt(t *testing.T, engine kv.Engine, now func() time.Time) *service {
	t.Helper()
	return wire(t, engine, now, 1)
}

// newShardedService is newService with so many shards for the lists of every company.
func newShardedService(t *testing.T, engine kv.Engine, shards int,
	options ...func(*httpapi.Config)) *service {
	t.Helper()
	return wire(t, engine, time.Now, shards, options...)
}

// wire makes the service with a first company.
func wire(t *testing.T, engine kv.Engine, now func() time.Time, shards int,
	options ...func(*httpapi.Config)) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	s := &service{T: t, receiver: newReceiver(t), shards: shards}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	blobs, err := fileblob.New(t.TempDir(), server.URL, []byte("a secret of this test"))
	if err != nil {
		t.Fatal(err)
	}
	notifier := inprocess.New()
	box, err := seal.New([]byte(seal.NewKey()))
	if err != nil {
		t.Fatal(err)
	}
	s.store = store.New(engine, store.Config{Notifier: notifier, Seal: box, Now: now,
		ShardsSeen: time.Nanosecond})
	s.later = clockedStores(engine, notifier, box)
	guard := webhook.NewGuard([]string{strings.TrimPrefix(s.receiver.URL, "http://")})
	sender := webhook.NewSender(guard, webhook.Config{})
	s.sweep = &worker.Sweep{Store: s.store, Blobs: blobs, Log: log}
	rules := &worker.Rules{Store: s.store}
	checks := &worker.Check{Store: s.store, Bytes: checker.Bytes{Blobs: blobs},
		Checker: checker.New(checker.Config{Blobs: blobs, Sender: sender, Now: now}),
		Now:     now, Log: log}
	cfg := httpapi.Config{Store: s.store, Groups: httpapi.Groups(), Log: log,
		Now: now, Rate: 1e6, Burst: 1e6,
		Blobs: blobs, Rules: rules, Targets: guard, Prober: sender, NewSecret: webhook.NewSecret}
	for _, set := range options {
		set(&cfg)
	}
	api, err := httpapi.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/", api)
	mux.Handle("/blobs/", blobs.Handler(s.store))
	notifier.Start(standalone.Consumers(notifier, standalone.Workers{
		Check: checks, ParserCheck: checks, Rules: rules,
		Dispatch: &worker.Dispatch{Store: s.store},
		Deliver: &worker.Deliver{Store: s.store, Sender: sender, Now: now, Log: log,
			NextDelay: webhook.NextDelay, DisableAfter: webhook.DisableAfter},
	}, log))
	t.Cleanup(func() {
		_ = notifier.Close(t.Context())
		_ = blobs.Close()
	})
	company, err := s.store.CreateCompany(t.Context(), "", "First")
	if err != nil {
		t.Fatal(err)
	}
	s.group, s.company, s.key = company.GroupID, company.ID, company.Key.Secret
	s.spread(company.ID, shards)
	return s
}

// spread gives the lists of a company so many shards.
func (s *service) spread(company string, shards int) {
	s.Helper()
	if _, err := s.store.SetListShards(s.Context(), company, shards); err != nil {
		s.Fatal(err)
	}
}

// clockedStores returns what opens the same store with a clock that is ahead.
func clockedStores(engine kv.Engine, notifier store.Notifier,
	box *seal.Box) func(time.Duration) *store.Store {
	return func(by time.Duration) *store.Store {
		return store.New(engine, store.Config{Notifier: notifier, Seal: box,
			Now: func() time.Time { return time.Now().Add(by) }})
	}
}

// partner returns the service as another company of the group calls it.
func (s *service) partner() (partner *service, id string) {
	s.Helper()
	company, err := s.store.CreateCompany(s.Context(), s.group, "Partner")
	if err != nil {
		s.Fatal(err)
	}
	s.spread(company.ID, s.shards)
	other := *s
	other.company, other.key = company.ID, company.Key.Secret
	return &other, company.ID
}

// sub returns the service for a subtest.
func (s *service) sub(t *testing.T) *service {
	other := *s
	other.T = t
	return &other
}

type object = map[string]any

// send calls the API and returns the status and the decoded answer.
func (s *service) send(method, path string, body any, header ...string) (int, any, http.Header) {
	s.Helper()
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.Fatal(err)
		}
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, reader)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for n := 0; n+1 < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var decoded any
	if err := json.NewDecoder(answer.Body).Decode(&decoded); err != nil {
		s.Fatalf("%s %s: %v", method, path, err)
	}
	return answer.StatusCode, decoded, answer.Header
}

// ok calls the API and fails unless it answers 200.
func (s *service) ok(method, path string, body any) any {
	s.Helper()
	status, answer, header := s.send(method, path, body)
	if status != http.StatusOK ||
		!strings.HasPrefix(header.Get("Content-Type"), "application/json") {
		s.Fatalf("%s %s %v: %d %v", method, path, body, status, answer)
	}
	return answer
}

// one and list are ok for answers that are an object or an array.
func (s *service) one(method, path string, body any) object {
	s.Helper()
	answer, ok := s.ok(method, path, body).(object)
	if !ok {
		s.Fatalf("%s %s: not an object", method, path)
	}
	return answer
}

func (s *service) list(path string) []any {
	s.Helper()
	answer, ok := s.ok("GET", path, nil).([]any)
	if !ok {
		s.Fatalf("GET %s: not an array", path)
	}
	return answer
}

// refuse calls the API and fails unless it answers with the status and code.
func (s *service) refuse(method, path string, body any, status int, code string) object {
	s.Helper()
	got, answer, _ := s.send(method, path, body)
	problem, _ := answer.(object)
	if got != status || problem["code"] != code {
		s.Fatalf("%s %s %v: %d %v, want %d %s", method, path, body, got, answer, status, code)
	}
	return problem
}

// create posts an entity and returns its id.
func (s *service) create(path string, body object) string {
	s.Helper()
	return at(s.one("POST", path, body), "id").(string)
}

// at follows member names and positions; nil if there is nothing.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(object)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

// find returns the element of a list whose member has the value.
func find(list []any, member string, value any) object {
	for _, v := range list {
		if at(v, member) == value {
			return v.(object)
		}
	}
	return nil
}

func (s *service) equal(what string, got, want any) {
	s.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		s.Errorf("%s: got %s, want %s", what, g, w)
	}
}

// parsed is a document that the json parser reads.
const parsed = `{"permit":{"number":"NL-204","class":"CE","tags":["a","b"],"empty":""}}`

func parts(content string) object {
	return object{"parts": []object{
		{"name": "front", "fileName": "permit.json", "contentType": "application/json",
			"content": base64.StdEncoding.EncodeToString([]byte(content))},
	}}
}

// eventually repeats an attempt until it succeeds, for half a minute.
func (s *service) eventually(what string, attempt func() bool) {
	s.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	end := time.After(time.Minute)
	for !attempt() {
		select {
		case <-tick.C:
		case <-end:
			s.Fatalf("%s did not happen", what)
		}
	}
}
