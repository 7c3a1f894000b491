package tracing

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	otel "go.opentelemetry.io/otel/trace"

	"github.com/dossierhq/dossier/pkg/trace"
)

// Tracer is a trace.Tracer of OpenTelemetry's SDK.
type Tracer struct{ tracer otel.Tracer }

// New returns a tracer that makes spans of a provider.
func New(provider otel.TracerProvider) *Tracer {
	return &Tracer{provider.Tracer("github.com/dossierhq/dossier")}
}

var kinds = map[trace.Kind]otel.SpanKind{trace.Server: otel.SpanKindServer,
	trace.Client: otel.SpanKindClient, trace.Consumer: otel.SpanKindConsumer}

const traceparent = "traceparent"

// Start implements trace.Tracer.
func (t *Tracer) Start(ctx context.Context,
	w trace.Work) (within context.Context, end func(trace.Outcome)) {
	var w3c propagation.TraceContext
	if parent := trace.From(ctx); parent != "" {
		ctx = w3c.Extract(ctx, propagation.MapCarrier{traceparent: parent})
	}
	ctx, span := t.tracer.Start(ctx, w.Name, otel.WithSpanKind(kinds[w.Kind]),
		otel.WithAttributes(attributes(w)...))
	own := propagation.MapCarrier{}
	w3c.Inject(ctx, own)
	return trace.With(ctx, own[traceparent]), func(o trace.Outcome) {
		finish(span, o)
		span.End()
	}
}

// attributes names the HTTP ones as OpenTelemetry's conventions do, and the others as the log does.
func attributes(w trace.Work) (list []attribute.KeyValue) {
	for _, a := range []struct{ key, value string }{
		{"http.request.method", w.Method}, {"http.route", w.Route},
		{"dossier.companyId", w.CompanyID}, {"dossier.candidateId", w.CandidateID},
		{"dossier.documentId", w.DocumentID}, {"dossier.event", w.EventType},
		{"dossier.integrationId", w.IntegrationID},
	} {
		if a.value != "" {
			list = append(list, attribute.String(a.key, a.value))
		}
	}
	if w.Attempt > 0 {
		list = append(list, attribute.Int("dossier.attempt", w.Attempt))
	}
	return list
}

// finish sets the result. The text of an error is left out.
func finish(span otel.Span, o trace.Outcome) {
	if o.Status > 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", o.Status))
	}
	if o.Code != "" {
		span.SetAttributes(attribute.String("dossier.outcome", o.Code))
	}
	if o.Err == nil && !o.Failed {
		return
	}
	kind := "failed"
	if o.Status > 0 {
		kind = strconv.Itoa(o.Status)
	}
	span.SetStatus(codes.Error, "")
	span.SetAttributes(attribute.String("error.type", kind))
}
