package golden

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app/checker"
	"github.com/dossierhq/dossier/pkg/app/standalone"
	"github.com/dossierhq/dossier/pkg/blob/fileblob"
	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/notify/inprocess"
	"github.com/dossierhq/dossier/pkg/seal"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

// service has the handlers, and the workers once start was called, on an engine and a clock of the
// test's own.
type service struct {
	store    *store.Store
	blobs    *fileblob.Store
	api      *httpapi.API
	notifier *inprocess.Notifier
	consume  map[string]inprocess.Consumer
	sweep    *worker.Sweep
	server   *httptest.Server
	stop     func()
}

// linkSecret signs the links to parts of the services that the tests make.
var linkSecret = []byte("the secret of the golden's links")

// sealKey returns the key that seals the secrets of integrations and parser services. Those that
// e5822c8 wrote are not sealed.
func sealKey(t testing.TB) *seal.Box {
	t.Helper()
	box, err := seal.New([]byte("the key that seals the golden's secrets"))
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// newService makes a service that is not started. blobs is the folder of parts; integrations and
// parser services may be at the targets.
func newService(
	t testing.TB, engine kv.Engine, blobs, base string, now func() time.Time, targets ...string,
) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	s := &service{notifier: inprocess.New()}
	s.store = store.New(engine, store.Config{Notifier: s.notifier, Now: now,
		Seal: sealKey(t)})
	var err error
	if s.blobs, err = fileblob.New(blobs, base, linkSecret); err != nil {
		t.Fatal(err)
	}
	guard := webhook.NewGuard(targets)
	sender := webhook.NewSender(guard, webhook.Config{})
	rules := &worker.Rules{Store: s.store}
	check := &worker.Check{
		Store: s.store, Bytes: checker.Bytes{Blobs: s.blobs}, Now: now, Log: log,
		Checker: checker.New(checker.Config{Blobs: s.blobs, Sender: sender, Now: now}),
	}
	s.consume = standalone.Consumers(s.notifier, standalone.Workers{
		Check: check, ParserCheck: check, Rules: rules, Dispatch: &worker.Dispatch{Store: s.store},
		Deliver: &worker.Deliver{
			Store: s.store, Sender: sender, Now: now, Log: log, NextDelay: webhook.NextDelay,
			DisableAfter: webhook.DisableAfter,
		},
	}, log)
	s.sweep = &worker.Sweep{Store: s.store, Blobs: s.blobs, Log: log}
	s.api, err = httpapi.New(httpapi.Config{
		Store: s.store, Groups: httpapi.Groups(), Log: log, Now: now, Rate: 1e9, Burst: 1e9,
		Blobs: s.blobs, Rules: rules,
		Targets: guard, Prober: sender, NewSecret: webhook.NewSecret,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.blobs.Close() })
	return s
}

// start serves on a port and works until stop is called.
func (s *service) start(t testing.TB) {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", s.api)
	mux.Handle("/blobs", s.blobs.Handler(s.store))
	mux.Handle("/blobs/", s.blobs.Handler(s.store))
	s.server = httptest.NewServer(mux)
	s.notifier.Start(s.consume)
	ctx, cancel := context.WithCancel(context.Background())
	var sweeping sync.WaitGroup
	sweeping.Go(func() {
		for ctx.Err() == nil {
			if _, err := s.sweep.Work(ctx); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
	s.stop = func() {
		cancel()
		sweeping.Wait()
		s.server.Close()
		ending, done := context.WithTimeout(context.Background(), time.Second)
		defer done()
		_ = s.notifier.Close(ending) // a check that hangs stays open
	}
}
