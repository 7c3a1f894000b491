package worker_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
	"github.com/dossierhq/dossier/pkg/worker"
)

// recorder is a notifier that keeps the tasks, for the test to work on when it likes.
type recorder struct {
	entries []store.Task
	atOnce  []int  // the number of tasks in each call
	then    func() // called after each time [nothing]
}

func (r *recorder) Notify(_ context.Context, entries []store.Task) {
	r.entries, r.atOnce = append(r.entries, entries...), append(r.atOnce, len(entries))
	if r.then != nil {
		r.then()
	}
}

// reader is a checker that finds what the test says.
type reader struct {
	found  store.CheckResult
	err    error
	checks int // so far
}

func (r *reader) CheckParts(context.Context, store.Claim, []string,
	string) (store.CheckResult, error) {
	r.checks++
	return r.found, r.err
}

type bytesOf string

func (b bytesOf) OpenPart(context.Context, store.BlobRef) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(string(b))), nil
}

// receiver is a sender that keeps what was sent.
type receiver struct {
	got    []string
	traces []string // trace context of each
	says   dossier.Outcome
}

func (r *receiver) Send(ctx context.Context, d dossier.Delivery) dossier.Outcome {
	r.got, r.traces = append(r.got, d.ID), append(r.traces, trace.From(ctx))
	return r.says
}

type pipeline struct {
	t        *testing.T
	store    *store.Store
	notified *recorder
	reader   *reader
	receiver *receiver
	now      time.Time
	company  string
	log      bytes.Buffer
	lines    bytes.Buffer // of tasks
	tracer   trace.Tracer // [none]
	parent   string       // trace context of uploads [none]
}

func newPipeline(t *testing.T) *pipeline { return newPipelineOn(t, newBolt(t)) }

func newBolt(t *testing.T) kv.Engine {
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	return engine
}

func newPipelineOn(t *testing.T, engine kv.Engine) *pipeline {
	return newTracedPipeline(t, engine, nil)
}

func newTracedPipeline(t *testing.T, engine kv.Engine, tracer trace.Tracer) *pipeline {
	p := &pipeline{t: t, tracer: tracer, notified: &recorder{}, reader: &reader{},
		receiver: &receiver{says: dossier.Outcome{Result: dossier.Delivered}},
		now:      time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	p.store = store.New(engine, store.Config{Notifier: p.notified, Now: func() time.Time {
		return p.now
	}, Tracer: tracer})
	company, err := p.store.CreateCompany(t.Context(), "", "Test")
	if err != nil {
		t.Fatal(err)
	}
	p.company = company.ID
	return p
}

// quiet works on tasks until none is left.
func (p *pipeline) quiet() {
	p.t.Helper()
	log := slog.New(slog.NewJSONHandler(&p.log, nil))
	lines := app.LogTo(&p.lines, slog.LevelInfo)
	now := func() time.Time { return p.now }
	check := &worker.Check{Store: p.store, Bytes: bytesOf("x"), Checker: p.reader, Now: now,
		Log: log, Tracer: p.tracer}
	rules := &worker.Rules{Store: p.store}
	dispatch := &worker.Dispatch{Store: p.store}
	deliver := &worker.Deliver{Store: p.store, Sender: p.receiver, Now: now,
		DisableAfter: time.Hour, Log: log, Tracer: p.tracer,
		NextDelay: func(int, time.Duration, float64) (time.Duration, bool) {
			return time.Second, true
		}}
	answer := map[string]func(context.Context, store.Task) error{store.TaskCheck: check.Work,
		store.TaskRules:    rules.Work,
		store.TaskDispatch: dispatch.Work, store.TaskScenario: dispatch.Work,
		store.TaskDeliver: deliver.Work}
	for len(p.notified.entries) > 0 {
		e := p.notified.entries[0]
		p.notified.entries = p.notified.entries[1:]
		if err := worker.Logged(lines, answer[e.Kind])(trace.Noting(p.t.Context()),
			e); err != nil {
			p.t.Fatalf("%s: %v", e.Kind, err)
		}
	}
}

func (p *pipeline) upload(id string) dossier.CandidateDocumentType {
	p.t.Helper()
	u, err := p.store.BeginUpload(p.t.Context(), p.company, id)
	if err != nil {
		p.t.Fatal(err)
	}
	const sha = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" // of "x"
	got, err := u.Commit(trace.With(p.t.Context(), p.parent), store.NewParts{
		Parts: []dossier.Part{{Name: "front", ContentType: "application/pdf", Size: 1,
			SHA256: sha}},
		Blobs: []store.BlobRef{{Key: "k", Version: "1"}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return got
}

// must returns a value that can't fail in this test.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (p *pipeline) eventNames(candidate string) []string {
	p.t.Helper()
	events, _, err := p.store.Events(p.t.Context(), p.company, candidate, false, "", 0)
	if err != nil {
		p.t.Fatal(err)
	}
	var names []string
	for n, e := range events {
		if e.Sequence != int64(n+1) {
			p.t.Errorf("event %d has sequence %d", n+1, e.Sequence)
		}
		names = append(names, e.Type)
	}
	return names
}

func TestValidatedDocument(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	ctx := t.Context()
	b := must(p.store.CreateType(ctx, p.company, dossier.DocumentTypeInput{Name: "B"}, ""))(t)
	a := must(p.store.CreateType(ctx, p.company,
		dossier.DocumentTypeInput{Name: "A",
			Check: dossier.CheckInput{Parser: new("json"), Decision: new("automatic")},
			Submission: dossier.Submission{Rules: []dossier.Rule{{ConditionsType: "and",
				Conditions: []dossier.Condition{
					{Type: "fields", Reference: "class", Operator: "contains", Value: []any{"CE"}},
				},
				Actions: []dossier.Action{{Type: dossier.ActionAddDocumentType, Value: b.ID}}}}}},
		""))(t)
	c := must(p.store.CreateCandidate(ctx, p.company,
		store.NewCandidate{Documents: []store.DocumentRequest{{DocumentTypeID: a.ID}}}))(t)
	list, _, err := p.store.Requests(ctx, p.company, store.RequestFilter{CandidateID: c.ID}, "", 50)
	if err != nil || len(list) != 1 {
		t.Fatalf("requests: %v, %v", list, err)
	}
	p.reader.found = store.CheckResult{State: dossier.StateValidated,
		Parsed: map[string]any{"class": "CE"}}
	if got := p.upload(list[0].ID); got.State != dossier.StateProcessing || got.Lock == nil {
		t.Fatalf("after the upload: %+v", got)
	}
	if _, err := p.store.BeginUpload(ctx, p.company, list[0].ID); err == nil {
		t.Fatal("a second upload was not refused")
	}
	p.quiet()
	after := must(p.store.Request(ctx, p.company, list[0].ID))(t)
	if after.State != dossier.StateValidated || after.Lock != nil ||
		after.Document.State != dossier.StateValidated {
		t.Errorf("after the check: %+v", after)
	}
	runs, _, err := p.store.RuleRuns(ctx, p.company, list[0].ID, "", 50)
	if err != nil || len(runs) != 1 || !runs[0].Applied || !runs[0].Rules[0].Actions[0].Changed {
		t.Errorf("runs: %+v", runs)
	}
	want := []string{"candidateCreated", "candidateDocumentRequested", "candidateDocumentUploaded",
		"candidateStatusChanged",
		"candidateDocumentValidated", "candidateDocumentRequested", "candidateStatusChanged"}
	if diff := cmp.Diff(want, p.eventNames(c.ID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// An integration that is disabled because of its target stands in the log, once, with its company
// and the reason.
func TestDisabledIsLogged(t *testing.T) {
	t.Parallel()
	for reason, says := range map[string]dossier.Outcome{
		dossier.DisabledGone:    {Result: dossier.Gone},
		dossier.DisabledFailing: {Result: dossier.Retry},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			p := newPipeline(t)
			p.receiver.says = says
			i := must(p.store.CreateIntegration(t.Context(), p.company,
				dossier.IntegrationInput{Name: "I", TriggerEvent: "candidateCreated",
					Target: dossier.Target{Type: dossier.TargetWebhook,
						URL: "https://example.com"}},
				"whsec_x"))(t)
			for range 3 { // five days, an hour here, are over with the second
				must(p.store.CreateCandidate(t.Context(), p.company, store.NewCandidate{}))(t)
				p.quiet()
				p.now = p.now.Add(time.Hour)
			}
			log := p.log.String()
			for _, want := range []string{`"level":"WARN"`, `"msg":"integration disabled"`, i.ID,
				p.company, `"reason":"` + reason + `"`} {
				if strings.Count(log, want) != 1 {
					t.Errorf("%s is not there once: %s", want, log)
				}
			}
		})
	}
}
