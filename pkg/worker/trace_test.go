package worker_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
)

// spans is a tracer that keeps what began, by name with the name of its parent.
type spans struct {
	names map[string]string // by trace context
	begun []string
}

func (s *spans) Start(ctx context.Context,
	w trace.Work) (context.Context, func(trace.Outcome)) {
	parent := trace.From(ctx)
	id := trace.ID(parent)
	if id == "" {
		id = fmt.Sprintf("%032x", len(s.begun)+1)
	}
	name := w.Name + w.EventType
	if w.Attempt > 1 {
		name += fmt.Sprint(" ", w.Attempt)
	}
	own := fmt.Sprintf("00-%s-%016x-01", id, len(s.begun)+1)
	s.names[own] = name
	s.begun = append(s.begun, fmt.Sprintf("%s < %s", name, s.names[parent]))
	return trace.With(ctx, own), func(trace.Outcome) {}
}

const uploading = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// followed uploads a document in a trace. The first worker of its check is killed, and the check is
// taken over when the lease ends; the first attempt to deliver fails.
func followed(t *testing.T, tracer trace.Tracer, parent string) *pipeline {
	t.Helper()
	p := newTracedPipeline(t, newBolt(t), tracer)
	p.reader.found = store.CheckResult{State: dossier.StateValidated, Confidence: 1}
	r := p.requested()
	must(p.store.CreateIntegration(t.Context(), p.company, dossier.IntegrationInput{Name: "I",
		TriggerEvent: "candidateDocumentValidated", Ordered: new(true),
		Target: dossier.Target{Type: "webhook", URL: "https://a.test/"}}, "whsec_x"))(t)
	p.quiet()
	if s, ok := tracer.(*spans); ok {
		s.begun = nil
	}
	p.parent = parent
	p.upload(r.ID)
	for _, e := range p.notified.entries {
		if e.Kind != store.TaskCheck {
			continue
		}
		if _, ok, err := p.store.ClaimCheck(t.Context(), e); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	p.receiver.says = dossier.Outcome{Result: dossier.Retry}
	p.quiet()
	for range 2 {
		p.now = p.now.Add(time.Minute)
		p.sweep()
		p.receiver.says = dossier.Outcome{Result: dossier.Delivered}
	}
	if len(p.receiver.got) != 2 {
		t.Fatalf("delivered %q", p.receiver.got)
	}
	return p
}

// A check whose worker was killed, and a delivery that failed, go on in the trace of the upload.
func TestTraceGoesOnAfterALease(t *testing.T) {
	t.Parallel()
	s := &spans{names: map[string]string{uploading: "upload"}}
	followed(t, s, uploading)
	want := []string{
		"dispatchcandidateDocumentUploaded < upload",
		"dispatchcandidateStatusChanged < upload",
		"check 2 < upload",
		"rules < check 2",
		"dispatchcandidateDocumentValidated < rules",
		"dispatchcandidateStatusChanged < rules",
		"dispatchcandidateApproved < rules",
		"deliver < dispatchcandidateDocumentValidated",
		"deliver 2 < dispatchcandidateDocumentValidated",
	}
	if diff := cmp.Diff(want, s.begun); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	for own := range s.names {
		if trace.ID(own) != trace.ID(uploading) && s.names[own] != "" &&
			!strings.Contains(s.names[own], "candidateCreated") &&
			!strings.Contains(s.names[own], "Requested") {
			t.Errorf("%s is in another trace: %s", s.names[own], own)
		}
	}
}

// What an earlier version stored has no trace context: its work is a trace of its own.
func TestTraceBeginsWhereNoneWas(t *testing.T) {
	t.Parallel()
	s := &spans{names: map[string]string{}}
	followed(t, s, "")
	want := []string{"dispatchcandidateDocumentUploaded < ", "dispatchcandidateStatusChanged < ",
		"check 2 < ", "rules < check 2"}
	if diff := cmp.Diff(want, s.begun[:4]); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// Without a tracer, as on AWS, the trace context of the upload goes along as it is, and the log
// lines of tasks have its id.
func TestTraceGoesAlong(t *testing.T) {
	t.Parallel()
	p := followed(t, nil, uploading)
	if diff := cmp.Diff([]string{uploading, uploading}, p.receiver.traces); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	for _, kind := range []string{"check", "rules", "dispatch", "deliver"} {
		line := regexp.MustCompile(`"task","kind":"` + kind + `"[^\n]*"traceId":"` +
			trace.ID(uploading) + `"}`)
		if !line.MatchString(p.lines.String()) {
			t.Errorf("no line of %s names the trace:\n%s", kind, p.lines.String())
		}
	}
}
