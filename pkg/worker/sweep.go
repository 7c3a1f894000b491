package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

// sweepLimit is how many entries of each shard one sweep rings for, so that a backlog does not become a flood.
const sweepLimit = 100

// Sweep rings for what is open and due, and does itself what has no consumer of its own: expiry and erasure.
type Sweep struct {
	Store *store.Store
	Blobs store.Eraser
	Log   *slog.Logger

	places store.SweepCursors // where the last sweep ended
}

// Swept is what one sweep found.
type Swept struct {
	Due    int           // entries that are open and due, up to the limit
	Oldest time.Duration // how long the oldest has been due
}

// ringAtOnce is how many entries are rung for together: the doorbell has patience for so many requests, not for those of a backlog.
const ringAtOnce = 100

// Work sweeps once. One Sweep sweeps one at a time. It rings first: what it does itself may take all the time that the context has.
// What is left then, a later sweep comes round to.
func (w *Sweep) Work(ctx context.Context) (Swept, error) {
	due, oldest, err := w.Store.Due(ctx, sweepLimit, &w.places)
	failed := []error{err}
	var ring, own []store.Task
	for _, e := range due {
		if e.Kind == store.TaskExpire || e.Kind == store.TaskErase {
			own = append(own, e)
		} else {
			ring = append(ring, e)
		}
	}
	left := len(due)
	for some := range slices.Chunk(ring, ringAtOnce) {
		if ctx.Err() == nil {
			failed = append(failed, w.Store.Notify(ctx, some))
			left -= len(some)
		}
	}
	for _, e := range own {
		if ctx.Err() == nil {
			failed = append(failed, w.do(ctx, e))
			left--
		}
	}
	level := slog.LevelInfo
	if len(due) == 0 {
		level = slog.LevelDebug
	}
	w.Log.Log(ctx, level, "swept", "due", len(due), "left", left, "oldestSeconds", int64(oldest.Seconds()))
	return Swept{Due: len(due), Oldest: oldest}, errors.Join(failed...)
}

// do carries out an entry. That the context's time ended over it is no failure: it is taken up again.
func (w *Sweep) do(ctx context.Context, e store.Task) error {
	var err error
	if e.Kind == store.TaskExpire {
		err = w.Store.Expire(ctx, e)
	} else {
		err = w.Store.Erase(ctx, e, w.Blobs)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
