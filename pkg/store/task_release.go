package store

import (
	"context"
	"errors"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// ReleaseCheck gives back a claim whose worker is stopping: the attempt does not count, and the
// task is due at once. ErrStale means that the worker has lost the claim meanwhile.
func (s *Store) ReleaseCheck(ctx context.Context, claim Claim) error {
	return s.endCheck(ctx, claim, func(check checkState) error {
		r := check.request
		r.Tries = max(0, r.Tries-1)
		r.Lock = &dossier.Lock{StartedAt: r.Lock.StartedAt, ExpiresAt: s.now()}
		return s.moveLease(ctx, check, r)
	})
}

// ReleaseDeliveries gives back claims whose attempts were not begun: each may be claimed at once,
// and the sweeper notifies of it when due has come. The condition is the claim's revision; ErrStale
// means that another worker has one of the deliveries now.
func (s *Store) ReleaseDeliveries(ctx context.Context, claims []Delivery, due dossier.Time) error {
	if len(claims) == 0 {
		return nil
	}
	writes := make([]kv.Write, len(claims))
	for n, claim := range claims {
		next, err := openDelivery(claim.Company, claim.read.Key, claim.read.Rev, claim.stored,
			s.now())
		if err != nil {
			return err
		}
		writes[n] = put(withDue(next, due))
	}
	err := s.commit(ctx, nil, writes...)
	if _, failed := errors.AsType[*kv.ConditionFailed](err); failed {
		return ErrStale
	}
	return err
}

// AsksParser reports whether the check that a task is for asks a parser service, which is waited
// for. ErrNotFound means that the task is closed.
func (s *Store) AsksParser(ctx context.Context, t Task) (bool, error) {
	at, id, ok := t.cdt(TaskCheck)
	if !ok {
		return false, dossier.ErrNotFound
	}
	check, err := s.readCheck(ctx, at, id)
	if err != nil {
		return false, err
	}
	if check.task.Rev == 0 {
		return false, dossier.ErrNotFound
	}
	return check.docType.mayAskParser(at.company), nil
}
