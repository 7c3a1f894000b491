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

// ReleaseDelivery gives back a claim whose worker is stopping: the delivery is due at once. The
// condition is the claim's revision; ErrStale means that another worker has the delivery now.
func (s *Store) ReleaseDelivery(ctx context.Context, claim Delivery) error {
	next, err := openDelivery(claim.Company, claim.read.Key, claim.read.Rev, claim.stored, s.now())
	if err != nil {
		return err
	}
	err = s.commit(ctx, nil, put(next))
	if _, failed := errors.AsType[*kv.ConditionFailed](err); failed {
		return ErrStale
	}
	return err
}

// CheckParser returns the parser of the document type that a check task is for (a Parser constant
// of dossier), and ErrNotFound if the task is closed.
func (s *Store) CheckParser(ctx context.Context, t Task) (string, error) {
	at, id, ok := t.cdt(TaskCheck)
	if !ok {
		return "", dossier.ErrNotFound
	}
	check, err := s.readCheck(ctx, at, id)
	if err != nil {
		return "", err
	}
	if check.task.Rev == 0 {
		return "", dossier.ErrNotFound
	}
	return check.docType.Check.Parser, nil
}
