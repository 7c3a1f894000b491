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
	Task      Task
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
	task kv.Item // Rev 0 where the check is closed
}

func (s *Store) readCheck(ctx context.Context, company, id string) (check checkState, err error) {
	cand, dt, ok := splitRequest(id)
	if !ok {
		return check, dossier.ErrNotFound
	}
	target, others, err := s.readUploadTargetAnd(ctx, company, id, keyCheck(company, cand, dt))
	if err != nil {
		return check, err
	}
	check.uploadTarget, check.task = target, others[0]
	return check, nil
}

// ClaimCheck takes the lease of the check an entry stands for. ok is false where there is nothing to do: it is done, or another
// worker's lease still runs. A check whose lease has ended is taken away from whoever had it: the token is raised. After the third, the
// document is checkFailed.
func (s *Store) ClaimCheck(ctx context.Context, e Task) (claim Claim, ok bool, err error) {
	company, candidate, found := e.Owner()
	dt, its := strings.CutPrefix(e.SK, "CHK#")
	if !found || !its || e.Kind != TaskCheck {
		return claim, false, nil
	}
	id := requestID(candidate[len(prefixCandidate):], dt)
	err = s.retryOnConflict(ctx, func() (err error) {
		claim, ok, err = s.claimCheck(ctx, company, id)
		claim.Task = e
		return err
	})
	if errors.Is(err, dossier.ErrNotFound) {
		return claim, false, nil
	}
	return claim, ok, err
}

func (s *Store) claimCheck(ctx context.Context, company, id string) (claim Claim, ok bool, err error) {
	check, err := s.readCheck(ctx, company, id)
	if err != nil || check.task.Rev == 0 || check.request.State != dossier.StateProcessing {
		return claim, false, err
	}
	r, now := check.request, s.now()
	if r.Tries > 0 && now.Before(r.Lock.ExpiresAt.Time) {
		return claim, false, nil
	}
	if r.Tries >= MaxChecks {
		return claim, false, s.checkFailed(ctx, company, check)
	}
	r.Token, r.Tries = r.Token+1, r.Tries+1
	lease := s.cfg.Lease
	if dossier.ParserNamed(check.docType.Check.Parser).Service {
		lease += httpParserTime
	}
	r.Lock = &dossier.Lock{StartedAt: r.Lock.StartedAt, ExpiresAt: later(now, lease)}
	if err := s.moveLease(ctx, company, check, r); err != nil {
		return claim, false, err
	}
	return Claim{Company: company, Candidate: r.CandidateID, Request: id, Token: r.Token, Type: check.docType.DocumentType, Document: *r.Document, Expires: r.Lock.ExpiresAt}, true, nil
}

// moveLease writes another lease of a running check: into the candidate document type, and into the open entry, which is due when it ends.
func (s *Store) moveLease(ctx context.Context, company string, check checkState, r storedCDT) error {
	c := s.newCandidateTx(company, check.cand, check.candItem, event.Cause{})
	if err := c.openCheck(r, check.task.Rev); err != nil {
		return err
	}
	if err := c.putRequest(r, check.itself); err != nil {
		return err
	}
	return s.commit(ctx, nil, c.writes...)
}

// FailCheck ends a claim whose check failed technically: the entry is due again at once for the sweeper. After the third try the
// document is checkFailed.
func (s *Store) FailCheck(ctx context.Context, claim Claim) error {
	return s.endCheck(ctx, claim, func(check checkState) error {
		if check.request.Tries >= MaxChecks {
			return s.checkFailed(ctx, claim.Company, check)
		}
		r := check.request
		r.Lock = &dossier.Lock{StartedAt: r.Lock.StartedAt, ExpiresAt: s.now()}
		return s.moveLease(ctx, claim.Company, check, r)
	})
}

// endCheck runs the end of a claim, unless the check was taken away from it: the token is another's then, and nothing changes.
func (s *Store) endCheck(ctx context.Context, claim Claim, end func(checkState) error) error {
	err := s.retryOnConflict(ctx, func() error {
		check, err := s.readCheck(ctx, claim.Company, claim.Request)
		if err != nil {
			return err
		}
		if check.task.Rev == 0 || check.request.Token != claim.Token {
			return ErrStale
		}
		return end(check)
	})
	if errors.Is(err, dossier.ErrNotFound) {
		return ErrStale
	}
	return err
}

// ErrStale is the end of a check that was taken away meanwhile. Its result is thrown away.
var ErrStale = errors.New("the check was taken away")

// Checked is what a check found out.
type CheckResult struct {
	State      string // inReview, validated or needsResubmission
	Parsed     map[string]any
	Confidence float64
	Reasons    []dossier.Reason
}

// FinishCheck ends a claim with its result, in one transaction: what was read, the lease gone. A document that passed stays frozen until its
// rules have run; the job that runs them is opened here.
func (s *Store) FinishCheck(ctx context.Context, claim Claim, result CheckResult) error {
	return s.endCheck(ctx, claim, func(check checkState) error { return s.finishCheck(ctx, claim.Company, check, result) })
}

func (s *Store) checkFailed(ctx context.Context, company string, check checkState) error {
	return s.finishCheck(ctx, company, check, CheckResult{State: dossier.StateCheckFailed, Reasons: []dossier.Reason{{
		Code: dossier.ReasonCheckUnavailable, Message: "The check could not be carried out.",
	}}})
}

func (s *Store) finishCheck(ctx context.Context, company string, check checkState, result CheckResult) error {
	r := check.request
	c := s.newCandidateTx(company, check.cand, check.candItem, event.Cause{DocumentID: r.Document.ID, CorrelationID: r.Document.Correlation})
	d := *r.Document
	r.Document = &d
	d.Parsed, d.Confidence, d.Reasons, d.CheckedAt = result.Parsed, result.Confidence, result.Reasons, c.now
	r.Token++
	c.add(remove(check.task))
	switch result.State {
	case dossier.StateValidated:
		if err := c.openJob(&r, check.docType, expiry(check.docType, d.Parsed)); err != nil {
			return err
		}
	default:
		r.State, r.Lock = result.State, nil
	}
	if _, err := c.settle(r, check.docType, check.itself); err != nil {
		return err
	}
	writes, err := c.finish()
	if err != nil {
		return err
	}
	return s.commit(ctx, nil, writes...)
}
