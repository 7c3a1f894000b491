package trace

import (
	"context"
	"net/http"
	"sync/atomic"
)

// The names of spans that are no requests to the API.
const (
	Check    = "check"
	Parser   = "ask parser"
	Rules    = "rules"
	Dispatch = "dispatch"
	Scenario = "scenario"
	Deliver  = "deliver"
)

// Conflict is the Code of a step that found another worker's change in its way.
const Conflict = "conflict"

// Kind tells whether the work of a span answers a request, makes one, or takes up a task.
type Kind int

// The kinds.
const (
	Consumer Kind = iota
	Server
	Client
)

// Work describes the work of a span. It has words of closed lists and ids, and nothing personal.
type Work struct {
	Name string // method and route of a request, otherwise one of the names
	Kind Kind

	Method, Route                        string // of a request to the API
	CompanyID, CandidateID               string
	DocumentID, EventType, IntegrationID string
	Attempt                              int // of a check or a delivery, from 1
}

// Outcome is the result of a span's work.
type Outcome struct {
	Err    error  // never written: its text may be personal
	Failed bool   // as by an Err
	Status int    // of an HTTP response
	Code   string // of a problem, or the result of a delivery
}

// Tracer makes spans.
type Tracer interface {
	// Start begins a span below the trace context of ctx, or a new trace. The context it returns
	// has the span's trace context. end is called once.
	Start(ctx context.Context, w Work) (within context.Context, end func(Outcome))
}

func ignore(Outcome) {}

// Start begins a span of the tracer. Without a tracer it changes nothing.
func Start(ctx context.Context, t Tracer, w Work) (within context.Context, end func(Outcome)) {
	if t == nil {
		return ctx, ignore
	}
	return t.Start(ctx, w)
}

// Resume begins a span of work whose task was written with a trace context, "" in tasks of earlier
// versions. Without a tracer the work has the task's own trace context.
func Resume(ctx context.Context, t Tracer, parent string,
	w Work) (within context.Context, end func(Outcome)) {
	if parent != "" {
		note(ctx, parent)
		ctx = With(ctx, parent)
	}
	if t == nil {
		return ctx, ignore
	}
	within, end = t.Start(ctx, w)
	if parent == "" {
		note(within, From(within))
	}
	return within, end
}

type notedKey struct{}

// Noting returns a context that remembers the trace context of the first task resumed within it.
func Noting(ctx context.Context) context.Context {
	return context.WithValue(ctx, notedKey{}, &atomic.Pointer[string]{})
}

func note(ctx context.Context, parent string) {
	if noted, ok := ctx.Value(notedKey{}).(*atomic.Pointer[string]); ok && parent != "" {
		noted.CompareAndSwap(nil, &parent)
	}
}

// Noted returns the trace context that was noted, or "".
func Noted(ctx context.Context) string {
	noted, ok := ctx.Value(notedKey{}).(*atomic.Pointer[string])
	if !ok || noted.Load() == nil {
		return ""
	}
	return *noted.Load()
}

// Transport sends the trace context of each request's context along, in a span of its own if there
// is a tracer.
type Transport struct {
	Next   http.RoundTripper
	Tracer Tracer
	Name   string // of the span
}

// RoundTrip implements http.RoundTripper. The span ends with the response's header.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, end := Start(r.Context(), t.Tracer, Work{Name: t.Name, Kind: Client, Method: r.Method})
	if parent := From(ctx); parent != "" {
		r = r.Clone(ctx)
		r.Header[Header] = []string{parent}
	}
	response, err := t.Next.RoundTrip(r)
	done := Outcome{Err: err}
	if err == nil {
		done.Status = response.StatusCode
		done.Failed = response.StatusCode >= http.StatusBadRequest
	}
	end(done)
	return response, err
}
