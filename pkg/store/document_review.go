package store

import (
	"context"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// ValidateByHand opens the rules job that validates a document, for an administrator, with the
// values that they entered or corrected. The caller runs the candidate's jobs next, or the worker
// that is notified does. INVALID_TRANSITION for a document that was validated before and rejected:
// the rules of a document run once.
func (s *Store) ValidateByHand(ctx context.Context, company, id string,
	in dossier.ValidationInput) (dossier.CandidateDocumentType, error) {
	return s.review(ctx, company, id, func(c *candidateTx, r *storedCDT, dt storedType) error {
		if r.Document == nil || !dossier.CanGo(r.State, dossier.StateValidated) {
			return invalidTransition(r, dossier.StateValidated)
		}
		if err := s.notRun(ctx, c.at, r); err != nil {
			return err
		}
		if err := c.correct(r.Document, dt.Check, in.Parsed); err != nil {
			return err
		}
		r.Document.Comment = in.Comment
		r.Document.Reasons = slices.DeleteFunc(slices.Clone(r.Document.Reasons),
			func(reason dossier.Reason) bool { return reason.Code == dossier.ReasonRejectedByHand })
		c.decided(r.Document)
		return c.openJob(r, dt, expiry(dt, r.Document.Parsed))
	})
}

// notRun is INVALID_TRANSITION if the rules of a rejected document have run.
func (s *Store) notRun(ctx context.Context, at candidateRef, r *storedCDT) error {
	if r.State != dossier.StateRejected {
		return nil
	}
	items, err := s.engine.Get(ctx, false, at.runKey(r.DocumentTypeID, r.Document.ID))
	if err == nil && items[0].Rev != 0 {
		err = dossier.Errorf(dossier.CodeTransition, "This document was validated before and then "+
			"rejected. Its rules have run, and can't run again: it has to be uploaded again.")
	}
	return err
}

// RejectByHand rejects a document for an administrator; resubmit asks the candidate for another.
func (s *Store) RejectByHand(ctx context.Context, company, id, reason string,
	resubmit bool) (dossier.CandidateDocumentType, error) {
	return s.review(ctx, company, id, func(c *candidateTx, r *storedCDT, dt storedType) error {
		to := dossier.StateRejected
		if resubmit {
			to = dossier.StateNeedsResubmission
		}
		if r.Document == nil || !dossier.CanGo(r.State, to) {
			return invalidTransition(r, to)
		}
		r.State, r.ExpiresOn, r.Leads = to, "", nil
		r.Document.Reasons = append(slices.Clone(r.Document.Reasons),
			dossier.Reason{Code: dossier.ReasonRejectedByHand, Message: reason})
		c.decided(r.Document)
		return nil
	})
}

// RemoveRequest withdraws the request of a document type.
func (s *Store) RemoveRequest(ctx context.Context,
	company, id string) (dossier.CandidateDocumentType, error) {
	return s.review(ctx, company, id, func(c *candidateTx, r *storedCDT, dt storedType) error {
		if !dossier.CanGo(r.State, dossier.StateRemoved) {
			return invalidTransition(r, dossier.StateRemoved)
		}
		r.State, r.ExpiresOn, r.Leads = dossier.StateRemoved, "", nil
		return nil
	})
}

// decided records the administrator who decides on a document.
func (c *candidateTx) decided(d *StoredDocument) {
	d.DecidedBy, d.DecidedAt = c.cause.Principal, c.now
}

// review runs one transaction in which an administrator decides on a document. While a check runs
// it is refused, as an upload is.
func (s *Store) review(ctx context.Context, company, id string,
	decide func(c *candidateTx, r *storedCDT,
		dt storedType) error) (answer dossier.CandidateDocumentType, err error) {
	err = s.retryOnConflict(ctx, func() error {
		u, err := s.readUploadTarget(ctx, company, id)
		if err != nil {
			return err
		}
		if u.request.State == dossier.StateProcessing {
			return s.errLocked(&u.request)
		}
		r := u.request
		cause := causeOf(ctx)
		if r.Document != nil {
			d := *r.Document
			r.Document, cause.DocumentID = &d, d.ID
		}
		c := s.newCandidateTx(u.at, u.cand, u.candItem, cause)
		if err := decide(c, &r, u.docType); err != nil {
			return err
		}
		settled, err := c.settle(r, u.docType, u.itself)
		if err != nil {
			return err
		}
		writes, err := c.finish(ctx)
		if err != nil {
			return err
		}
		answer = settled.shown(u.docType.shown())
		return s.commit(ctx, answer, writes...)
	})
	return answer, err
}

// settle writes a candidate document type whose newest document was decided on, the document, and
// their events.
func (c *candidateTx) settle(r storedCDT, dt storedType, read kv.Item) (storedCDT, error) {
	if r.Document != nil {
		if r.State != dossier.StateRemoved {
			r.Document.State = r.State
		}
		if err := c.putDocument(r.Document); err != nil {
			return r, err
		}
	}
	if err := c.putCDT(r, read); err != nil {
		return r, err
	}
	r.UpdatedAt = c.now
	switch r.State {
	case dossier.StateRemoved:
		return r, c.emit(removedEvent(r))
	case dossier.StateCheckFailed:
		return r, c.emit(event.NewCheckFailed(event.CheckFailed{
			CandidateDocumentTypeID: string(r.ID), DocumentID: r.Document.ID}))
	case dossier.StateNeedsResubmission, dossier.StateRejected:
		return r, c.reportRejection(r, dt)
	}
	return r, nil
}

// reportRejection emits the events of a document that was not accepted.
func (c *candidateTx) reportRejection(r storedCDT, dt storedType) error {
	rejected := event.Rejected{CandidateDocumentTypeID: string(r.ID), DocumentID: r.Document.ID,
		State: r.State, Reasons: []string{}}
	for _, reason := range r.Document.Reasons {
		rejected.Reasons = append(rejected.Reasons, reason.Code)
	}
	if err := c.emit(event.NewDocumentRejected(rejected)); err != nil || !dt.Pass {
		return err
	}
	c.cand.PassVerification = &dossier.PassVerification{Status: dossier.PassFailed, At: c.now}
	return c.emit(event.NewPassVerification(event.PassVerification{
		Status: dossier.PassFailed, CandidateDocumentTypeID: string(r.ID),
		DocumentID: r.Document.ID}))
}
