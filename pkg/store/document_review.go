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
	return s.review(ctx, company, id, func(c *candidateTx, r storedCDT,
		u uploadTarget) (storedCDT, error) {
		if r.Document == nil || !dossier.CanGo(r.State, dossier.StateValidated) {
			return r, invalidTransition(&r, dossier.StateValidated)
		}
		if err := s.notRun(ctx, c.at, &r); err != nil {
			return r, err
		}
		if err := c.correct(r.Document, u.docType.Check, in.Parsed); err != nil {
			return r, err
		}
		r.Document.Comment = in.Comment
		r.Document.Reasons = slices.DeleteFunc(slices.Clone(r.Document.Reasons),
			func(reason dossier.Reason) bool { return reason.Code == dossier.ReasonRejectedByHand })
		c.decided(r.Document)
		if err := c.openJob(&r, u.docType, expiry(u.docType, r.Document.Parsed)); err != nil {
			return r, err
		}
		return c.settle(r, u.docType, u.itself)
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

// Rejection is the decision of an administrator not to accept a document.
type Rejection struct {
	Reason     string
	Resubmit   bool   // asks the candidate for another
	DocumentID string // of the newest document, which "" stands for, or of the one in force
}

// RejectByHand rejects a document for an administrator. INVALID_TRANSITION if it is neither the
// newest nor in force.
func (s *Store) RejectByHand(ctx context.Context, company, id string,
	in Rejection) (dossier.CandidateDocumentType, error) {
	to := dossier.StateRejected
	if in.Resubmit {
		to = dossier.StateNeedsResubmission
	}
	return s.review(ctx, company, id, func(c *candidateTx, r storedCDT,
		u uploadTarget) (storedCDT, error) {
		reject := func(d *StoredDocument) {
			d.State = to
			d.Reasons = append(slices.Clone(d.Reasons),
				dossier.Reason{Code: dossier.ReasonRejectedByHand, Message: in.Reason})
			c.decided(d)
		}
		switch {
		case in.DocumentID == "" || r.Document != nil && r.Document.ID == in.DocumentID:
		case r.InForce != nil && r.InForce.Document.ID == in.DocumentID:
			return c.rejectInForce(ctx, r, u, to, reject)
		default:
			return r, dossier.Errorf(dossier.CodeTransition, "The document %q is neither the "+
				"newest one nor in force.", dossier.Clip(in.DocumentID))
		}
		if r.Document == nil || !dossier.CanGo(r.State, to) {
			return r, invalidTransition(&r, to)
		}
		r.State, r.ExpiresOn, r.Leads = to, "", nil
		reject(r.Document)
		return c.settle(r, u.docType, u.itself)
	})
}

// rejectInForce ends the force of a validated document. The newest one counts from then on; where
// that was turned down too, the candidate document type becomes what the administrator decides.
func (c *candidateTx) rejectInForce(ctx context.Context, r storedCDT, u uploadTarget, to string,
	reject func(*StoredDocument)) (storedCDT, error) {
	var rejected storedCDT
	c.cause.DocumentID = r.InForce.Document.ID
	err := c.lapse(ctx, &r, func(d *StoredDocument) {
		reject(d)
		rejected = r
		rejected.State, rejected.InForce, rejected.Document = to, nil, d
	})
	if err != nil {
		return r, err
	}
	if r.State == dossier.StateRejected || r.State == dossier.StateNeedsResubmission {
		r.State = to
	}
	if err := c.putCDT(r, u.itself); err != nil {
		return r, err
	}
	r.stamp(c.now, u.itself)
	return r, c.reportRejection(rejected, u.docType)
}

// RemoveRequest withdraws the request of a document type.
func (s *Store) RemoveRequest(ctx context.Context,
	company, id string) (dossier.CandidateDocumentType, error) {
	return s.review(ctx, company, id, func(c *candidateTx, r storedCDT,
		u uploadTarget) (storedCDT, error) {
		if !dossier.CanGo(r.State, dossier.StateRemoved) {
			return r, invalidTransition(&r, dossier.StateRemoved)
		}
		r.State, r.ExpiresOn, r.Leads, r.InForce = dossier.StateRemoved, "", nil, nil
		return c.settle(r, u.docType, u.itself)
	})
}

// decided records the administrator who decides on a document.
func (c *candidateTx) decided(d *StoredDocument) {
	d.DecidedBy, d.DecidedAt = c.cause.Principal, c.now
}

// review runs one transaction in which an administrator decides on a document; decide writes the
// candidate document type. While a check runs it is refused, as an upload is.
func (s *Store) review(ctx context.Context, company, id string,
	decide func(c *candidateTx, r storedCDT, u uploadTarget) (storedCDT, error),
) (answer dossier.CandidateDocumentType, err error) {
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
		settled, err := decide(c, r, u)
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
	r.stamp(c.now, read)
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
	// A pass that was verified stays so while its document is in force.
	err := c.emit(event.NewDocumentRejected(rejected))
	if err != nil || !dt.Pass || r.InForce != nil {
		return err
	}
	c.cand.PassVerification = &dossier.PassVerification{Status: dossier.PassFailed, At: c.now}
	return c.emit(event.NewPassVerification(event.PassVerification{
		Status: dossier.PassFailed, CandidateDocumentTypeID: string(r.ID),
		DocumentID: r.Document.ID}))
}
