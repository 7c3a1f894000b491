package store

import (
	"context"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// Job is the rules task of one validated document: its write-back, rules, status and events are
// still to come. It holds the rules as they were when the document was validated.
type Job struct {
	Number            int64                           `json:"number"`
	RequestID         dossier.CandidateDocumentTypeID `json:"candidateDocumentTypeId"`
	DocumentID        string                          `json:"documentId"`
	Submission        dossier.Submission              `json:"submission"`
	SubmissionVersion int64                           `json:"submissionVersion"`
	WriteBack         []dossier.WriteBack             `json:"writeBack"`
	// of the custom fields written to, by cf_ or dcf_ reference
	Types map[string]string `json:"types"`
	// the document type is another company's: its rules are not applied
	Shared bool `json:"shared,omitzero"`
	// the document type is the candidate's pass
	Pass      bool   `json:"pass,omitzero"`
	ExpiresOn string `json:"expiresOn,omitzero"`
	// of the document type; nil for the default
	RemindBefore []int  `json:"remindBefore,omitzero"`
	Correlation  string `json:"correlationId,omitzero"`
	Trace        string `json:"traceparent,omitzero"` // of its cause
	// the administrator who validated it
	Principal *dossier.Actor `json:"principal,omitzero"`
}

// job returns the job of a document with the rules as they are now, in a company that has the type.
func (s storedType) job(company string, request dossier.CandidateDocumentTypeID,
	document string) Job {
	return Job{RequestID: request, DocumentID: document,
		Submission:        dossier.Submission{Rules: s.Submission.Rules},
		SubmissionVersion: s.Version, WriteBack: s.WriteBack, Types: s.WriteTypes,
		Shared: s.sharedTo(company), Pass: s.Pass}
}

// openJob writes the job that validates r, with the candidate's next job number. The parts stay
// frozen until it is done.
func (c *candidateTx) openJob(r *storedCDT, dt storedType, expiresOn string) error {
	c.cand.JobSeq++
	r.Job, r.State = c.cand.JobSeq, dossier.StateProcessing
	started := c.now
	if r.Lock != nil {
		started = r.Lock.StartedAt
	}
	r.Lock = &dossier.Lock{StartedAt: started, ExpiresAt: later(c.now, c.store.cfg.Lease)}
	job := dt.job(c.at.company, r.ID, r.Document.ID)
	job.Number, job.ExpiresOn, job.RemindBefore = r.Job, expiresOn, dt.RemindBefore
	job.Correlation, job.Principal = c.cause.CorrelationID, c.cause.Principal
	job.Trace = c.cause.Trace
	i, err := item(c.at.jobKey(r.Job), 0, job)
	if err != nil {
		return err
	}
	c.add(put(withDue(i, later(c.now, c.store.cfg.Sweep))))
	return nil
}

// snapshot is the candidate, its document types and its rules jobs, from one consistent query.
type snapshot struct {
	at       candidateRef
	stored   storedCandidate
	requests map[dossier.DocumentTypeID]storedCDT
	items    map[kv.Key]kv.Item
	jobs     []Job
}

// readSnapshot reads the snapshot of a candidate; an erased one is NOT_FOUND.
func (s *Store) readSnapshot(ctx context.Context, at candidateRef) (*snapshot, error) {
	page, err := s.engine.Query(ctx, at.snapshotQuery())
	if err != nil {
		return nil, err
	}
	d := &snapshot{at: at, requests: map[dossier.DocumentTypeID]storedCDT{},
		items: map[kv.Key]kv.Item{}}
	for _, i := range page.Items {
		d.items[i.Key] = i
		switch {
		case i.SK == skCandidate:
			d.stored, err = decode[storedCandidate](i)
		case strings.HasPrefix(i.SK, prefixCDT):
			var r storedCDT
			r, err = decode[storedCDT](i)
			d.requests[r.DocumentTypeID] = r
		default:
			var j Job
			j, err = decode[Job](i)
			d.jobs = append(d.jobs, j)
		}
		if err != nil {
			return nil, err
		}
	}
	if d.stored.ID == "" || d.stored.Erased {
		return nil, dossier.ErrNotFound
	}
	return d, nil
}
