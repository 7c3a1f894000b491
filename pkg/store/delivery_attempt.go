package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// deliveryLease is the time after which another worker may repeat the attempts of a claim.
const deliveryLease = 30 * time.Second

// One worker claims at most this many deliveries at once, and this many bytes of them unless the
// first alone has more.
const (
	maxClaimed      = 16
	maxClaimedBytes = 1 << 20
)

// keptAttempts is the number of attempts that a log entry shows.
const keptAttempts = 25

// Delivery is an attempt that one worker holds until its lease ends.
type Delivery struct {
	dossier.Delivery // its ID is the event's; At is not set

	Company string
	Tries   int // failed attempts so far
	FirstAt dossier.Time
	Trace   string // context of the dispatch, or ""
	read    kv.Item
	stored  storedDelivery
}

// deliveryQueue addresses the open deliveries of one candidate to one integration.
type deliveryQueue struct {
	at       candidateRef
	target   string // ULID of the integration
	notified kv.Key // the delivery whose task was notified
}

// ClaimDeliveries claims the next deliveries of the task's candidate to its integration, to be
// attempted in their order: of an ordered one the lowest that are open, up to the first that is not
// due; of another the task's own. There are none if nothing can be delivered now. Deliveries whose
// integration is deleted or disabled are closed on the way.
func (s *Store) ClaimDeliveries(ctx context.Context, e Task) (claims []Delivery, err error) {
	at, found := e.ref()
	queue := deliveryQueue{at, e.Target(), e.Key()}
	if !found || e.Kind != TaskDeliver || queue.target == "" {
		return nil, nil
	}
	for {
		var closed bool
		err = s.retryOnConflict(ctx, func() (err error) {
			claims, closed, err = s.claimDeliveries(ctx, queue)
			return err
		})
		if err != nil || !closed {
			return claims, err
		}
	}
}

// claimDeliveries claims deliveries, or closes those that can't be made; others may follow them. No
// claim means that there is nothing to do.
func (s *Store) claimDeliveries(ctx context.Context,
	queue deliveryQueue) (claims []Delivery, closed bool, err error) {
	company := queue.at.company
	to, _, err := setting[storedIntegration](ctx, s, company, kindIntegration,
		dossier.PrefixIntegration+queue.target)
	gone := errors.Is(err, dossier.ErrNotFound)
	if err != nil && !gone {
		return nil, false, err
	}
	read, err := s.nextDeliveries(ctx, queue, gone || to.Ordered, maxClaimed)
	if err != nil || len(read) == 0 {
		return nil, false, err
	}
	open, err := decodeAll[storedDelivery](read)
	if err != nil {
		return nil, false, err
	}
	switch {
	case gone:
		return nil, true, s.closeDeliveries(ctx, company, read, open, dossier.LogSkipped,
			SkippedDeleted)
	case to.State == dossier.IntegrationDisabled:
		return nil, true, s.closeDeliveries(ctx, company, read, open, dossier.LogHeld, "")
	}
	now := s.now()
	due := dueTogether(read, open, now)
	if due == 0 {
		return nil, false, s.postponeTo(ctx, queue.notified, read[0], open[0].NextAttemptAt)
	}
	secrets, err := s.openSecrets(&to, now)
	if err != nil {
		return nil, false, err
	}
	claims, writes := make([]Delivery, due), make([]kv.Write, due)
	for n := range claims {
		if claims[n], err = claimed(company, read[n], open[n], now); err != nil {
			return nil, false, err
		}
		claims[n].URL, claims[n].Secrets = to.Target.URL, secrets
		writes[n] = put(claims[n].read)
	}
	// Fails if another worker has claimed or closed one of them.
	if err := s.commit(ctx, nil, writes...); err != nil {
		return nil, false, err
	}
	return claims, false, nil
}

// dueTogether returns how many of the deliveries, from the first on, are due and may be claimed at
// once.
func dueTogether(read []kv.Item, open []storedDelivery, now dossier.Time) int {
	bytes := 0
	for n := range open {
		bytes += len(read[n].Doc)
		if now.Before(open[n].NextAttemptAt.Time) || n > 0 && bytes > maxClaimedBytes {
			return n
		}
	}
	return len(open)
}

// claimed returns the claim of a delivery, whose item is still to be written. Its URL and secrets
// are not set.
func claimed(company string, read kv.Item, d storedDelivery, now dossier.Time) (Delivery, error) {
	d.Token++
	if d.FirstAt.IsZero() {
		d.FirstAt = now
	}
	d.NextAttemptAt = later(now, deliveryLease)
	next, err := claimedDelivery(company, read, d, d.NextAttemptAt)
	return Delivery{Company: company, Tries: d.Tries, FirstAt: d.FirstAt, Trace: d.Trace,
		read: next, stored: d,
		Delivery: dossier.Delivery{IntegrationID: d.IntegrationID, ID: d.EventID, Body: d.Body},
	}, err
}

// nextDeliveries reads the lowest open deliveries, at most limit, or, of an unordered integration,
// the notified one.
func (s *Store) nextDeliveries(ctx context.Context, queue deliveryQueue, ordered bool,
	limit int) ([]kv.Item, error) {
	if !ordered {
		items, err := s.engine.Get(ctx, false, queue.notified)
		if err != nil || items[0].Rev == 0 {
			return nil, err
		}
		return items, nil
	}
	q := queue.at.deliveryQuery(queue.target)
	q.Limit = limit
	page, err := s.engine.Query(ctx, q)
	return page.Items, err
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

// Made is a claimed delivery whose attempt succeeded.
type Made struct {
	Claim   Delivery
	Attempt dossier.Attempt
}

// Delivered records successful attempts of one ClaimDeliveries and closes their deliveries, in one
// transaction. If another worker has one of them since, each is recorded by itself; ErrStale means
// that one could not be.
func (s *Store) Delivered(ctx context.Context, made []Made) error {
	if len(made) == 0 {
		return nil
	}
	err := s.recordDelivered(ctx, made)
	if !errors.Is(err, ErrStale) || len(made) == 1 {
		return err
	}
	err = nil
	for n := range made {
		one := s.recordDelivered(ctx, made[n:n+1])
		if one != nil && !errors.Is(one, ErrStale) {
			return one
		}
		err = cmp.Or(err, one)
	}
	return err
}

func (s *Store) recordDelivered(ctx context.Context, made []Made) error {
	claims := make([]Delivery, len(made))
	for n, m := range made {
		claims[n] = m.Claim.attempted(m.Attempt)
	}
	return s.endDeliveries(ctx, claims,
		func(to *storedIntegration, claim Delivery) (i kv.Item, changed bool, err error) {
			changed, to.FailingSince = !to.FailingSince.IsZero(), dossier.Time{}
			i, err = closedDelivery(claim.Company, claim.read, claim.stored,
				dossier.LogDelivered, "", s.now())
			return i, changed, err
		})
}

// attempted returns the claim with another attempt in what is stored.
func (d Delivery) attempted(attempt dossier.Attempt) Delivery {
	all := append(append([]dossier.Attempt{}, d.stored.Attempts...), attempt)
	d.stored.Attempts = all[max(0, len(all)-keptAttempts):]
	return d
}

// Failed records a failed attempt and reschedules the delivery for next; a zero next gives up. An
// integration that only fails for disableAfter is disabled, one whose target is gone at once, and
// its deliveries are held. disabled is the reason if this attempt disabled it.
func (s *Store) Failed(ctx context.Context, claim Delivery, attempt dossier.Attempt,
	next dossier.Time, gone bool, disableAfter time.Duration) (disabled string, err error) {
	err = s.endDeliveries(ctx, []Delivery{claim.attempted(attempt)},
		func(to *storedIntegration, claim Delivery) (i kv.Item, changed bool, err error) {
			now, d := s.now(), claim.stored
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

// endDeliveries records attempts of deliveries to one integration and their effect on it, in one
// transaction; ErrStale if another worker has claimed one of them since. end returns the new item
// of a delivery, and whether it changed the integration.
func (s *Store) endDeliveries(ctx context.Context, claims []Delivery,
	end func(*storedIntegration, Delivery) (kv.Item, bool, error)) error {
	return s.retryOnConflict(ctx, func() error {
		company, integration := claims[0].Company, claims[0].IntegrationID
		to, read, err := setting[storedIntegration](ctx, s, company, kindIntegration, integration)
		deleted := errors.Is(err, dossier.ErrNotFound)
		if err != nil && !deleted {
			return err
		}
		var writes []kv.Write
		changed := false
		for _, claim := range claims {
			next, changes, err := end(&to, claim)
			if err != nil {
				return err
			}
			changed = changed || changes
			if next.Key == claim.read.Key {
				writes = append(writes, put(next))
			} else {
				writes = append(writes, create(next), remove(claim.read))
			}
		}
		if changed && !deleted {
			i, err := integrationItem(company, read.Rev, to)
			if err != nil {
				return err
			}
			writes = append(writes, put(i))
		}
		return s.staleIfTaken(ctx, claims, s.commit(ctx, nil, writes...))
	})
}

// staleIfTaken turns a failed condition into ErrStale if a stored delivery is not the claimed one.
func (s *Store) staleIfTaken(ctx context.Context, claims []Delivery, err error) error {
	if _, failed := errors.AsType[*kv.ConditionFailed](err); !failed {
		return err
	}
	keys := make([]kv.Key, len(claims))
	for n, claim := range claims {
		keys[n] = claim.read.Key
	}
	items, readErr := s.engine.Get(ctx, false, keys...)
	if readErr != nil {
		return readErr
	}
	for n, i := range items {
		if i.Rev != claims[n].read.Rev {
			return ErrStale
		}
	}
	return err
}
