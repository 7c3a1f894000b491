// Package tracing makes the spans of the standalone process and sends them to an OpenTelemetry
// collector, by OTLP over HTTP. Only the program dossier links it: on AWS the lines of the log have
// trace ids instead.
package tracing

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// flushTime bounds sending the last spans while the process ends.
const flushTime = 3 * time.Second

// wanted reports whether the environment asks for spans.
func wanted(getenv func(string) string) bool {
	endpoint := cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
		getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	return endpoint != "" && !strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") &&
		getenv("OTEL_TRACES_EXPORTER") != "none"
}

// FromEnv returns a tracer that sends spans to the collector that the OTEL_… variables of the
// process name, and how to end it; nil if they name none. What is wrong with the variables is
// logged and fails nothing. getenv is os.Getenv, which the SDK reads too.
func FromEnv(ctx context.Context, getenv func(string) string, version string,
	log *slog.Logger) (t *Tracer, end func()) {
	if !wanted(getenv) {
		return nil, func() {}
	}
	otel.SetLogger(logr.FromSlogHandler(messages{log.Handler()}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn("traces", "error", err)
	}))
	if p := cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"),
		getenv("OTEL_EXPORTER_OTLP_PROTOCOL")); p != "" && p != protobuf {
		log.Warn("traces are sent by " + protobuf + ", which is the only protocol here")
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		log.Warn("traces are not sent", "error", err)
		return nil, func() {}
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "dossier"),
			attribute.String("service.version", version)),
		resource.WithFromEnv())
	if err != nil {
		log.Warn("traces: OTEL_RESOURCE_ATTRIBUTES are not as they should be")
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return New(provider), func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last spans were not sent", "error", err)
		}
	}
}

const protobuf = "http/protobuf"

// messages is a log handler that leaves out the values in the SDK's messages about variables, which
// may be secret.
type messages struct{ slog.Handler }

// Handle implements slog.Handler.
func (h messages) Handle(ctx context.Context, r slog.Record) error {
	return h.Handler.Handle(ctx, slog.NewRecord(r.Time, r.Level, "traces: "+r.Message, r.PC))
}

// WithAttrs implements slog.Handler.
func (h messages) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h messages) WithGroup(string) slog.Handler { return h }
