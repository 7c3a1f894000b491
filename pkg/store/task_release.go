package store

import (
	"context"
	"errors"
	"slices"
	"strings"

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
	ready := s.now()
	if due.Before(ready.Time) {
		ready = due // what the sweeper notifies of can be claimed
	}
	writes := make([]kv.Write, len(claims))
	for n, claim := range claims {
		next, err := openDelivery(claim.Company, claim.read.Key, claim.read.Rev, claim.stored,
			ready)
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

// CheckKind says what takes the time of a check.
type CheckKind struct {
	AsksParser bool // a parser service may be asked, which is waited for
	// parts are pictures in which text may be recognized, which computes for seconds
	Pictures bool
}

// CheckKind returns the kind of the check that a task is for. ErrNotFound means that there is
// nothing to check.
func (s *Store) CheckKind(ctx context.Context, t Task) (CheckKind, error) {
	at, id, ok := t.cdt(TaskCheck)
	if !ok {
		return CheckKind{}, dossier.ErrNotFound
	}
	check, err := s.readCheck(ctx, at, id)
	if err != nil {
		return CheckKind{}, err
	}
	if check.task.Rev == 0 {
		return CheckKind{}, dossier.ErrNotFound
	}
	kind := CheckKind{AsksParser: check.docType.mayAskParser(at.company)}
	reads := dossier.ParserNamed(check.docType.Check.Parser).Reads
	if d := check.request.Document; d != nil && reads {
		kind.Pictures = slices.ContainsFunc(d.Parts, func(p dossier.Part) bool {
			return strings.HasPrefix(p.ContentType, "image/")
		})
	}
	return kind, nil
}
