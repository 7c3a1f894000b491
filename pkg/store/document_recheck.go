package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// CheckAgain starts the check of a document again that could not be made. INVALID_TRANSITION in any
// state but checkFailed.
func (s *Store) CheckAgain(ctx context.Context,
	company, id string) (dossier.CandidateDocumentType, error) {
	return s.review(ctx, company, id, func(c *candidateTx, r storedCDT,
		u uploadTarget) (storedCDT, error) {
		if r.State != dossier.StateCheckFailed || r.Document == nil {
			return r, invalidTransition(&r, dossier.StateProcessing)
		}
		r.State, r.Tries, r.Document.Reasons = dossier.StateProcessing, 0, nil
		r.Token++
		r.Lock = &dossier.Lock{StartedAt: c.now, ExpiresAt: later(c.now, s.cfg.Lease)}
		if r.NotBefore = slowUntil(r.Slow, c.now); !r.NotBefore.IsZero() {
			r.Lock.ExpiresAt = r.NotBefore
		}
		if err := c.openCheck(r, 0); err != nil {
			return r, err
		}
		return c.settle(r, u.docType, u.itself)
	})
}
