package store

import (
	"context"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// Job is one validated document whose effects are still to come: write-back, rules, status, events. It holds the rules as they
// were when the document was validated.
type Job struct {
	Number            int64               `json:"number"`
	RequestID         string              `json:"candidateDocumentTypeId"`
	DocumentID        string              `json:"documentId"`
	Submission        dossier.Submission  `json:"submission"`
	SubmissionVersion int64               `json:"submissionVersion"`
	WriteBack         []dossier.WriteBack `json:"writeBack"`
	Types             map[string]string   `json:"types"`           // of the custom fields that are written to, by cf_ or dcf_ reference
	Shared            bool                `json:"shared,omitzero"` // another company's type: the rules are not applied
	Pass              bool                `json:"pass,omitzero"`   // the type is the candidate's pass
	ExpiresOn         string              `json:"expiresOn,omitzero"`
	Correlation       string              `json:"correlationId,omitzero"`
	Principal         *dossier.Actor      `json:"principal,omitzero"` // who validated it by hand
}

// openJob opens the job that makes r validated, with the candidate's next job number. Until it is done the parts stay frozen.
func (c *candidateTx) openJob(r *storedCDT, dt storedType, expiresOn string) error {
	c.cand.JobSeq++
	r.Job, r.State = c.cand.JobSeq, dossier.StateProcessing
	started := c.now
	if r.Lock != nil {
		started = r.Lock.StartedAt
	}
	r.Lock = &dossier.Lock{StartedAt: started, ExpiresAt: later(c.now, c.store.cfg.Lease)}
	i, err := item(keyJob(c.company, c.ulid(), r.Job), 0, Job{
		Number: r.Job, RequestID: r.ID, DocumentID: r.Document.ID, Submission: dt.Submission, SubmissionVersion: dt.Version,
		WriteBack: dt.WriteBack, Types: dt.WriteTypes, Shared: dt.sharedTo(c.company), Pass: dt.Pass, ExpiresOn: expiresOn,
		Correlation: c.cause.CorrelationID, Principal: c.cause.Principal,
	})
	if err != nil {
		return err
	}
	c.add(put(withDue(i, later(c.now, c.store.cfg.Sweep))))
	return nil
}

// Dossier is what rules read: the candidate, its document types and its open jobs, from one consistent query.
type snapshot struct {
	Company   string
	Candidate dossier.Candidate
	requests  map[string]storedCDT // by document type ULID
	items     map[kv.Key]kv.Item
	stored    storedCandidate
	jobs      []Job
}

// dossier reads a candidate's dossier in one request.
func (s *Store) readSnapshot(ctx context.Context, company, cand string) (*snapshot, error) {
	page, err := s.engine.Query(ctx, kv.Query{Partition: pkCandidate(company, cand), From: dossierFrom, To: dossierTo})
	if err != nil {
		return nil, err
	}
	d := &snapshot{Company: company, requests: map[string]storedCDT{}, items: map[kv.Key]kv.Item{}}
	for _, i := range page.Items {
		d.items[i.Key] = i
		switch {
		case i.SK == skCandidate:
			d.stored, err = decode[storedCandidate](i)
			d.Candidate = d.stored.Candidate
		case strings.HasPrefix(i.SK, "B#CDT#"):
			d.requests[i.SK[len("B#CDT#"):]], err = decode[storedCDT](i)
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

// request returns a candidate document type by the id of its document type.
func (d *snapshot) request(documentTypeID string) (storedCDT, bool) {
	r, ok := d.requests[strings.TrimPrefix(documentTypeID, prefixType)]
	return r, ok
}
