package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/trace"
)

// checkDelays are the waits after a check of a document that failed technically: about an hour
// together.
var checkDelays = []time.Duration{
	10 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute,
	10 * time.Minute, 20 * time.Minute, 22 * time.Minute,
}

// MaxChecks is the number of technical failures after which a document is checkFailed.
var MaxChecks = len(checkDelays) + 1

// Slow documents: from the second check in a row that used up its time, the next one waits.
const (
	slowChecks  = 2
	slowDelay   = time.Minute // doubled with each further one
	maxSlowWait = time.Hour
)

// slowUntil returns when a check may begin after so many slow ones; zero means at once.
func slowUntil(slow int, now dossier.Time) dossier.Time {
	if slow < slowChecks {
		return dossier.Time{}
	}
	return later(now, min(maxSlowWait, slowDelay<<min(slow-slowChecks, 10)))
}

// httpParserTime extends the lease of a check that calls a parser service.
const httpParserTime = time.Minute

// Claim is a check that one worker holds until its lease ends.
type Claim struct {
	Task      Task
	Company   string
	Candidate string
	Request   string // id of the candidate document type
	Token     int64  // fencing token
	Tries     int    // checks of the document so far, with this one
	Type      dossier.DocumentType
	Document  StoredDocument
	Expires   dossier.Time
	// The host of a parser service that must not be asked, because it is another company's and not
	// confirmed. Type has no address then.
	Unconfirmed string
}

// checkTask is the document of a check task.
type checkTask struct {
	RequestID  dossier.CandidateDocumentTypeID `json:"candidateDocumentTypeId"`
	DocumentID string                          `json:"documentId"`
}

// openCheck writes the check task, due when the lease of the candidate document type ends. rev is
// that of the stored task, if any.
func (c *candidateTx) openCheck(r storedCDT, rev int64) error {
	i, err := item(c.at.checkKey(r.DocumentTypeID), rev,
		checkTask{RequestID: r.ID, DocumentID: r.Document.ID})
	if err != nil {
		return err
	}
	c.add(put(withDue(i, r.Lock.ExpiresAt)))
	return nil
}

// checkState holds the items that each step of a check reads, in one request.
type checkState struct {
	uploadTarget
	task kv.Item // Rev 0 if the check is closed
}

func (s *Store) readCheck(ctx context.Context, at candidateRef,
	id dossier.CandidateDocumentTypeID) (checkState, error) {
	target, others, err := s.readCDT(ctx, at, id, at.checkKey(id.DocumentType()))
	if err != nil {
		return checkState{}, err
	}
	return checkState{uploadTarget: target, task: others[0]}, nil
}

// ClaimCheck takes the lease of a check. ok is false if there is nothing to do: the check is done,
// or another worker's lease still runs. A check whose lease has ended is taken over by raising the
// token. After MaxChecks the document is checkFailed.
func (s *Store) ClaimCheck(ctx context.Context, e Task) (claim Claim, ok bool, err error) {
	at, id, found := e.cdt(TaskCheck)
	if !found {
		return claim, false, nil
	}
	err = s.retryOnConflict(ctx, func() (err error) {
		claim, ok, err = s.claimCheck(ctx, at, id)
		claim.Task = e
		return err
	})
	if errors.Is(err, dossier.ErrNotFound) {
		return claim, false, nil
	}
	return claim, ok, err
}

func (s *Store) claimCheck(ctx context.Context, at candidateRef,
	id dossier.CandidateDocumentTypeID) (claim Claim, ok bool, err error) {
	check, err := s.readCheck(ctx, at, id)
	if err != nil || check.task.Rev == 0 || check.request.State != dossier.StateProcessing {
		return claim, false, err
	}
	r, now := check.request, s.now()
	if now.Before(r.NotBefore.Time) || r.Tries > 0 && now.Before(r.Lock.ExpiresAt.Time) {
		return claim, false, nil
	}
	if r.Tries >= MaxChecks {
		return claim, false, s.checkFailed(ctx, check, "The last check ended without a result.")
	}
	r.Token, r.Tries = r.Token+1, r.Tries+1
	lease := s.cfg.Lease
	if check.docType.mayAskParser(at.company) {
		lease += httpParserTime
	}
	r.Lock = &dossier.Lock{StartedAt: r.Lock.StartedAt, ExpiresAt: later(now, lease)}
	docType, unconfirmed, err := s.claimedType(check.docType, at.company)
	if err != nil {
		return claim, false, err
	}
	if err := s.moveLease(ctx, check, r); err != nil {
		return claim, false, err
	}
	return Claim{Company: at.company, Candidate: string(at.id), Request: string(id), Token: r.Token,
		Tries: r.Tries, Type: docType, Document: *r.Document, Expires: r.Lock.ExpiresAt,
		Unconfirmed: unconfirmed}, true, nil
}

// claimedType returns the document type as a check gets it: with the secret of its parser service,
// or without the service and with its host where the company has not confirmed it.
func (s *Store) claimedType(dt storedType, company string) (claimed dossier.DocumentType,
	unconfirmed string, err error) {
	claimed = dt.DocumentType
	if http := claimed.Check.HTTP; http != nil && !dt.mayAskParser(company) {
		claimed.Check.HTTP = nil
		return claimed, http.Host(), nil
	}
	claimed, err = s.openParser(claimed)
	return claimed, "", err
}

// moveLease writes a new lease of a running check: the lock of the candidate document type, and the
// due time of the task. more is written with it.
func (s *Store) moveLease(ctx context.Context, check checkState, r storedCDT,
	more ...kv.Write) error {
	c := s.newCandidateTx(check.at, check.cand, check.candItem, event.Cause{})
	if err := c.openCheck(r, check.task.Rev); err != nil {
		return err
	}
	if err := c.putCDT(r, check.itself); err != nil {
		return err
	}
	return s.commit(ctx, nil, append(c.writes, more...)...)
}

// FailCheck ends a claim whose check failed technically: the task is due again after a wait that
// grows with each try. After MaxChecks the document is checkFailed. cause is a sentence for
// administrators, call the call of the parser service, if there was one.
func (s *Store) FailCheck(ctx context.Context, claim Claim, cause string,
	call *dossier.Attempt) error {
	return s.endCheck(ctx, claim, func(check checkState) error {
		called, err := callWrites(claim, call)
		if err != nil {
			return err
		}
		if check.request.Tries >= MaxChecks {
			return s.checkFailed(ctx, check, cause, called...)
		}
		r := check.request
		wait := checkDelays[max(0, r.Tries-1)]
		r.Lock = &dossier.Lock{StartedAt: r.Lock.StartedAt, ExpiresAt: later(s.now(), wait)}
		return s.moveLease(ctx, check, r, called...)
	})
}

// endCheck runs the end of a claim; ErrStale if its fencing token is not the stored one any more.
func (s *Store) endCheck(ctx context.Context, claim Claim, end func(checkState) error) error {
	id, ok := dossier.ParseCandidateDocumentTypeID(claim.Request)
	if !ok {
		return ErrStale
	}
	at := candidateRef{claim.Company, id.Candidate()}
	err := s.retryOnConflict(ctx, func() error {
		check, err := s.readCheck(ctx, at, id)
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

// ErrStale is returned to a worker whose claim was taken over. Its result is discarded.
var ErrStale = errors.New("the claim was taken over")

// CheckResult is the outcome of a check.
type CheckResult struct {
	State      string // inReview, validated or needsResubmission
	Parsed     map[string]any
	Confidence float64
	Reasons    []dossier.Reason
	Readings   []dossier.Reading
	Slow       bool // reading used up its time
	// of the parser service; nil if it was not called
	Call *dossier.Attempt
}

// FinishCheck ends a claim with its result, in one transaction. A document that passed stays frozen
// until the rules job that is opened here has run.
func (s *Store) FinishCheck(ctx context.Context, claim Claim, result CheckResult) error {
	return s.endCheck(ctx, claim, func(check checkState) error {
		called, err := callWrites(claim, result.Call)
		if err != nil {
			return err
		}
		return s.finishCheck(ctx, check, result, called...)
	})
}

func (s *Store) checkFailed(ctx context.Context, check checkState, cause string,
	more ...kv.Write) error {
	return s.finishCheck(ctx, check,
		CheckResult{State: dossier.StateCheckFailed, Reasons: []dossier.Reason{
			{Code: dossier.ReasonCheckUnavailable, Message: "The check could not be carried out."},
			{Code: dossier.ReasonCheckCause, Message: cause},
		}}, more...)
}

// finishCheck ends a check with its result. more is written with it.
func (s *Store) finishCheck(ctx context.Context, check checkState, result CheckResult,
	more ...kv.Write) error {
	r := check.request
	if !dossier.CanGo(r.State, result.State) {
		return invalidTransition(&r, result.State)
	}
	c := s.newCandidateTx(check.at, check.cand, check.candItem,
		event.Cause{DocumentID: r.Document.ID, CorrelationID: r.Document.Correlation,
			Trace: cmp.Or(trace.From(ctx), r.Document.Trace)})
	d := *r.Document
	r.Document = &d
	d.Parsed, d.Confidence, d.Reasons, d.CheckedAt = result.Parsed, result.Confidence,
		result.Reasons, c.now
	d.Readings = result.Readings
	r.Token++
	if r.Slow++; !result.Slow {
		r.Slow = 0
	}
	c.add(remove(check.task))
	if result.State == dossier.StateValidated {
		if err := c.openJob(&r, check.docType, expiry(check.docType, d.Parsed)); err != nil {
			return err
		}
	} else {
		r.State, r.Lock = result.State, nil
	}
	if _, err := c.settle(r, check.docType, check.itself); err != nil {
		return err
	}
	writes, err := c.finish(ctx)
	if err != nil {
		return err
	}
	return s.commit(ctx, nil, append(writes, more...)...)
}
