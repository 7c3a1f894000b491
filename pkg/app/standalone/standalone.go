// Package standalone runs every handler and every consumer in one process, on the embedded store
// and a folder.
package standalone

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/checker"
	"github.com/dossierhq/dossier/pkg/app/metrics"
	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/blob/fileblob"
	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/docs"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/notify/inprocess"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/web"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

// shutdownTime bounds requests and work in flight once the process is told to end.
const shutdownTime = 4 * time.Second

// Process is the standalone process before and while it runs.
type Process struct {
	cfg      app.Config
	log      *slog.Logger
	engine   *bolt.Engine
	blobs    *fileblob.Store
	sealKey  string // seals secrets; empty if Config brought the box
	checks   string // the folder of the documents that are being checked
	notifier *inprocess.Notifier
	store    *store.Store
	sweep    *worker.Sweep
	handler  http.Handler
	consume  map[string]inprocess.Consumer
	metrics  *metrics.Recorder
	// when sweepOnce last overwrote erased data
	overwritten time.Time
	swept       atomic.Int64 // when the last sweep ended without an error, unix milliseconds
	backups     sync.RWMutex // held by a backup; erasures hold it for reading
}

// Run starts the process, prints how to begin to out, and ends cleanly when ctx does.
func Run(ctx context.Context, cfg app.Config, out io.Writer, log *slog.Logger) (err error) {
	listener, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return err
	}
	if cfg.URL == "" {
		cfg.URL = "http://" + listener.Addr().String()
	}
	p, err := Open(cfg, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	p.tellSandbox(ctx)
	closeOperator, err := p.serveOperator()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer closeOperator()
	closeMetrics, err := p.serveMetrics()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, closeMetrics()) }()
	err = errors.Join(p.welcome(ctx, out), p.tellPictures(ctx, out))
	switch {
	case err != nil && ctx.Err() != nil:
		return listener.Close() // told to end while it started, which is a clean end
	case err != nil:
		return errors.Join(err, listener.Close())
	}
	return p.Serve(ctx, listener)
}

// tellSandbox logs what the processes that parse uploaded files can't do on this machine.
func (p *Process) tellSandbox(ctx context.Context) {
	sandbox, err := check.New(check.Config{}).Probe(ctx)
	if err != nil {
		p.log.ErrorContext(ctx, "uploaded files can't be parsed", "error", err)
		return
	}
	level := slog.LevelInfo
	if !sandbox.Complete() {
		level = slog.LevelWarn
	}
	p.log.Log(ctx, level, "sandbox of parsing", "noFiles", sandbox.NoFiles, "noNetwork",
		sandbox.NoNetwork,
		"noPrograms", sandbox.NoPrograms, "noPrivileges", sandbox.NoPrivileges)
}

// Open wires the process on the folder cfg.Data. cfg.URL is the address for clients.
func Open(cfg app.Config, log *slog.Logger) (*Process, error) {
	if cfg.Sweep == 0 {
		cfg.Sweep = 5 * time.Second
	}
	if cfg.Rate == 0 {
		cfg.Rate = 1000
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, err
	}
	if err := checkWhole(cfg.Data); err != nil {
		return nil, err
	}
	secret, err := linkSecret(filepath.Join(cfg.Data, secretFile))
	if err != nil {
		return nil, err
	}
	cfg.LogKey = cmp.Or(cfg.LogKey, logKey(secret))
	ownKey := ""
	if cfg.Seal == nil {
		if cfg.Seal, ownKey, err = openSealKey(cfg.Data); err != nil {
			return nil, err
		}
	}
	engine, err := bolt.Open(filepath.Join(cfg.Data, tableFile))
	if err != nil {
		return nil, err
	}
	// Behind the table's lock: another process that runs keeps its documents.
	checks, err := emptyFolder(filepath.Join(cfg.Data, "checks"))
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	blobs, err := fileblob.New(filepath.Join(cfg.Data, blobFolder), cfg.URL, secret)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	p := &Process{cfg: cfg, log: log, engine: engine, blobs: blobs, notifier: inprocess.New(),
		checks: checks, sealKey: ownKey, metrics: metrics.New(app.Version())}
	p.store = store.New(p.metrics.Engine(engine),
		store.Config{Notifier: p.notifier, Lease: cfg.Lease,
			Sweep: cfg.Sweep, OpenShards: cfg.OpenShards, Seal: cfg.Seal,
			Tracer: cfg.Tracer})
	if err := p.checkFormat(); err != nil {
		return nil, errors.Join(fmt.Errorf("the data folder %s can't be opened: %w", cfg.Data, err),
			p.Close())
	}
	if err := p.wire(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// checkWhole refuses a folder that was used before and has lost its table or its secret: with new
// ones every key would be unknown.
func checkWhole(data string) error {
	if _, err := os.Stat(filepath.Join(data, markerFile)); err != nil {
		return nil // the first start, or one that failed
	}
	for _, name := range []string{tableFile, secretFile} {
		if info, err := os.Stat(filepath.Join(data, name)); err != nil || info.Size() == 0 {
			return fmt.Errorf(
				"the data folder %s is torn: it was used before, and its %s is missing or empty",
				data, name)
		}
	}
	return nil
}

// wire connects the handlers and consumers.
func (p *Process) wire() error {
	guard := webhook.NewGuard(p.cfg.AllowTargets)
	sender := webhook.NewSender(guard, webhook.Config{})
	rules := &worker.Rules{Store: p.store}
	check := func(inTurn func(context.Context, store.Claim, func()) error) *worker.Check {
		return &worker.Check{
			Store: p.store, Bytes: checker.Bytes{Blobs: p.blobs}, Dir: p.checks, Now: time.Now,
			Log: p.log, Tracer: p.cfg.Tracer,
			Checker: p.metrics.Checker(checker.New(checker.Config{Blobs: p.blobs, Sender: sender,
				Tesseract: p.cfg.Tesseract, Now: time.Now, Log: p.log, InTurn: inTurn,
				Tracer: p.cfg.Tracer})),
		}
	}
	deliver := &worker.Deliver{Store: p.store, Sender: p.metrics.Sender(sender), Now: time.Now,
		Log: p.log, Tracer: p.cfg.Tracer, NextDelay: webhook.NextDelay,
		DisableAfter: webhook.DisableAfter}
	p.sweep = &worker.Sweep{Store: p.store, Blobs: eraser{p}, Log: p.log}
	p.consume = Consumers(p.notifier, Workers{
		Check: check(nil), ParserCheck: check(InTurn(p.notifier)), Rules: rules, Deliver: deliver,
		Dispatch: &worker.Dispatch{Store: p.store}, Measure: p.metrics.Task,
		Traced: p.cfg.Tracer != nil,
	}, p.log)
	cfg := httpapi.Config{
		Store: p.store, Groups: httpapi.Groups(), Log: p.log, Rate: p.cfg.Rate,
		Burst: int(2 * p.cfg.Rate), LogKey: []byte(p.cfg.LogKey), Blobs: p.blobs, Rules: rules,
		Targets: guard, Prober: sender, NewSecret: webhook.NewSecret, OpenAPI: openapi.Document,
		Version: app.Version(), Observe: p.metrics.Request, Tracer: p.cfg.Tracer,
	}
	if err := p.accept(&cfg, sender, guard); err != nil {
		return err
	}
	api, err := httpapi.New(cfg)
	if err != nil {
		return err
	}
	pages, err := p.pages(api)
	if err != nil {
		return err
	}
	received := p.blobs.Handler(p.store)
	mux := http.NewServeMux()
	mux.Handle("/", api)
	for _, prefix := range web.Prefixes() {
		mux.Handle(prefix, pages)
	}
	mux.HandleFunc("GET "+httpapi.ReadyPath, p.ready)
	mux.Handle("/blobs", received)
	mux.Handle("/blobs/", received)
	mux.Handle("/docs", docs.Handler())
	mux.Handle("/docs/", docs.Handler())
	p.handler = httpapi.BehindProxies(p.cfg.Proxies,
		api.LogOthers(exactPaths(mux, api), fileblob.KeyOf))
	return nil
}

// pages makes the pages for people, which call the API in process.
func (p *Process) pages(api http.Handler) (*web.Site, error) {
	return web.New(web.Config{API: api, URL: p.cfg.URL,
		Secure: strings.HasPrefix(p.cfg.URL, "https://"), Log: p.log})
}

// exactPaths passes a path that the mux would tidy up and redirect to the API, where it is a 404.
func exactPaths(mux, api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tidy := path.Clean(r.URL.Path)
		if tidy != "/" && strings.HasSuffix(r.URL.Path, "/") {
			tidy += "/"
		}
		if tidy != r.URL.Path {
			api.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Handler answers every request to the process.
func (p *Process) Handler() http.Handler { return p.handler }

// Store returns the store of the process.
func (p *Process) Store() *store.Store { return p.store }

// Serve answers until ctx ends, then finishes what is in flight.
func (p *Process) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: p.handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 2 * time.Minute,
		WriteTimeout: 2 * time.Minute,
		IdleTimeout:  2 * time.Minute, ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelWarn),
	}
	p.notifier.Start(p.consume)
	sweeping, stop := context.WithCancel(ctx)
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		p.sweepEvery(sweeping)
	}()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	stop()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if shutdown := server.Shutdown(ending); shutdown != nil {
		p.log.Warn("requests were cut off", "error", shutdown)
		err = errors.Join(err, server.Close())
	}
	<-swept
	if closed := p.notifier.Close(ending); closed != nil {
		p.log.Warn("work goes on at the next start", "error", closed)
	}
	return err
}

// sweepEvery sweeps at once, for what an earlier process left open, and then at every tick.
func (p *Process) sweepEvery(ctx context.Context) {
	tick := time.NewTicker(p.cfg.Sweep)
	defer tick.Stop()
	for {
		if err := p.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			p.log.Error("sweep failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// expired bounds the expired items that one sweep deletes.
const expired = 1000

// pendingFor is the time that a part posted through a form waits for its commit.
const pendingFor = 24 * time.Hour

// sweepOnce sweeps, and deletes what on AWS the table and the bucket let go of by themselves.
func (p *Process) sweepOnce(ctx context.Context) error {
	found, err := p.sweep.Work(ctx)
	if now := time.Now(); err == nil {
		p.swept.Store(now.UnixMilli())
		p.metrics.Swept(now, found)
	}
	_, gone := p.engine.Expire(ctx, time.Now(), expired)
	if !p.backups.TryRLock() {
		return errors.Join(err, gone)
	}
	defer p.backups.RUnlock()
	return errors.Join(err, gone, p.overwriteErased(ctx),
		p.blobs.Expire(ctx, blob.Pending, time.Now().Add(-pendingFor)))
}

// overwriteEvery is the time between two passes over the free pages of the table's file.
const overwriteEvery = time.Hour

// overwriteErased overwrites what erasures have left in free pages of the table's file. While a
// read goes on for long, the next sweep tries again.
func (p *Process) overwriteErased(ctx context.Context) error {
	if time.Since(p.overwritten) < overwriteEvery {
		return nil
	}
	done, err := p.engine.Overwrite(ctx)
	if errors.Is(err, kv.ErrUnavailable) {
		return nil
	}
	if done && err == nil {
		p.overwritten = time.Now()
		p.log.InfoContext(ctx, "erased data is overwritten")
	}
	return err
}

// Close ends a process that does not serve any more.
func (p *Process) Close() error { return errors.Join(p.engine.Close(), p.blobs.Close()) }

// eraser deletes parts, but not while a backup copies them: the erasure stays open then.
type eraser struct{ process *Process }

// DeleteAll implements store.Eraser.
func (e eraser) DeleteAll(ctx context.Context, prefix string) error {
	if !e.process.backups.TryRLock() {
		return fmt.Errorf("a backup is under way: %w", kv.ErrUnavailable)
	}
	defer e.process.backups.RUnlock()
	// Behind this, the table holds nothing of the candidate but in pages that are free.
	if err := e.process.engine.NoteErasure(ctx); err != nil {
		return err
	}
	return e.process.blobs.DeleteAll(ctx, prefix)
}

// linkSecret reads the secret that signs links to parts, making it on the first start.
func linkSecret(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err == nil {
		return hex.DecodeString(strings.TrimSpace(string(text)))
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return secret, os.WriteFile(path, []byte(hex.EncodeToString(secret)), 0o600)
}
