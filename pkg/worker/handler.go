package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
)

// Handler works on one task. After an error the task is still open.
type Handler func(context.Context, store.Task) error

// Logged returns a handler that writes one line for each task: its ids, how long it took, and
// the error if it failed; its context has the trace context that trace.Noting made it note. A
// panic becomes an error without the panic's value, which may be personal.
func Logged(log *slog.Logger, handle Handler) Handler {
	return func(ctx context.Context, t store.Task) error {
		began := time.Now()
		err := recovered(ctx, t, handle)
		company, candidate, _ := t.Owner()
		line := []slog.Attr{
			slog.String("kind", t.Kind), slog.String("companyId", company),
			slog.String("candidateId", candidate),
			slog.String("item", t.SK), slog.Int64("durationMs", time.Since(began).Milliseconds()),
		}
		level := slog.LevelInfo
		if err != nil {
			level, line = slog.LevelError, append(line, slog.Any("error", err))
		}
		log.LogAttrs(trace.With(ctx, trace.Noted(ctx)), level, "task", line...)
		return err
	}
}

func recovered(ctx context.Context, t store.Task, handle Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = dossier.Panicked(p)
		}
	}()
	return handle(ctx, t)
}
