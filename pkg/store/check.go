package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// MaxChecks is how many checks of one document may fail technically before it is checkFailed.
const MaxChecks = 3

// httpParserTime is how much longer the lease of a check is that asks a parser service: its time to answer.
const httpParserTime = time.Minute

// Claim is a check that is this worker's until its lease ends.
type Claim struct {
	Company   string
	Candidate string
	Request   string // id of the candidate document type
	Token     int64
	Type      dossier.DocumentType // with the secret of its parser service
	Document  StoredDocument
	Expires   dossier.Time
}

// checkState is what the steps of a check read, in one request.
type checkState struct {
	uploadTarget
	entry kv.Item // Rev 0 where the check is closed
}

func (t *Store) readCheck(ctx context.Context, company, id string) (s checkState, err error) {
	cand, dt, ok := splitRequest(id)
	if !ok {
		return s, dossier.ErrNotFound
	}
	target, others, err := t.readUploadTargetAnd(ctx, company, id, keyCheck(company, cand, dt))
	if err != nil {
		return s, err
	}
	s.uploadTarget, s.entry = target, others[0]
	return s, nil
}

// ClaimCheck takes the lease of the check an entry stands for. ok is false where there is nothing to do: it is done, or another
// worker's lease still runs. A check whose lease has ended is taken away from whoever had it: the token is raised. After the third, the
// document is checkFailed.
func (t *Store) ClaimCheck(ctx context.Context, e Task) (claim Claim, ok bool, err error) {
	company, candidate, found := e.Owner()
	dt, its := strings.CutPrefix(e.SK, "CHK#")
	if !found || !its || e.Kind != TaskCheck {
		return claim, false, nil
	}
	id := requestID(candidate[len(prefixCandidate):], dt)
	err = t.retryOnConflict(ctx, func() (err error) {
		claim, ok, err = t.claimCheck(ctx, company, id)
		return err
	})
	if errors.Is(err, dossier.ErrNotFound) {
		return claim, false, nil
	}
	return claim, ok, err
}

func (t *Store) claimCheck(ctx context.Context, company, id string) (claim Claim, ok bool, err error) {
	s, err := t.readCheck(ctx, company, id)
	if err != nil || s.entry.Rev == 0 || s.request.State != dossier.StateProcessing {
		return claim, false, err
	}
	r, now := s.request, t.now()
	if r.Tries > 0 && now.Before(r.Lock.ExpiresAt.Time) {
		return claim, false, nil
	}
	if r.Tries >= MaxChecks {
		return claim, false, t.checkFailed(ctx, company, s)
	}
	r.Token, r.Tries = r.Token+1, r.Tries+1
	lease := t.cfg.Lease
	if s.docType.Check.Parser == dossier.ParserHTTP {
		lease += httpParserTime
	}
	r.Lock = &dossier.Lock{StartedAt: r.Lock.StartedAt, ExpiresAt: later(now, lease)}
	if err := t.moveLease(ctx, company, s, r); err != nil {
		return claim, false, err
	}
	return Claim{Company: company, Candidate: r.CandidateID, Request: id, Token: r.Token, Type: s.docType.DocumentType, Document: *r.Document, Expires: r.Lock.ExpiresAt}, true, nil
}

// moveLease writes another lease of a running check: into the candidate document type, and into the open entry, which is due when it ends.
func (t *Store) moveLease(ctx context.Context, company string, s checkState, r storedRequest) error {
	c := t.change(company, s.cand, s.candItem, event.Cause{})
	if err := c.openCheck(r, s.entry.Rev); err != nil {
		return err
	}
	if err := c.putRequest(r, s.itself); err != nil {
		return err
	}
	return t.commit(ctx, nil, c.writes...)
}

// FailCheck ends a claim whose check failed technically: the entry is due again at once for the sweeper. After the third try the
// document is checkFailed.
func (t *Store) FailCheck(ctx context.Context, claim Claim) error {
	return t.endCheck(ctx, claim, func(s checkState) error {
		if s.request.Tries >= MaxChecks {
			return t.checkFailed(ctx, claim.Company, s)
		}
		r := s.request
		r.Lock = &dossier.Lock{StartedAt: r.Lock.StartedAt, ExpiresAt: t.now()}
		return t.moveLease(ctx, claim.Company, s, r)
	})
}

// endCheck runs the end of a claim, unless the check was taken away from it: the token is another's then, and nothing changes.
func (t *Store) endCheck(ctx context.Context, claim Claim, end func(checkState) error) error {
	err := t.retryOnConflict(ctx, func() error {
		s, err := t.readCheck(ctx, claim.Company, claim.Request)
		if err != nil {
			return err
		}
		if s.entry.Rev == 0 || s.request.Token != claim.Token {
			return ErrStale
		}
		return end(s)
	})
	if errors.Is(err, dossier.ErrNotFound) {
		return ErrStale
	}
	return err
}

// ErrStale is the end of a check that was taken away meanwhile. Its result is thrown away.
var ErrStale = errors.New("the check was taken away")

// Checked is what a check found out.
type Checked struct {
	State      string // inReview, validated or needsResubmission
	Parsed     map[string]any
	Confidence float64
	Reasons    []dossier.Reason
}

// FinishCheck ends a claim with its result, in one transaction: what was read, the lease gone. A document that passed stays frozen until its
// rules have run; the job that runs them is opened here.
func (t *Store) FinishCheck(ctx context.Context, claim Claim, result Checked) error {
	return t.endCheck(ctx, claim, func(s checkState) error { return t.finishCheck(ctx, claim.Company, s, result) })
}

func (t *Store) checkFailed(ctx context.Context, company string, s checkState) error {
	return t.finishCheck(ctx, company, s, Checked{State: dossier.StateCheckFailed, Reasons: []dossier.Reason{{
		Code: dossier.ReasonCheckUnavailable, Message: "The check could not be carried out.",
	}}})
}

func (t *Store) finishCheck(ctx context.Context, company string, s checkState, result Checked) error {
	r := s.request
	c := t.change(company, s.cand, s.candItem, event.Cause{DocumentID: r.Document.ID, CorrelationID: r.Document.Correlation})
	d := *r.Document
	r.Document = &d
	d.Parsed, d.Confidence, d.Reasons, d.CheckedAt = result.Parsed, result.Confidence, result.Reasons, c.now
	r.Token++
	c.add(remove(s.entry))
	switch result.State {
	case dossier.StateValidated:
		if err := c.openJob(&r, s.docType, expiry(s.docType, d.Parsed)); err != nil {
			return err
		}
	default:
		r.State, r.Lock = result.State, nil
	}
	if _, err := c.settle(r, s.docType, s.itself); err != nil {
		return err
	}
	writes, err := c.finish()
	if err != nil {
		return err
	}
	return t.commit(ctx, nil, writes...)
}
