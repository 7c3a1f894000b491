package worker_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// requested returns a candidate document type that an automatic check of JSON reads.
func (p *pipeline) requested() dossier.CandidateDocumentType {
	p.t.Helper()
	ctx := p.t.Context()
	dt := must(p.store.CreateType(ctx, p.company, dossier.DocumentTypeInput{Name: "A",
		Check: dossier.CheckInput{Parser: new("json"), Decision: new("automatic")}}, ""))(p.t)
	c := must(p.store.CreateCandidate(ctx, p.company,
		store.NewCandidate{Documents: []store.DocumentRequest{{DocumentTypeID: dt.ID}}}))(p.t)
	list, _, err := p.store.Requests(ctx, p.company, store.RequestFilter{CandidateID: c.ID}, "", 50)
	if err != nil || len(list) != 1 {
		p.t.Fatalf("requests: %v, %v", list, err)
	}
	return list[0]
}

// sweep notifies of the tasks that are due, and answers them.
func (p *pipeline) sweep() {
	p.t.Helper()
	var cursors store.SweepCursors
	due, _, err := p.store.Due(p.t.Context(), 100, &cursors)
	if err == nil {
		err = p.store.Notify(p.t.Context(), due)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.quiet()
}

// A check that can't be made is tried again for an hour with growing waits; then administrators are
// told why.
func TestCheckIsTriedForAnHour(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	p.reader.err = &dossier.CheckError{Cause: "The parser service answered with status 503.",
		Err: errors.New("503")}
	r, began := p.requested(), p.now
	p.upload(r.ID)
	p.quiet()
	var at []time.Duration
	for seen := 0; p.now.Sub(began) < 2*time.Hour; p.now = p.now.Add(time.Second) {
		if p.reader.checks > seen {
			seen = p.reader.checks
			at = append(at, p.now.Sub(began))
		}
		p.sweep()
	}
	if len(at) != store.MaxChecks || at[len(at)-1] < 55*time.Minute ||
		at[len(at)-1] > 65*time.Minute {
		t.Errorf("tries at %v", at)
	}
	for n := 2; n < len(at); n++ {
		if at[n]-at[n-1] <= at[n-1]-at[n-2] {
			t.Errorf("the waits don't grow: %v", at)
		}
	}
	after := must(p.store.Request(t.Context(), p.company, r.ID))(t)
	d := after.Document
	if after.State != dossier.StateCheckFailed || after.Lock != nil || len(d.Reasons) != 2 ||
		d.Reasons[0].Code != dossier.ReasonCheckUnavailable ||
		d.Reasons[1] != (dossier.Reason{Code: dossier.ReasonCheckCause,
			Message: "The parser service answered with status 503."}) {
		t.Errorf("%s %+v", after.State, d.Reasons)
	}
}

// After two documents in a row that took too long, the check of the next one waits; one that does
// not take long ends that.
func TestSlowDocumentsWait(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	p.reader.found = store.CheckResult{State: dossier.StateNeedsResubmission, Slow: true}
	r := p.requested()
	check := func() (wait time.Duration) {
		t.Helper()
		began, seen := p.now, p.reader.checks
		p.upload(r.ID)
		for p.quiet(); p.reader.checks == seen && wait < 2*time.Hour; p.sweep() {
			p.now = p.now.Add(time.Second)
			wait = p.now.Sub(began)
		}
		return wait
	}
	for n, want := range []time.Duration{0, 0, time.Minute, 2 * time.Minute, 4 * time.Minute} {
		if p.reader.found.Slow = n < 4; check() < want {
			t.Errorf("document %d was checked too early", n+1)
		}
	}
	if wait := check(); wait != 0 {
		t.Errorf("after a quick one, the next waited %v", wait)
	}
}
