package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/worker"
)

// The outcomes of tasks and of operations of the table.
const (
	succeeded = "ok"
	failed    = "failed"
	refused   = "refused" // a condition did not hold
)

// Task returns a handler that records each task.
func (r *Recorder) Task(handle worker.Handler) worker.Handler {
	return func(ctx context.Context, t store.Task) error {
		began, outcome := time.Now(), failed // also if handle panics
		defer func() {
			r.tasks.WithLabelValues(t.Kind, outcome).Observe(time.Since(began).Seconds())
		}()
		err := handle(ctx, t)
		if err == nil {
			outcome = succeeded
		}
		return err
	}
}

// Sender returns a sender that records each attempt.
func (r *Recorder) Sender(next worker.Sender) worker.Sender { return sender{next, r} }

type sender struct {
	next worker.Sender
	*Recorder
}

// Send implements worker.Sender.
func (s sender) Send(ctx context.Context, d dossier.Delivery) dossier.Outcome {
	began := time.Now()
	sent := s.next.Send(ctx, d)
	s.deliveries.WithLabelValues(string(sent.Result)).Observe(time.Since(began).Seconds())
	return sent
}

// Checker returns a checker that records each check.
func (r *Recorder) Checker(next worker.Checker) worker.Checker { return checker{next, r} }

type checker struct {
	next worker.Checker
	*Recorder
}

// CheckParts implements worker.Checker.
func (c checker) CheckParts(ctx context.Context, claim store.Claim, paths []string,
	today string) (store.CheckResult, error) {
	result, err := c.next.CheckParts(ctx, claim, paths, today)
	state := result.State
	if err != nil {
		state = failed
	}
	c.checks.WithLabelValues(state).Inc()
	return result, err
}

// Engine returns an engine that records each operation.
func (r *Recorder) Engine(next kv.Engine) kv.Engine { return engine{next, r} }

type engine struct {
	next kv.Engine
	*Recorder
}

func (e engine) record(operation string, began time.Time, err error) {
	outcome := succeeded
	switch condition := (*kv.ConditionFailed)(nil); {
	case errors.As(err, &condition):
		outcome = refused
	case err != nil:
		outcome = failed
	}
	e.table.WithLabelValues(operation, outcome).Observe(time.Since(began).Seconds())
}

// Get implements kv.Engine.
func (e engine) Get(ctx context.Context, eventual bool, keys ...kv.Key) ([]kv.Item, error) {
	began := time.Now()
	items, err := e.next.Get(ctx, eventual, keys...)
	e.record("get", began, err)
	return items, err
}

// Query implements kv.Engine.
func (e engine) Query(ctx context.Context, q kv.Query) (kv.Page, error) {
	began := time.Now()
	page, err := e.next.Query(ctx, q)
	e.record("query", began, err)
	return page, err
}

// Commit implements kv.Engine.
func (e engine) Commit(ctx context.Context, writes ...kv.Write) error {
	began := time.Now()
	err := e.next.Commit(ctx, writes...)
	e.record("commit", began, err)
	return err
}
