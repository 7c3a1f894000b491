package worker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

// sweepLimit bounds the tasks of each shard in one sweep, so that a backlog does not become a
// flood.
const sweepLimit = 100

// Sweep notifies of open tasks that are due, and does itself what has no consumer: dates,
// erasure and the backfill of search entries.
type Sweep struct {
	Store *store.Store
	Blobs store.Eraser
	Log   *slog.Logger
	Limit int // tasks of each shard in one sweep [100]

	cursors store.SweepCursors // where the last sweep ended
}

// Swept is the result of one sweep.
type Swept struct {
	Due    int           // open tasks that are due, up to the limit
	Oldest time.Duration // how long the oldest has been due
	Kinds  map[string]Backlog
}

// Backlog is the part of a sweep that is of one kind of task.
type Backlog struct {
	Due    int
	Oldest time.Duration // how long the oldest has been due
}

// backlogs counts due tasks by kind. They are ordered by when they are due.
func backlogs(due []store.Task, oldest time.Duration) map[string]Backlog {
	kinds := map[string]Backlog{}
	for _, t := range due {
		b, known := kinds[t.Kind]
		if !known {
			b.Oldest = oldest - t.Due.Sub(due[0].Due.Time)
		}
		b.Due++
		kinds[t.Kind] = b
	}
	return kinds
}

// notifyAtOnce bounds the tasks of one notification: a larger batch would exceed the notifier's
// timeout.
const notifyAtOnce = 100

// Work sweeps once; a Sweep sweeps one at a time. It notifies first, since its own tasks may take
// all the time that the context has, and in turns between companies, so that one company's backlog
// does not delay the others. A later sweep comes round to what is left.
func (w *Sweep) Work(ctx context.Context) (Swept, error) {
	due, oldest, err := w.Store.Due(ctx, cmp.Or(w.Limit, sweepLimit), &w.cursors)
	failed := []error{err}
	var notify, own []store.Task
	for _, t := range inTurns(due) {
		if store.BySweep(t.Kind) {
			own = append(own, t)
		} else {
			notify = append(notify, t)
		}
	}
	left := len(due)
	for some := range slices.Chunk(notify, notifyAtOnce) {
		if ctx.Err() == nil {
			failed = append(failed, w.Store.Notify(ctx, some))
			left -= len(some)
		}
	}
	for _, t := range own {
		if ctx.Err() == nil {
			failed = append(failed, w.do(ctx, t))
			left--
		}
	}
	level := slog.LevelInfo
	if len(due) == 0 {
		level = slog.LevelDebug
	}
	w.Log.Log(ctx, level, "swept", "due", len(due), "left", left, "oldestSeconds",
		int64(oldest.Seconds()))
	return Swept{Due: len(due), Oldest: oldest, Kinds: backlogs(due, oldest)},
		errors.Join(failed...)
}

// inTurns orders tasks so that companies take turns; the order of a company's tasks is kept.
func inTurns(tasks []store.Task) []store.Task {
	byCompany := map[string][]store.Task{}
	var companies []string
	for _, t := range tasks {
		company, _, _ := t.Owner()
		if byCompany[company] == nil {
			companies = append(companies, company)
		}
		byCompany[company] = append(byCompany[company], t)
	}
	ordered := make([]store.Task, 0, len(tasks))
	for n := 0; len(ordered) < len(tasks); n++ {
		for _, company := range companies {
			if of := byCompany[company]; n < len(of) {
				ordered = append(ordered, of[n])
			}
		}
	}
	return ordered
}

// do carries out a task. If the context ends meanwhile, that is no failure: a later sweep resumes
// it.
func (w *Sweep) do(ctx context.Context, t store.Task) error {
	var err error
	switch t.Kind {
	case store.TaskDate:
		err = w.Store.ReportDates(ctx, t)
	case store.TaskErase:
		err = w.Store.Erase(ctx, t, w.Blobs)
	case store.TaskBackfill:
		err = w.Store.Backfill(ctx, t)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
