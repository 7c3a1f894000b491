package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// NewParts is what an upload brings: the parts, and where the blob store keeps their bytes.
type NewParts struct {
	Parts []dossier.Part
	Blobs []BlobRef
	plan  kv.Item // of a large upload, which ends with the commit
}

// uploadTarget is what an upload reads, in one request.
type uploadTarget struct {
	cand     storedCandidate
	request  storedCDT
	docType  storedType
	candItem kv.Item
	itself   kv.Item
}

// Upload is an upload that was not refused before a byte of it was stored.
type Upload struct {
	store   *Store
	company string
	id      string
	target  uploadTarget
	read    bool // target is as it was just read
}

// BeginUpload reads what an upload needs, in one request, and refuses it while the parts are frozen or the type was removed. Commit decides.
func (s *Store) BeginUpload(ctx context.Context, company, id string) (*Upload, error) {
	target, err := s.readUploadTarget(ctx, company, id)
	if err != nil {
		return nil, err
	}
	return &Upload{store: s, company: company, id: id, target: target, read: true}, s.checkUploadable(&target.request)
}

// BlobPrefix returns a prefix of its own for the bytes of this upload.
func (u *Upload) BlobPrefix() string {
	return BlobPrefix(u.company, u.target.cand.ID) + u.store.newID("") + "/"
}

func (s *Store) readUploadTarget(ctx context.Context, company, id string) (uploadTarget, error) {
	u, _, err := s.readUploadTargetAnd(ctx, company, id)
	return u, err
}

// readUploadTargetAnd reads more items in the same request.
func (s *Store) readUploadTargetAnd(ctx context.Context, company, id string, more ...kv.Key) (u uploadTarget, others []kv.Item, err error) {
	cand, dt, ok := splitRequest(id)
	if !ok {
		return u, nil, dossier.ErrNotFound
	}
	keys := append([]kv.Key{keyCandidate(company, cand), keyRequest(company, cand, dt), keyType(company, dt)}, more...)
	items, err := s.engine.Get(ctx, false, keys...)
	if err != nil {
		return u, nil, err
	}
	u, err = decodeUploadTarget(items)
	return u, items[3:], err
}

func decodeUploadTarget(items []kv.Item) (u uploadTarget, err error) {
	if items[0].Rev == 0 || items[1].Rev == 0 || items[2].Rev == 0 {
		return u, dossier.ErrNotFound
	}
	if u.cand, err = decode[storedCandidate](items[0]); err != nil {
		return u, err
	}
	if u.request, err = decode[storedCDT](items[1]); err != nil {
		return u, err
	}
	if u.docType, err = decode[storedType](items[2]); err != nil {
		return u, err
	}
	if u.cand.Erased {
		return u, dossier.ErrNotFound
	}
	u.candItem, u.itself = items[0], items[1]
	return u, nil
}

// uploadable says why nothing can be uploaded in the state of r.
func (s *Store) checkUploadable(r *storedCDT) error {
	switch r.State {
	case dossier.StateProcessing:
		return s.errLocked(r)
	case dossier.StateRemoved:
		return dossier.Errorf(dossier.CodeRemoved, "This document is not asked for any more.")
	}
	return nil
}

// locked is the conflict of the contract: a check runs on the parts.
func (s *Store) errLocked(r *storedCDT) error {
	e := dossier.Errorf(dossier.CodeLocked, "The document is being checked. Its parts are frozen until the check has finished.")
	e.Lock, e.RetryAfter, e.Decision = r.Lock, time.Second, r.decision()
	return e
}

// Commit takes the parts as the newest version of the document. Whether the parts are frozen and whether the upload is taken
// is decided by the one conditional write of the candidate document type.
func (u *Upload) Commit(ctx context.Context, parts NewParts) (answer dossier.CandidateDocumentType, err error) {
	documentID := u.store.newID(prefixDocument)
	err = u.store.retryOnConflict(ctx, func() error {
		if !u.read {
			if u.target, err = u.store.readUploadTarget(ctx, u.company, u.id); err != nil {
				return err
			}
		}
		u.read = false
		answer, err = u.store.upload(ctx, u.company, u.target, documentID, parts)
		return err
	})
	return answer, err
}

func (s *Store) upload(ctx context.Context, company string, u uploadTarget, documentID string, parts NewParts) (answer dossier.CandidateDocumentType, err error) {
	if err := s.checkUploadable(&u.request); err != nil {
		return answer, err
	}
	id := u.request.ID
	cause := causeOf(ctx)
	cause.DocumentID = documentID
	c := s.newCandidateTx(company, u.cand, u.candItem, cause)
	r := u.request
	if r.State == dossier.StateUploaded && r.Document != nil {
		if parts = parts.besides(*r.Document); len(parts.Parts) > dossier.MaxParts {
			var p dossier.Problems
			p.Add("/parts", dossier.ProblemTooMany, "With the parts uploaded before, the document would have more than %d.", dossier.MaxParts)
			return answer, p.Err()
		}
	}
	r.State, r.Versions, r.Tries, r.Job, r.ExpiresOn = nextState(u.docType, parts.Parts), r.Versions+1, 0, 0, ""
	r.Document = &StoredDocument{RequestID: id, Correlation: correlation(ctx), Blobs: parts.Blobs, Document: dossier.Document{
		ID: documentID, Version: r.Versions, State: r.State, Parts: parts.Parts, CreatedAt: c.now}}
	if r.State == dossier.StateProcessing {
		r.Token++
		r.Lock = &dossier.Lock{StartedAt: c.now, ExpiresAt: later(c.now, s.cfg.Lease)}
		if err := c.openCheck(r, 0); err != nil {
			return answer, err
		}
	}
	if u.docType.Pass {
		c.cand.PassVerification = &dossier.PassVerification{Status: dossier.PassPending, At: c.now}
	}
	if err := c.putDocument(r.Document); err != nil {
		return answer, err
	}
	if err := c.putRequest(r, u.itself); err != nil {
		return answer, err
	}
	frozen := &c.writes[len(c.writes)-1]
	// The lock: refused while the stored state is processing, which comes back with the refusal.
	frozen.If.Not = map[string]string{"state": dossier.StateProcessing}
	if err := c.emit(event.NewDocumentUploaded(event.Uploaded{CandidateDocumentTypeID: id, DocumentID: documentID, Version: r.Versions})); err != nil {
		return answer, err
	}
	if parts.plan.Rev != 0 {
		// Failed: the same upload was committed already.
		c.add(remove(parts.plan))
	}
	writes, err := c.finish()
	if err != nil {
		return answer, err
	}
	r.UpdatedAt = c.now
	answer = r.shown(u.docType.shown())
	return answer, s.lockedIfProcessing(s.commit(ctx, answer, writes...), keyRequestOf(company, id), writes)
}

// refusedAsLocked turns a failed commit into the 409 of the lock where the stored candidate document type is being checked.
func (s *Store) lockedIfProcessing(err error, key kv.Key, writes []kv.Write) error {
	var failed *kv.ConditionFailed
	if !errors.As(err, &failed) {
		return err
	}
	at := slices.IndexFunc(writes, func(w kv.Write) bool { return w.Key() == key })
	stored, ok := failed.Failed[at]
	if !ok || stored.Rev == 0 {
		return err
	}
	r, decodeErr := decode[storedCDT](stored)
	if decodeErr != nil {
		return decodeErr
	}
	if r.State == dossier.StateProcessing {
		return s.errLocked(&r)
	}
	return err
}

// besides completes an unfinished document: what was uploaded before stays, unless a new part has its name.
func (n NewParts) besides(before StoredDocument) NewParts {
	all := NewParts{}
	for i, p := range before.Parts {
		if !slices.ContainsFunc(n.Parts, func(q dossier.Part) bool { return q.Name == p.Name }) {
			all.Parts, all.Blobs = append(all.Parts, p), append(all.Blobs, before.Blobs[i])
		}
	}
	return NewParts{Parts: append(all.Parts, n.Parts...), Blobs: append(all.Blobs, n.Blobs...), plan: n.plan}
}

func keyRequestOf(company, id string) kv.Key {
	cand, dt, _ := splitRequest(id)
	return keyRequest(company, cand, dt)
}

// nextState is processing when every required part is there, uploaded while one is missing.
func nextState(dt storedType, parts []dossier.Part) string {
	for _, name := range dt.RequiredParts {
		if !slices.ContainsFunc(parts, func(p dossier.Part) bool { return p.Name == name }) {
			return dossier.StateUploaded
		}
	}
	return dossier.StateProcessing
}

// checkEntry is the open check: which document, under which token.
type checkTask struct {
	RequestID  string `json:"candidateDocumentTypeId"`
	DocumentID string `json:"documentId"`
}

// openCheck opens the check entry, due when the lease of the candidate document type ends. rev is that of the stored entry, if any.
func (c *candidateTx) openCheck(r storedCDT, rev int64) error {
	cand, dt, _ := splitRequest(r.ID)
	i, err := item(keyCheck(c.company, cand, dt), rev, checkTask{RequestID: r.ID, DocumentID: r.Document.ID})
	if err != nil {
		return err
	}
	c.add(put(withDue(i, r.Lock.ExpiresAt)))
	return nil
}
