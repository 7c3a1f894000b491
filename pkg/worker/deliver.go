package worker

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// Sent is what came of one attempt to deliver.
type Sent struct {
	Delivered   bool
	Gone        bool // the target says that it will never take anything again
	Interrupted bool // our own doing: nothing is known of the target
	StatusCode  int
	DurationMS  int64
	Error       string
	RetryAfter  time.Duration
}

// Sender sends a delivery to its target.
type Sender interface {
	// SendDelivery makes one attempt, bounded in time and bytes.
	SendDelivery(ctx context.Context, d store.Delivery, at time.Time) Sent
}

// Deliver sends events to integrations, in order for each candidate and integration.
type Deliver struct {
	Store  *store.Store
	Sender Sender
	Now    func() time.Time
	Log    *slog.Logger // where it stands that an integration was disabled [slog.Default]
	// NextDelay says how long to wait after so many failed attempts; false is never.
	NextDelay    func(failed int, retryAfter time.Duration, rnd float64) (time.Duration, bool)
	DisableAfter time.Duration
}

// attemptTakes is what one attempt usually takes at most, with what is stored of it.
const attemptTakes = 12 * time.Second

// Work makes the deliveries that are due to the entry's integration for the entry's candidate, until one fails, none is left, or the
// context has no time for another: the sweeper rings for that.
func (w *Deliver) Work(ctx context.Context, e store.Task) error {
	for {
		claim, ok, err := w.Store.ClaimDelivery(ctx, e)
		if err != nil || !ok {
			return err
		}
		delivered, err := w.attempt(ctx, claim)
		if err != nil || !delivered {
			return unlessStale(err)
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < attemptTakes {
			return nil
		}
	}
}

func (w *Deliver) attempt(ctx context.Context, claim store.Delivery) (delivered bool, err error) {
	at := w.Now()
	sent := w.Sender.SendDelivery(ctx, claim, at)
	if sent.Interrupted {
		return false, context.Cause(ctx) // the lease ends, and the sweeper rings again
	}
	attempt := dossier.Attempt{At: dossier.NewTime(at), StatusCode: sent.StatusCode, DurationMS: sent.DurationMS, Error: sent.Error}
	if sent.Delivered {
		return true, w.Store.Delivered(ctx, claim, attempt)
	}
	var next dossier.Time
	if delay, again := w.NextDelay(claim.Tries+1, sent.RetryAfter, rand.Float64()); again {
		next = dossier.NewTime(w.Now().Add(delay))
	}
	disabled, err := w.Store.Failed(ctx, claim, attempt, next, sent.Gone, w.DisableAfter)
	if disabled != "" && err == nil {
		cmp.Or(w.Log, slog.Default()).LogAttrs(ctx, slog.LevelWarn, "integration disabled", slog.String("companyId", claim.Company),
			slog.String("integrationId", claim.Integration), slog.String("reason", disabled))
	}
	return false, err
}
