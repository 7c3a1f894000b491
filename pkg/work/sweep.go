package work

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/dossierhq/dossier/pkg/table"
)

// sweepLimit is how many entries of each shard one sweep rings for, so that a backlog does not become a flood.
const sweepLimit = 100

// Sweep rings for what is open and due, and does itself what has no consumer of its own: expiry and erasure.
type Sweep struct {
	Table *table.Table
	Blobs table.Eraser
	Log   *slog.Logger

	places table.Places // where the last sweep ended
}

// Swept is what one sweep found.
type Swept struct {
	Due    int           // entries that are open and due, up to the limit
	Oldest time.Duration // how long the oldest has been due
}

// Work sweeps once. One Sweep sweeps one at a time.
func (w *Sweep) Work(ctx context.Context) (Swept, error) {
	due, oldest, err := w.Table.Due(ctx, sweepLimit, &w.places)
	failed := []error{err}
	var ring []table.Entry
	for _, e := range due {
		switch e.Kind {
		case table.WorkExpire:
			failed = append(failed, w.Table.Expire(ctx, e))
		case table.WorkErase:
			failed = append(failed, w.Table.Erase(ctx, e, w.Blobs))
		default:
			ring = append(ring, e)
		}
	}
	failed = append(failed, w.Table.Ring(ctx, ring))
	level := slog.LevelInfo
	if len(due) == 0 {
		level = slog.LevelDebug
	}
	w.Log.Log(ctx, level, "swept", "due", len(due), "oldestSeconds", int64(oldest.Seconds()))
	return Swept{Due: len(due), Oldest: oldest}, errors.Join(failed...)
}
