package store

import (
	"maps"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// storedCandidate is the candidate item: the candidate, what its status depends on, and the three counters that give order.
type storedCandidate struct {
	dossier.Candidate
	Rejected  bool                         `json:"rejected,omitzero"`
	Requested map[string]dossier.Requested `json:"requested"`  // by document type ULID; kept in step with the items by change
	EventSeq  int64                        `json:"eventSeq"`   // number of the newest event
	JobSeq    int64                        `json:"jobSeq"`     // number of the newest rules job
	Applied   int64                        `json:"appliedSeq"` // number of the newest rules job that is done
	Erased    bool                         `json:"erased,omitzero"`
}

// storedRequest is the candidate document type item. It holds the lock of its parts and the newest document.
type storedCDT struct {
	ID             string          `json:"id"`
	CandidateID    string          `json:"candidateId"`
	DocumentTypeID string          `json:"documentTypeId"`
	State          string          `json:"state"`
	Required       bool            `json:"required"`
	DueAt          dossier.Time    `json:"dueAt,omitzero"`
	Metadata       map[string]any  `json:"metadata"`
	CustomFields   map[string]any  `json:"customFields"`
	Lock           *dossier.Lock   `json:"lock,omitzero"`
	Document       *StoredDocument `json:"document,omitzero"`
	Versions       int64           `json:"versions"`           // uploads so far
	Token          int64           `json:"token"`              // raised whenever a check starts or is taken away: a late result has an old one
	Tries          int             `json:"tries"`              // checks of the newest document that began
	Job            int64           `json:"job,omitzero"`       // number of the rules job that makes it validated
	ExpiresOn      string          `json:"expiresOn,omitzero"` // the newest validated document's date
	CreatedAt      dossier.Time    `json:"createdAt"`
	UpdatedAt      dossier.Time    `json:"updatedAt"`
}

// StoredDocument is a document and where its parts are kept.
type StoredDocument struct {
	dossier.Document
	RequestID   string    `json:"candidateDocumentTypeId"`
	Correlation string    `json:"correlationId,omitzero"` // id of the request that uploaded it
	Blobs       []BlobRef `json:"blobs"`                  // one for each part, in order
	Rev         int64     `json:"rev"`                    // of the document's own item, which is only written together with this copy
}

// BlobRef pins the bytes of a part: a key of the blob store and the version of the object.
type BlobRef struct {
	Key     string `json:"key"`
	Version string `json:"version"`
}

// with returns the candidate document type as answers show it.
func (r *storedCDT) shown(dt dossier.DocumentType) dossier.CandidateDocumentType {
	c := dossier.CandidateDocumentType{
		ID: r.ID, CandidateID: r.CandidateID, DocumentType: dt, State: r.State, Required: r.Required, DueAt: r.DueAt,
		Metadata: r.Metadata, CustomFields: r.CustomFields, Lock: r.Lock, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if r.Document != nil {
		d := r.Document.Document
		c.Document = &d
	}
	return c
}

// maxCandidate is how many bytes a candidate's item has after a request. What rules and scenarios add has room beside it, up to
// fullCandidate; the rest of what an item can hold is for what every transaction adds.
const (
	maxCandidate  = 200_000
	fullCandidate = 350_000
)

// change is one transaction on a candidate's dossier while it is put together: what changes, and which events tell of it.
type candidateTx struct {
	store    *Store
	company  string
	cand     storedCandidate
	item     kv.Item // as it was read; Rev 0 for a new candidate
	now      dossier.Time
	cause    event.Cause
	before   string // status
	writes   []kv.Write
	isNew    bool // the candidate is made by this change
	maxBytes int  // bytes that the candidate's item may have, 0 for what every item may
}

// change starts a transaction on a candidate that was read.
func (s *Store) newCandidateTx(company string, cand storedCandidate, read kv.Item, cause event.Cause) *candidateTx {
	cand.Requested = maps.Clone(cand.Requested)
	if cand.Requested == nil {
		cand.Requested = map[string]dossier.Requested{}
	}
	return &candidateTx{store: s, company: company, cand: cand, item: read, now: s.now(), cause: cause, before: cand.Status, isNew: read.Rev == 0}
}

func (c *candidateTx) ulid() string { return c.cand.ID[len(prefixCandidate):] }

// status is what the candidate's status will be.
func (c *candidateTx) status() string {
	return dossier.Status(c.cand.Rejected, c.cand.Requested, c.cand.Forms)
}

// emit records an event with the candidate's next number, and its open entry: the event is to be handed out.
func (c *candidateTx) emit(p event.Payload) error {
	c.cand.EventSeq++
	e := p.At(c.now, c.company, c.cand.ID, c.cand.EventSeq, c.cause)
	i, err := item(keyEvent(c.company, c.ulid(), e.Sequence), 0, e)
	if err != nil {
		return err
	}
	c.writes = append(c.writes, put(withDue(i, later(c.now, c.store.cfg.Sweep))))
	return nil
}

// putRequest writes a candidate document type and keeps what the status depends on in step.
// A first revision needs that there is none; otherwise the stored one must be as it was read.
func (c *candidateTx) putRequest(r storedCDT, read kv.Item) error {
	cand, dt, _ := splitRequest(r.ID)
	r.UpdatedAt = c.now
	i, err := item(keyRequest(c.company, cand, dt), read.Rev, r)
	if err != nil {
		return err
	}
	i.Fields = map[string]string{"state": r.State, "token": number(r.Token)}
	place := cand + "#" + dt
	i.List, i.ListSort = pkOf(c.company, "CDT"), place
	i.Lookup, i.LookupSort = pkOf(c.company, "CDT#"+r.State), place
	if r.State == dossier.StateValidated && r.ExpiresOn != "" {
		i = withDue(i, startOfNextDay(r.ExpiresOn))
	}
	c.cand.Requested[dt] = dossier.Requested{State: r.State, Required: r.Required}
	c.writes = append(c.writes, put(i))
	return nil
}

// putDocument writes the item of the document that a candidate document type holds as its newest. Before putRequest, which holds the copy.
func (c *candidateTx) putDocument(d *StoredDocument) error {
	cand, dt, _ := splitRequest(d.RequestID)
	rev := d.Rev
	d.Rev++
	i, err := item(keyDocument(c.company, cand, dt, d.ID[len(prefixDocument):]), rev, d)
	if err != nil {
		return err
	}
	c.writes = append(c.writes, put(i))
	return nil
}

// add adds a write that the change carries along.
func (c *candidateTx) add(w kv.Write) { c.writes = append(c.writes, w) }

// finish recalculates the status, records what follows from it, and returns every write of the transaction: the candidate's first.
func (c *candidateTx) finish() ([]kv.Write, error) {
	after := c.status()
	if after != c.before && !c.isNew {
		d := event.StatusChange{Status: after, PreviousStatus: c.before}
		if err := c.emit(event.NewStatusChanged(d)); err != nil {
			return nil, err
		}
		if after == dossier.StatusApproved {
			if err := c.emit(event.NewApproved(d)); err != nil {
				return nil, err
			}
		}
	}
	c.cand.Status, c.cand.UpdatedAt = after, c.now
	i, err := item(keyCandidate(c.company, c.ulid()), c.item.Rev, c.cand)
	if err != nil {
		return nil, err
	}
	if !c.cand.Erased {
		i.List, i.ListSort = pkOf(c.company, "CAND"), c.ulid()
		i.Lookup, i.LookupSort = pkOf(c.company, "CAND#"+after), c.ulid()
	}
	i.Fields = map[string]string{"status": after}
	if c.maxBytes > 0 && len(i.Doc) > c.maxBytes && len(i.Doc) > len(c.item.Doc) {
		return nil, dossier.Errorf(dossier.CodeTooLarge, "What is kept of the candidate would be larger than %d bytes.", c.maxBytes)
	}
	return append([]kv.Write{put(i)}, c.writes...), nil
}
