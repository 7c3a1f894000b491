package store

import (
	"context"
	"errors"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// deliveryLease is the time after which another worker may repeat an attempt.
const deliveryLease = 30 * time.Second

// keptAttempts is the number of attempts that a log entry shows.
const keptAttempts = 25

// Delivery is an attempt that one worker holds until its lease ends.
type Delivery struct {
	dossier.Delivery // its ID is the event's; At is not set

	Company string
	Tries   int // failed attempts so far
	FirstAt dossier.Time
	read    kv.Item
	stored  storedDelivery
}

// deliveryQueue addresses the open deliveries of one candidate to one integration.
type deliveryQueue struct {
	at       candidateRef
	target   string // ULID of the integration
	notified kv.Key // the delivery whose task was notified
}

// ClaimDelivery claims the next delivery of the task's candidate to its integration; of an ordered
// one the lowest that is open. ok is false if nothing can be delivered now. Deliveries whose
// integration is deleted or disabled are closed on the way.
func (s *Store) ClaimDelivery(ctx context.Context, e Task) (claim Delivery, ok bool, err error) {
	at, found := e.ref()
	queue := deliveryQueue{at, e.Target(), e.Key()}
	if !found || e.Kind != TaskDeliver || queue.target == "" {
		return claim, false, nil
	}
	for {
		var closed bool
		err = s.retryOnConflict(ctx, func() (err error) {
			claim, closed, err = s.claimDelivery(ctx, queue)
			return err
		})
		if err != nil || !closed {
			return claim, claim.read.Rev != 0, err
		}
	}
}

// claimDelivery claims one delivery, or closes one that can't be delivered; another may follow
// that. A zero claim means that there is nothing to do.
func (s *Store) claimDelivery(ctx context.Context,
	queue deliveryQueue) (claim Delivery, closed bool, err error) {
	company := queue.at.company
	to, _, err := setting[storedIntegration](ctx, s, company, kindIntegration,
		dossier.PrefixIntegration+queue.target)
	gone := errors.Is(err, dossier.ErrNotFound)
	if err != nil && !gone {
		return claim, false, err
	}
	read, err := s.nextDelivery(ctx, queue, gone || to.Ordered)
	if err != nil || read.Rev == 0 {
		return claim, false, err
	}
	d, err := decode[storedDelivery](read)
	if err != nil {
		return claim, false, err
	}
	switch {
	case gone:
		return claim, true, s.closeDelivery(ctx, company, read, d, dossier.LogSkipped,
			SkippedDeleted)
	case to.State == dossier.IntegrationDisabled:
		return claim, true, s.closeDelivery(ctx, company, read, d, dossier.LogHeld, "")
	}
	now := s.now()
	if now.Before(d.NextAttemptAt.Time) {
		return claim, false, s.postponeTo(ctx, queue.notified, read, d.NextAttemptAt)
	}
	secrets, err := s.openSecrets(&to, now)
	if err != nil {
		return claim, false, err
	}
	d.Token++
	if d.FirstAt.IsZero() {
		d.FirstAt = now
	}
	next, err := claimedDelivery(company, read, d, later(now, deliveryLease))
	if err != nil {
		return claim, false, err
	}
	d.NextAttemptAt = later(now, deliveryLease)
	if err := s.commit(ctx, nil, put(next)); err != nil {
		return claim, false, err
	}
	return Delivery{Company: company, Tries: d.Tries, FirstAt: d.FirstAt, read: next, stored: d,
		Delivery: dossier.Delivery{
			IntegrationID: to.ID, ID: d.EventID, URL: to.Target.URL, Secrets: secrets, Body: d.Body,
		}}, false, nil
}

// nextDelivery reads the lowest open delivery, or, of an unordered integration, the notified one.
func (s *Store) nextDelivery(ctx context.Context, queue deliveryQueue,
	ordered bool) (kv.Item, error) {
	if !ordered {
		items, err := s.engine.Get(ctx, false, queue.notified)
		if err != nil {
			return kv.Item{}, err
		}
		return items[0], nil
	}
	q := queue.at.deliveryQuery(queue.target)
	q.Limit = 1
	page, err := s.engine.Query(ctx, q)
	if err != nil || len(page.Items) == 0 {
		return kv.Item{}, err
	}
	return page.Items[0], nil
}

// postponeTo postpones a blocked delivery to the due time of the one before it, so that the sweeper
// does not notify of it in vain. Only its task is postponed: the end of the earlier delivery starts
// it at once.
func (s *Store) postponeTo(ctx context.Context, notified kv.Key, first kv.Item,
	until dossier.Time) error {
	if notified == first.Key {
		return nil
	}
	items, err := s.engine.Get(ctx, false, notified)
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

// Delivered records a successful attempt and closes the delivery.
func (s *Store) Delivered(ctx context.Context, claim Delivery, attempt dossier.Attempt) error {
	return s.endDelivery(ctx, claim, attempt,
		func(to *storedIntegration, d storedDelivery) (i kv.Item, changed bool, err error) {
			changed, to.FailingSince = !to.FailingSince.IsZero(), dossier.Time{}
			i, err = closedDelivery(claim.Company, claim.read, d, dossier.LogDelivered, "",
				s.now())
			return i, changed, err
		})
}

// Failed records a failed attempt and reschedules the delivery for next; a zero next gives up. An
// integration that only fails for disableAfter is disabled, one whose target is gone at once, and
// its deliveries are held. disabled is the reason if this attempt disabled it.
func (s *Store) Failed(ctx context.Context, claim Delivery, attempt dossier.Attempt,
	next dossier.Time, gone bool, disableAfter time.Duration) (disabled string, err error) {
	err = s.endDelivery(ctx, claim, attempt,
		func(to *storedIntegration, d storedDelivery) (i kv.Item, changed bool, err error) {
			now := s.now()
			d.Tries++
			changed, disabled = to.fail(gone, disableAfter, now)
			switch {
			case to.State == dossier.IntegrationDisabled:
				i, err = closedDelivery(claim.Company, claim.read, d, dossier.LogHeld, "", now)
			case next.IsZero():
				i, err = closedDelivery(claim.Company, claim.read, d, dossier.LogFailed, "",
					now)
			default:
				i, err = openDelivery(claim.Company, claim.read.Key, claim.read.Rev, d, next)
			}
			return i, changed, err
		})
	return disabled, err
}

// fail records a failed attempt in an integration. disabled is the reason if that disables it.
func (s *storedIntegration) fail(gone bool, disableAfter time.Duration,
	now dossier.Time) (changed bool, disabled string) {
	if changed = s.FailingSince.IsZero(); changed {
		s.FailingSince = now
	}
	if s.State != dossier.IntegrationActive ||
		!gone && now.Sub(s.FailingSince.Time) < disableAfter {
		return changed, ""
	}
	s.State, s.DisabledReason, s.UpdatedAt = dossier.IntegrationDisabled,
		dossier.DisabledFailing, now
	if gone {
		s.DisabledReason = dossier.DisabledGone
	}
	return true, s.DisabledReason
}

// endDelivery records an attempt and its effect on the integration, in one transaction; ErrStale if
// another worker has claimed the delivery since. end returns the delivery's new item, and whether
// it changed the integration.
func (s *Store) endDelivery(ctx context.Context, claim Delivery, attempt dossier.Attempt,
	end func(*storedIntegration, storedDelivery) (kv.Item, bool, error)) error {
	d := claim.stored
	d.Attempts = append(append([]dossier.Attempt{}, d.Attempts...), attempt)
	d.Attempts = d.Attempts[max(0, len(d.Attempts)-keptAttempts):]
	return s.retryOnConflict(ctx, func() error {
		to, read, err := setting[storedIntegration](ctx, s, claim.Company, kindIntegration,
			claim.IntegrationID)
		deleted := errors.Is(err, dossier.ErrNotFound)
		if err != nil && !deleted {
			return err
		}
		next, changed, err := end(&to, d)
		if err != nil {
			return err
		}
		writes := []kv.Write{put(next)}
		if next.Key != claim.read.Key {
			writes = []kv.Write{create(next), remove(claim.read)}
		}
		if changed && !deleted {
			i, err := integrationItem(claim.Company, read.Rev, to)
			if err != nil {
				return err
			}
			writes = append(writes, put(i))
		}
		return s.staleIfTaken(ctx, claim, s.commit(ctx, nil, writes...))
	})
}

// staleIfTaken turns a failed condition into ErrStale if the stored delivery is not the claimed
// one.
func (s *Store) staleIfTaken(ctx context.Context, claim Delivery, err error) error {
	if _, failed := errors.AsType[*kv.ConditionFailed](err); !failed {
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
