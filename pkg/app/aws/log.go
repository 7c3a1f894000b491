package aws

import (
	"context"
	"log/slog"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// invocations is a log handler that adds the id of the invocation to each line. The access log of
// the HTTP API and Lambda's own lines name the same id.
type invocations struct{ slog.Handler }

// Handle implements slog.Handler.
func (h invocations) Handle(ctx context.Context, r slog.Record) error {
	if invoked, ok := lambdacontext.FromContext(ctx); ok {
		r.AddAttrs(slog.String("lambdaRequestId", invoked.AwsRequestID))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h invocations) WithAttrs(attrs []slog.Attr) slog.Handler {
	return invocations{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h invocations) WithGroup(name string) slog.Handler {
	return invocations{h.Handler.WithGroup(name)}
}
