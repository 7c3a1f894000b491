package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// deliveryLease is how long an attempt may take before another worker may make it.
const deliveryLease = 30 * time.Second

// keptAttempts is how many attempts a log entry shows.
const keptAttempts = 25

// Delivery is an attempt that is this worker's until its lease ends.
type Delivery struct {
	dossier.Delivery // its ID is the event's; At is not set

	Company string
	Tries   int // failed attempts so far
	FirstAt dossier.Time
	read    kv.Item
	stored  storedDelivery
}

// ClaimDelivery takes the next delivery of the entry's candidate to its integration: in order, the lowest that is not finished. ok is false
// where nothing is to be done now. What can't be delivered any more is closed on the way.
func (s *Store) ClaimDelivery(ctx context.Context, e Task) (claim Delivery, ok bool, err error) {
	company, candidate, found := e.Owner()
	parts := strings.Split(e.SK, "#")
	if !found || e.Kind != TaskDeliver || len(parts) != 3 {
		return claim, false, nil
	}
	for {
		var more bool
		err = s.retryOnConflict(ctx, func() (err error) {
			claim, ok, more, err = s.claimDelivery(ctx, company, candidate[len(prefixCandidate):], parts[1], e.Key())
			return err
		})
		if err != nil || ok || !more {
			return claim, ok, err
		}
	}
}

// claimDelivery claims one delivery, or closes one that can't be delivered; more tells that there may be another behind it.
func (s *Store) claimDelivery(ctx context.Context, company, cand, target string, rung kv.Key) (claim Delivery, ok, more bool, err error) {
	to, _, err := get[storedIntegration](ctx, s, kv.Key{PK: pkOf(company, kindIntegration.partition), SK: target})
	gone := errors.Is(err, dossier.ErrNotFound)
	if err != nil && !gone {
		return claim, false, false, err
	}
	read, err := s.nextDelivery(ctx, company, cand, target, rung, gone || to.Ordered)
	if err != nil || read.Rev == 0 {
		return claim, false, false, err
	}
	d, err := decode[storedDelivery](read)
	if err != nil {
		return claim, false, false, err
	}
	switch {
	case gone:
		return claim, false, true, s.closeDelivery(ctx, company, read, d, dossier.LogSkipped, SkippedDeleted)
	case to.State == dossier.IntegrationDisabled:
		return claim, false, true, s.closeDelivery(ctx, company, read, d, dossier.LogHeld, "")
	}
	now := s.now()
	if now.Before(d.NextAttemptAt.Time) {
		return claim, false, false, s.postponeTo(ctx, rung, read, d.NextAttemptAt)
	}
	d.Token++
	if d.FirstAt.IsZero() {
		d.FirstAt = now
	}
	next, err := openDelivery(company, read.Key, read.Rev, d, later(now, deliveryLease))
	if err != nil {
		return claim, false, false, err
	}
	d.NextAttemptAt = later(now, deliveryLease)
	if err := s.commit(ctx, nil, put(next)); err != nil {
		return claim, false, false, err
	}
	return Delivery{Company: company, Tries: d.Tries, FirstAt: d.FirstAt, read: next, stored: d, Delivery: dossier.Delivery{
		IntegrationID: to.ID, ID: d.EventID, URL: to.Target.URL, Secrets: to.secrets(now), Body: d.Body,
	}}, true, true, nil
}

// nextDelivery reads the delivery that is to be made now: the lowest open one, or, out of order, the one that was rung for.
func (s *Store) nextDelivery(ctx context.Context, company, cand, target string, rung kv.Key, ordered bool) (kv.Item, error) {
	if !ordered {
		items, err := s.engine.Get(ctx, false, rung)
		if err != nil {
			return kv.Item{}, err
		}
		return items[0], nil
	}
	prefix := "DLV#" + target + "#"
	page, err := s.engine.Query(ctx, kv.Query{Partition: pkCandidate(company, cand), From: prefix, To: prefix + "~", Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return kv.Item{}, err
	}
	return page.Items[0], nil
}

// wait makes a delivery that was rung for, but has to wait for an earlier one, due with it, so that the sweeper does not ring for
// it over and over. Only the entry is: whoever ends the earlier one makes this one at once.
func (s *Store) postponeTo(ctx context.Context, rung kv.Key, first kv.Item, until dossier.Time) error {
	if rung == first.Key {
		return nil
	}
	items, err := s.engine.Get(ctx, false, rung)
	if err != nil {
		return err
	}
	next := items[0]
	if next.Open == "" || next.Due >= dueAt(until) {
		return nil
	}
	next.Rev, next.Due = next.Rev+1, dueAt(until)
	return s.commit(ctx, nil, put(next))
}

// Delivered ends a delivery that its target took.
func (s *Store) Delivered(ctx context.Context, claim Delivery, attempt dossier.Attempt) error {
	return s.endDelivery(ctx, claim, attempt, func(to storedIntegration, read kv.Item, d storedDelivery) (kv.Write, kv.Item, error) {
		closed, err := closedDelivery(claim.Company, claim.read.Key, d, dossier.LogDelivered, "", s.now())
		if err != nil || to.FailingSince.IsZero() {
			return kv.Write{}, closed, err
		}
		to.FailingSince = dossier.Time{}
		i, err := integrationItem(claim.Company, read.Rev, to)
		return put(i), closed, err
	})
}

// Failed ends an attempt that failed: the next is due at next, or, where there is none, the delivery has failed. An integration with nothing but
// failures for disableAfter is disabled, one whose target is gone at once; what was not delivered is held. disabled is the reason where this
// attempt disabled the integration.
func (s *Store) Failed(ctx context.Context, claim Delivery, attempt dossier.Attempt, next dossier.Time, gone bool, disableAfter time.Duration) (disabled string, err error) {
	err = s.endDelivery(ctx, claim, attempt, func(to storedIntegration, read kv.Item, d storedDelivery) (w kv.Write, i kv.Item, err error) {
		now := s.now()
		disabled = ""
		d.Tries++
		changed := to.FailingSince.IsZero()
		if changed {
			to.FailingSince = now
		}
		disable := gone || now.Sub(to.FailingSince.Time) >= disableAfter
		if disable && to.State == dossier.IntegrationActive {
			changed, to.State, to.DisabledReason, to.UpdatedAt = true, dossier.IntegrationDisabled, dossier.DisabledFailing, now
			if gone {
				to.DisabledReason = dossier.DisabledGone
			}
			disabled = to.DisabledReason
		}
		switch {
		case to.State == dossier.IntegrationDisabled:
			i, err = closedDelivery(claim.Company, claim.read.Key, d, dossier.LogHeld, "", now)
		case next.IsZero():
			i, err = closedDelivery(claim.Company, claim.read.Key, d, dossier.LogFailed, "", now)
		default:
			i, err = openDelivery(claim.Company, claim.read.Key, claim.read.Rev, d, next)
		}
		if err != nil || !changed {
			return kv.Write{}, i, err
		}
		integration, err := integrationItem(claim.Company, read.Rev, to)
		return put(integration), i, err
	})
	return disabled, err
}

// endDelivery records an attempt, in one transaction with what it means for the integration. An attempt whose lease ended and that
// another worker has made again changes nothing.
func (s *Store) endDelivery(ctx context.Context, claim Delivery, attempt dossier.Attempt, end func(storedIntegration, kv.Item, storedDelivery) (kv.Write, kv.Item, error)) error {
	d := claim.stored
	d.Attempts = append(append([]dossier.Attempt{}, d.Attempts...), attempt)
	d.Attempts = d.Attempts[max(0, len(d.Attempts)-keptAttempts):]
	return s.retryOnConflict(ctx, func() error {
		to, read, err := setting[storedIntegration](ctx, s, claim.Company, kindIntegration, claim.IntegrationID)
		deleted := errors.Is(err, dossier.ErrNotFound)
		if err != nil && !deleted {
			return err
		}
		integration, mine, err := end(to, read, d)
		if err != nil {
			return err
		}
		writes := []kv.Write{put(mine)}
		if mine.Key != claim.read.Key {
			writes = append(writes, remove(claim.read))
		}
		if integration.Put != nil && !deleted {
			writes = append(writes, integration)
		}
		return s.staleIfTaken(ctx, claim, s.commit(ctx, nil, writes...))
	})
}

// staleIfTaken turns a failed condition into ErrStale where the delivery itself is not the claimed one any more.
func (s *Store) staleIfTaken(ctx context.Context, claim Delivery, err error) error {
	var failed *kv.ConditionFailed
	if !errors.As(err, &failed) {
		return err
	}
	items, readErr := s.engine.Get(ctx, false, claim.read.Key)
	if readErr != nil {
		return readErr
	}
	if items[0].Rev != claim.read.Rev {
		return ErrStale
	}
	return err
}
