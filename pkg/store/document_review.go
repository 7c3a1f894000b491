package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// reviewable are the states in which an administrator can validate a document.
var reviewable = []string{dossier.StateInReview, dossier.StateCheckFailed, dossier.StateRejected}

// ValidateByHand opens the job that makes a document validated, for an administrator, with the
// values that they entered or corrected: one in review, whose check failed, or that was rejected.
// The caller runs the candidate's jobs next, or the notifier's consumer does.
func (s *Store) ValidateByHand(ctx context.Context, company, id string, in dossier.ValidationInput) (dossier.CandidateDocumentType, error) {
	return s.review(ctx, company, id, func(c *candidateTx, r *storedCDT, dt storedType) error {
		if r.Document == nil || !slices.Contains(reviewable, r.State) {
			return invalidTransition(r, dossier.StateValidated)
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

// RejectByHand rejects a document for an administrator; resubmit asks the candidate for another.
func (s *Store) RejectByHand(ctx context.Context, company, id, reason string, resubmit bool) (dossier.CandidateDocumentType, error) {
	return s.review(ctx, company, id, func(c *candidateTx, r *storedCDT, dt storedType) error {
		to := dossier.StateRejected
		if resubmit {
			to = dossier.StateNeedsResubmission
		}
		if r.Document == nil || !dossier.CanGo(r.State, to) {
			return invalidTransition(r, to)
		}
		r.State, r.ExpiresOn = to, ""
		r.Document.Reasons = append(slices.Clone(r.Document.Reasons), dossier.Reason{Code: dossier.ReasonRejectedByHand, Message: reason})
		c.decided(r.Document)
		return nil
	})
}

// RemoveRequest stops asking a candidate for a document type.
func (s *Store) RemoveRequest(ctx context.Context, company, id string) (dossier.CandidateDocumentType, error) {
	return s.review(ctx, company, id, func(c *candidateTx, r *storedCDT, dt storedType) error {
		if r.State == dossier.StateRemoved {
			return invalidTransition(r, dossier.StateRemoved)
		}
		r.State, r.ExpiresOn = dossier.StateRemoved, ""
		return nil
	})
}

// expiry returns the date on which a document with these values expires, "" where it doesn't.
func expiry(dt storedType, parsed map[string]any) string {
	if v, ok := dossier.Lookup(parsed, dt.Check.ExpiryReference); ok {
		if date, ok := v.(string); ok && dossier.ValidDate(date) {
			return date
		}
	}
	return ""
}

// invalidTransition says who decided on the document, where somebody did.
func invalidTransition(r *storedCDT, to string) error {
	e := dossier.Errorf(dossier.CodeTransition, "What is %s can't become %s.", r.State, to)
	if e.Decision = r.decision(); e.Decision != nil {
		e.Detail += fmt.Sprintf(" %s decided so at %s.", e.Decision.DecidedBy.Label(), e.Decision.DecidedAt)
	}
	return e
}

// decision tells who decided by hand on the newest document; nil where nobody did.
func (r *storedCDT) decision() *dossier.Decision {
	d := r.Document
	if d == nil || d.DecidedBy == nil {
		return nil
	}
	return &dossier.Decision{State: d.State, DecidedBy: *d.DecidedBy, DecidedAt: d.DecidedAt}
}

// decided notes on a document who decides on it.
func (c *candidateTx) decided(d *StoredDocument) {
	d.DecidedBy, d.DecidedAt = c.cause.Principal, c.now
}

// review is one transaction in which an administrator decides on a document. While a check runs it is refused like an upload.
func (s *Store) review(ctx context.Context, company, id string, decide func(c *candidateTx, r *storedCDT, dt storedType) error) (answer dossier.CandidateDocumentType, err error) {
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
		c := s.newCandidateTx(company, u.cand, u.candItem, cause)
		if err := decide(c, &r, u.docType); err != nil {
			return err
		}
		settled, err := c.settle(r, u.docType, u.itself)
		if err != nil {
			return err
		}
		writes, err := c.finish()
		if err != nil {
			return err
		}
		answer = settled.shown(u.docType.shown())
		return s.commit(ctx, answer, writes...)
	})
	return answer, err
}

// settle writes a candidate document type whose newest document was decided on, the document with it, and what tells of it.
func (c *candidateTx) settle(r storedCDT, dt storedType, read kv.Item) (storedCDT, error) {
	if r.Document != nil {
		if r.State != dossier.StateRemoved {
			r.Document.State = r.State
		}
		if err := c.putDocument(r.Document); err != nil {
			return r, err
		}
	}
	if err := c.putRequest(r, read); err != nil {
		return r, err
	}
	r.UpdatedAt = c.now
	if r.State != dossier.StateNeedsResubmission && r.State != dossier.StateRejected {
		return r, nil
	}
	rejected := event.Rejected{CandidateDocumentTypeID: r.ID, DocumentID: r.Document.ID, State: r.State, Reasons: []string{}}
	for _, reason := range r.Document.Reasons {
		rejected.Reasons = append(rejected.Reasons, reason.Code)
	}
	if err := c.emit(event.NewDocumentRejected(rejected)); err != nil || !dt.Pass {
		return r, err
	}
	c.cand.PassVerification = &dossier.PassVerification{Status: dossier.PassFailed, At: c.now}
	return r, c.emit(event.NewPassVerification(event.PassVerification{
		Status: dossier.PassFailed, CandidateDocumentTypeID: r.ID, DocumentID: r.Document.ID}))
}

// Expire makes the document of an entry expired, if its date has passed and it is still the validated one.
func (s *Store) Expire(ctx context.Context, e Task) error {
	company, candidate, ok := e.Owner()
	dt, its := strings.CutPrefix(e.SK, "B#CDT#")
	if !ok || !its || e.Kind != TaskExpire {
		return nil
	}
	id := requestID(candidate[len(prefixCandidate):], dt)
	return s.retryOnConflict(ctx, func() error {
		u, err := s.readUploadTarget(ctx, company, id)
		if errors.Is(err, dossier.ErrNotFound) {
			return nil // erased meanwhile
		}
		if err != nil {
			return err
		}
		r := u.request
		if r.State != dossier.StateValidated || r.ExpiresOn == "" || s.now().Before(startOfNextDay(r.ExpiresOn).Time) {
			return nil
		}
		d := *r.Document
		r.Document, r.State, r.ExpiresOn = &d, dossier.StateExpired, ""
		c := s.newCandidateTx(company, u.cand, u.candItem, event.Cause{DocumentID: d.ID})
		if err := c.emit(event.NewDocumentExpired(event.Expired{CandidateDocumentTypeID: id, DocumentID: d.ID})); err != nil {
			return err
		}
		if _, err := c.settle(r, u.docType, u.itself); err != nil {
			return err
		}
		writes, err := c.finish()
		if err != nil {
			return err
		}
		return s.commit(ctx, nil, writes...)
	})
}
