package work_test

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

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/table"
	"github.com/dossierhq/dossier/pkg/table/bolt"
	"github.com/dossierhq/dossier/pkg/work"
)

// rings is a doorbell that keeps what rang, for the test to answer when it likes.
type rings struct {
	entries []table.Entry
	atOnce  []int  // how many rang together, each time
	then    func() // called after each time [nothing]
}

func (r *rings) Ring(_ context.Context, entries []table.Entry) {
	r.entries, r.atOnce = append(r.entries, entries...), append(r.atOnce, len(entries))
	if r.then != nil {
		r.then()
	}
}

// reader is a checker that finds what the test says.
type reader struct{ found table.Checked }

func (r *reader) CheckParts(context.Context, table.Claim, []string, string) (table.Checked, error) {
	return r.found, nil
}

type bytesOf string

func (b bytesOf) OpenPart(context.Context, table.BlobRef) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(string(b))), nil
}

// receiver is a sender that keeps what was sent.
type receiver struct {
	got  []string
	says work.Sent
}

func (r *receiver) SendDelivery(_ context.Context, d table.Delivery, _ time.Time) work.Sent {
	r.got = append(r.got, d.EventID)
	return r.says
}

type pipeline struct {
	t        *testing.T
	table    *table.Table
	rings    *rings
	reader   *reader
	receiver *receiver
	now      time.Time
	company  string
	log      bytes.Buffer
}

func newPipeline(t *testing.T) *pipeline {
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	p := &pipeline{t: t, rings: &rings{}, reader: &reader{}, receiver: &receiver{says: work.Sent{Delivered: true, StatusCode: 200}}, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	p.table = table.New(engine, table.Config{Doorbell: p.rings, Now: func() time.Time { return p.now }})
	company, err := p.table.CreateCompany(t.Context(), "", "Test")
	if err != nil {
		t.Fatal(err)
	}
	p.company = company.ID
	return p
}

// quiet answers rings until none is left.
func (p *pipeline) quiet() {
	p.t.Helper()
	log := slog.New(slog.NewJSONHandler(&p.log, nil))
	now := func() time.Time { return p.now }
	check := &work.Check{Table: p.table, Bytes: bytesOf("x"), Checker: p.reader, Now: now, Log: log}
	rules := &work.Rules{Table: p.table, Now: now}
	dispatch := &work.Dispatch{Table: p.table}
	deliver := &work.Deliver{Table: p.table, Sender: p.receiver, Now: now, DisableAfter: time.Hour, Log: log,
		NextDelay: func(int, time.Duration, float64) (time.Duration, bool) { return time.Second, true }}
	answer := map[string]func(context.Context, table.Entry) error{table.WorkCheck: check.Work, table.WorkRules: rules.Work,
		table.WorkDispatch: dispatch.Work, table.WorkScenario: dispatch.Work, table.WorkDeliver: deliver.Work}
	for len(p.rings.entries) > 0 {
		e := p.rings.entries[0]
		p.rings.entries = p.rings.entries[1:]
		if err := answer[e.Kind](p.t.Context(), e); err != nil {
			p.t.Fatalf("%s: %v", e.Kind, err)
		}
	}
}

func (p *pipeline) upload(id string) dossier.CandidateDocumentType {
	p.t.Helper()
	u, err := p.table.BeginUpload(p.t.Context(), p.company, id)
	if err != nil {
		p.t.Fatal(err)
	}
	const sha = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" // of "x"
	got, err := u.Commit(p.t.Context(), table.NewParts{
		Parts: []dossier.Part{{Name: "front", ContentType: "application/pdf", Size: 1, SHA256: sha}},
		Blobs: []table.BlobRef{{Key: "k", Version: "1"}},
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
	events, _, err := p.table.Events(p.t.Context(), p.company, candidate, "", 0)
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
	b := must(p.table.CreateType(ctx, p.company, table.TypeContent{Name: "B"}, ""))(t)
	a := must(p.table.CreateType(ctx, p.company, table.TypeContent{Name: "A", Check: table.CheckContent{Parser: new("json"), Decision: new("automatic")},
		Submission: dossier.Submission{Rules: []dossier.Rule{{ConditionsType: "and",
			Conditions: []dossier.Condition{{Type: "fields", Reference: "class", Operator: "contains", Value: []any{"CE"}}},
			Actions:    []dossier.Action{{Type: dossier.ActionAddDocumentType, Value: b.ID}}}}}}, ""))(t)
	c := must(p.table.CreateCandidate(ctx, p.company, table.NewCandidate{Documents: []table.NewRequest{{DocumentTypeID: a.ID}}}))(t)
	list, _, err := p.table.Requests(ctx, p.company, c.ID, nil, "", 50)
	if err != nil || len(list) != 1 {
		t.Fatalf("requests: %v, %v", list, err)
	}
	p.reader.found = table.Checked{State: dossier.StateValidated, Parsed: map[string]any{"class": "CE"}}
	if got := p.upload(list[0].ID); got.State != dossier.StateProcessing || got.Lock == nil {
		t.Fatalf("after the upload: %+v", got)
	}
	if _, err := p.table.BeginUpload(ctx, p.company, list[0].ID); err == nil {
		t.Fatal("a second upload was not refused")
	}
	p.quiet()
	after := must(p.table.Request(ctx, p.company, list[0].ID))(t)
	if after.State != dossier.StateValidated || after.Lock != nil || after.Document.State != dossier.StateValidated {
		t.Errorf("after the check: %+v", after)
	}
	runs, _, err := p.table.RuleRuns(ctx, p.company, list[0].ID, "", 50)
	if err != nil || len(runs) != 1 || !runs[0].Applied || !runs[0].Rules[0].Actions[0].Changed {
		t.Errorf("runs: %+v", runs)
	}
	want := []string{"candidateCreated", "candidateDocumentRequested", "candidateDocumentUploaded", "candidateStatusChanged",
		"candidateDocumentValidated", "candidateDocumentRequested", "candidateStatusChanged"}
	if diff := cmp.Diff(want, p.eventNames(c.ID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// An integration that is disabled because of its target stands in the log, once, with its company and the reason.
func TestDisabledIsLogged(t *testing.T) {
	t.Parallel()
	for reason, says := range map[string]work.Sent{dossier.DisabledGone: {Gone: true, StatusCode: 410}, dossier.DisabledFailing: {StatusCode: 500}} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			p := newPipeline(t)
			p.receiver.says = says
			i := must(p.table.CreateIntegration(t.Context(), p.company, table.IntegrationContent{Name: "I", TriggerEvent: "candidateCreated",
				Target: dossier.Target{Type: dossier.TargetWebhook, URL: "https://example.com"}}, "whsec_x"))(t)
			for range 3 { // five days, an hour here, are over with the second
				must(p.table.CreateCandidate(t.Context(), p.company, table.NewCandidate{}))(t)
				p.quiet()
				p.now = p.now.Add(time.Hour)
			}
			log := p.log.String()
			for _, want := range []string{`"level":"WARN"`, `"msg":"integration disabled"`, i.ID, p.company, `"reason":"` + reason + `"`} {
				if strings.Count(log, want) != 1 {
					t.Errorf("%s is not there once: %s", want, log)
				}
			}
		})
	}
}
