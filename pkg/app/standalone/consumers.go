package standalone

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/notify/inprocess"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
	"github.com/dossierhq/dossier/pkg/worker"
)

// queueLength bounds the tasks of one kind that wait in memory, some 20 MB; the sweeper finds what
// does not fit. A burst of 10,000 uploads opens two events for each.
const queueLength = 50_000

// parserQueue is the queue of checks that ask a parser service, which wait instead of computing.
const parserQueue = "parser"

// pictureQueue is the queue of checks of pictures. Recognizing their text takes seconds, which
// other documents don't wait for.
const pictureQueue = "pictures"

// Workers holds the consumers of a process.
type Workers struct {
	Check       *worker.Check
	ParserCheck *worker.Check // for types with a parser service; its Checker uses InTurn
	Rules       *worker.Rules
	Dispatch    *worker.Dispatch
	Deliver     *worker.Deliver
	Measure     func(worker.Handler) worker.Handler // wraps each handler [unless nil]
	Traced      bool                                // the log lines of tasks name their traces
}

// Consumers returns the consumer of each queue. Each leaves room for other companies than the one
// that floods it: of three checks at most two are one company's, so that both processors work for a
// lone company, and another one's document never waits for a slow one to end. Pictures have as many
// workers of their own.
func Consumers(n *inprocess.Notifier, w Workers, log *slog.Logger) map[string]inprocess.Consumer {
	logged := func(handle worker.Handler) worker.Handler {
		if w.Measure != nil {
			handle = w.Measure(handle)
		}
		handle = worker.Logged(log, handle)
		if !w.Traced {
			return handle
		}
		return func(ctx context.Context, t store.Task) error { return handle(trace.Noting(ctx), t) }
	}
	check, parserCheck := logged(w.Check.Work), logged(w.ParserCheck.Work)
	dispatch := logged(w.Dispatch.Work)
	return map[string]inprocess.Consumer{
		store.TaskCheck: {Workers: 3, PerCompany: 2, Queue: queueLength,
			Handle: routeCheck(n, w.Check.Store, check)},
		pictureQueue: {Workers: 3, PerCompany: 2, Queue: queueLength, Handle: check},
		parserQueue:  {Workers: 64, PerCompany: 16, Queue: queueLength, Handle: parserCheck},
		store.TaskRules: {Workers: 4, PerCompany: 3, Queue: queueLength,
			Handle: logged(w.Rules.Work)},
		store.TaskDispatch: {Workers: 4, PerCompany: 3, Queue: queueLength, Handle: dispatch},
		store.TaskScenario: {Workers: 3, PerCompany: 2, Queue: queueLength, Handle: dispatch},
		store.TaskDeliver: {Workers: 64, PerCompany: 32, PerTarget: 8, Queue: queueLength,
			Handle: logged(w.Deliver.Work)},
	}
}

// routeCheck passes checks that ask a parser service, and those of pictures, on to queues of their
// own, before they are claimed: their lease starts when they leave it.
func routeCheck(n *inprocess.Notifier, s *store.Store, check worker.Handler) worker.Handler {
	return func(ctx context.Context, t store.Task) error {
		kind, err := s.CheckKind(ctx, t)
		switch {
		case errors.Is(err, dossier.ErrNotFound):
			return nil
		case err == nil && kind.AsksParser:
			n.Enqueue(parserQueue, t)
			return nil
		case err == nil && kind.Pictures:
			n.Enqueue(pictureQueue, t)
			return nil
		}
		return check(ctx, t)
	}
}

// InTurn returns a checker's InTurn that runs the local part of a check among the local checks,
// when its company has its turn there.
func InTurn(n *inprocess.Notifier) func(context.Context, store.Claim, func()) error {
	return func(ctx context.Context, claim store.Claim, read func()) error {
		return n.Do(ctx, store.TaskCheck, claim.Task, read)
	}
}

// emptyFolder makes a folder, without what an earlier process left in it.
func emptyFolder(path string) (string, error) {
	return path, errors.Join(os.RemoveAll(path), os.MkdirAll(path, 0o700))
}
