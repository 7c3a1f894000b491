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

// Sender sends a message to its endpoint.
type Sender interface {
	// Send makes one attempt, bounded in time and bytes.
	Send(ctx context.Context, d dossier.Delivery) dossier.Outcome
}

// Deliver sends events to integrations, in order for each candidate and integration.
type Deliver struct {
	Store  *store.Store
	Sender Sender
	Now    func() time.Time
	Log    *slog.Logger // of disabled integrations [slog.Default]
	// NextDelay returns the wait after so many failed attempts; false means never again.
	NextDelay    func(failed int, retryAfter time.Duration, rnd float64) (time.Duration, bool)
	DisableAfter time.Duration
}

// attemptTakes bounds one attempt, its storage included.
const attemptTakes = 12 * time.Second

// Work makes the deliveries that are due to the task's integration for the task's candidate, until
// one fails, none is left, or the context has no time for another: the sweeper notifies of the
// rest. A delivery that ctx interrupts is given back.
func (w *Deliver) Work(ctx context.Context, t store.Task) error {
	for {
		claim, ok, err := w.Store.ClaimDelivery(ctx, t)
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
	message := claim.Delivery
	message.At = w.Now()
	sent := w.Sender.Send(ctx, message)
	switch sent.Result {
	case dossier.Interrupted:
		release, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		return false, w.Store.ReleaseDelivery(release, claim)
	case dossier.Delivered:
		return true, w.Store.Delivered(ctx, claim, sent.Attempt)
	}
	var next dossier.Time
	if delay, again := w.NextDelay(claim.Tries+1, sent.RetryAfter, rand.Float64()); again {
		next = dossier.NewTime(w.Now().Add(delay))
	}
	disabled, err := w.Store.Failed(ctx, claim, sent.Attempt, next, sent.Result == dossier.Gone,
		w.DisableAfter)
	if disabled != "" && err == nil {
		cmp.Or(w.Log, slog.Default()).LogAttrs(ctx, slog.LevelWarn, "integration disabled",
			slog.String("companyId", claim.Company),
			slog.String("integrationId", claim.IntegrationID),
			slog.String("reason", disabled))
	}
	return false, err
}
