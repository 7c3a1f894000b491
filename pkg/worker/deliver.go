package worker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
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
	Tracer       trace.Tracer // makes a span of each attempt [there are none]
}

const (
	// attemptTakes bounds one attempt, its storage included.
	attemptTakes = 12 * time.Second
	// batchTakes is the time after which no further delivery of a claim is begun: what was made is
	// recorded, and seen, soon, and long before another worker may repeat it.
	batchTakes = 2 * time.Second
)

// Work makes the deliveries that are due to the task's integration for the task's candidate, until
// one fails, none is left, or the context has no time for another: the sweeper notifies of the
// rest. A delivery that ctx interrupts is given back.
func (w *Deliver) Work(ctx context.Context, t store.Task) error {
	for {
		claims, err := w.Store.ClaimDeliveries(ctx, t)
		if err != nil || len(claims) == 0 {
			return err
		}
		delivered, err := w.attempt(ctx, claims)
		if err != nil || !delivered {
			return err
		}
		if !timeLeft(ctx) {
			return nil
		}
	}
}

func timeLeft(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) >= attemptTakes
}

// attempt makes deliveries in their order until one fails or time is up, and then records all that
// were made at once: a process that is killed before that makes them again. delivered is false if
// one failed.
func (w *Deliver) attempt(ctx context.Context, claims []store.Delivery) (delivered bool,
	err error) {
	began := w.Now()
	var made []store.Made
	for n, claim := range claims {
		if n > 0 && (w.Now().Sub(began) > batchTakes || !timeLeft(ctx)) {
			return true, w.record(ctx, made, claims[n:], dossier.NewTime(w.Now()))
		}
		sent := w.send(ctx, claim)
		switch sent.Result {
		case dossier.Delivered:
			made = append(made, store.Made{Claim: claim, Attempt: sent.Attempt})
		case dossier.Interrupted:
			release, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
			defer cancel()
			return false, w.record(release, made, claims[n:], dossier.NewTime(w.Now()))
		default:
			err := unlessStale(w.Store.Delivered(ctx, made))
			due, failed := w.fail(ctx, claim, sent)
			return false, errors.Join(err, unlessStale(failed),
				unlessStale(w.Store.ReleaseDeliveries(ctx, claims[n+1:], due)))
		}
	}
	return true, unlessStale(w.Store.Delivered(ctx, made))
}

// send makes one attempt, in the trace of the delivery.
func (w *Deliver) send(ctx context.Context, claim store.Delivery) dossier.Outcome {
	message := claim.Delivery
	message.At = w.Now()
	ctx, end := trace.Resume(ctx, w.Tracer, claim.Trace, trace.Work{Name: trace.Deliver,
		Kind: trace.Client, CompanyID: claim.Company, IntegrationID: claim.IntegrationID,
		Attempt: claim.Tries + 1})
	sent := w.Sender.Send(ctx, message)
	end(trace.Outcome{Failed: sent.Result != dossier.Delivered, Status: sent.Attempt.StatusCode,
		Code: string(sent.Result)})
	return sent
}

// record records the deliveries that were made, and gives back those that were not begun.
func (w *Deliver) record(ctx context.Context, made []store.Made, left []store.Delivery,
	due dossier.Time) error {
	return errors.Join(unlessStale(w.Store.Delivered(ctx, made)),
		unlessStale(w.Store.ReleaseDeliveries(ctx, left, due)))
}

// fail records an attempt that failed. due is when the deliveries that wait for it may be made.
func (w *Deliver) fail(ctx context.Context, claim store.Delivery,
	sent dossier.Outcome) (due dossier.Time, err error) {
	now := dossier.NewTime(w.Now())
	due = now
	var next dossier.Time
	if delay, again := w.NextDelay(claim.Tries+1, sent.RetryAfter, rand.Float64()); again {
		next = dossier.NewTime(now.Add(delay))
		due = next
	}
	disabled, err := w.Store.Failed(ctx, claim, sent.Attempt, next, sent.Result == dossier.Gone,
		w.DisableAfter)
	if disabled == "" || err != nil {
		return due, err
	}
	cmp.Or(w.Log, slog.Default()).LogAttrs(ctx, slog.LevelWarn, "integration disabled",
		slog.String("companyId", claim.Company),
		slog.String("integrationId", claim.IntegrationID),
		slog.String("reason", disabled))
	return now, nil
}
