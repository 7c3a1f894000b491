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

// NewParts holds the parts of an upload and the location of their bytes.
type NewParts struct {
	Parts []dossier.Part
	Blobs []BlobRef
	plan  kv.Item // of a large upload; its commit deletes it
}

// uploadTarget is a candidate document type with its candidate and document type, read in one
// request.
type uploadTarget struct {
	at       candidateRef
	cand     storedCandidate
	request  storedCDT
	docType  storedType
	candItem kv.Item
	itself   kv.Item // of request
}

// Upload is an upload that passed the first look at the lock, before its bytes are stored.
type Upload struct {
	store   *Store
	company string
	id      string
	target  uploadTarget
	isFresh bool // target was read for the next attempt
}

// BeginUpload refuses an upload while the parts are frozen or the document type is removed, before
// a byte is stored. The condition of Commit decides.
func (s *Store) BeginUpload(ctx context.Context, company, id string) (*Upload, error) {
	target, err := s.readUploadTarget(ctx, company, id)
	if err != nil {
		return nil, err
	}
	if err := s.checkUploadable(ctx, target); err != nil {
		return nil, err
	}
	return &Upload{store: s, company: company, id: id, target: target, isFresh: true},
		target.checkRoom(nil)
}

// BlobPrefix returns a new prefix for the bytes of this upload.
func (u *Upload) BlobPrefix() string {
	return BlobPrefix(u.company, u.target.cand.ID) + u.store.newID("") + "/"
}

// DocumentType returns the document type that is uploaded.
func (u *Upload) DocumentType() dossier.DocumentType { return u.target.docType.shown() }

// readUploadTarget reads a candidate document type with its candidate and document type.
func (s *Store) readUploadTarget(ctx context.Context, company, id string) (uploadTarget, error) {
	cdt, ok := dossier.ParseCandidateDocumentTypeID(id)
	if !ok {
		return uploadTarget{}, dossier.ErrNotFound
	}
	u, _, err := s.readCDT(ctx, candidateRef{company, cdt.Candidate()}, cdt)
	return u, err
}

// readCDT is readUploadTarget that reads more items in the same request.
func (s *Store) readCDT(ctx context.Context, at candidateRef, id dossier.CandidateDocumentTypeID,
	more ...kv.Key) (u uploadTarget, others []kv.Item, err error) {
	dt := id.DocumentType()
	keys := append([]kv.Key{at.candidateKey(), at.cdtKey(dt), typeKey(at.company, dt)}, more...)
	items, err := s.engine.Get(ctx, false, keys...)
	if err != nil {
		return u, nil, err
	}
	u, err = decodeUploadTarget(items)
	u.at = at
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

// checkUploadable returns the error of an upload in the state of the candidate document type. Every
// state that can become uploaded can become processing too.
func (s *Store) checkUploadable(ctx context.Context, u uploadTarget) error {
	r := &u.request
	switch {
	case r.State == dossier.StateProcessing:
		return s.errLocked(r)
	case r.State == dossier.StateRemoved:
		return dossier.Errorf(dossier.CodeRemoved, "This document is no longer requested.")
	case !dossier.CanGo(r.State, dossier.StateUploaded):
		return invalidTransition(r, dossier.StateUploaded)
	case r.shownState() == dossier.StateValidated:
		return u.docType.checkReplaceable(actorOf(ctx))
	}
	return nil
}

// errLocked is the conflict of the contract: a check runs on the parts.
func (s *Store) errLocked(r *storedCDT) error {
	e := dossier.Errorf(dossier.CodeLocked,
		"The document is being checked. Its parts cannot change until the check has finished.")
	e.Lock, e.RetryAfter, e.Decision = r.Lock, time.Second, r.decision()
	return e
}

// Commit stores the parts as the newest version of the document. One conditional write of the
// candidate document type decides both whether the parts are frozen and whether the upload happens.
func (u *Upload) Commit(ctx context.Context,
	parts NewParts) (answer dossier.CandidateDocumentType, err error) {
	documentID := u.store.newID(dossier.PrefixDocument)
	err = u.store.retryOnConflict(ctx, func() error {
		if !u.isFresh {
			if u.target, err = u.store.readUploadTarget(ctx, u.company, u.id); err != nil {
				return err
			}
		}
		u.isFresh = false
		answer, err = u.store.upload(ctx, u.target, documentID, parts)
		return err
	})
	return answer, err
}

func (s *Store) upload(ctx context.Context, u uploadTarget, documentID string,
	parts NewParts) (answer dossier.CandidateDocumentType, err error) {
	if err := s.checkUploadable(ctx, u); err != nil {
		return answer, err
	}
	cause := causeOf(ctx)
	cause.DocumentID = documentID
	c := s.newCandidateTx(u.at, u.cand, u.candItem, cause)
	r, parts, err := c.newVersion(u, documentID, parts)
	if err != nil {
		return answer, err
	}
	if u.docType.Pass && r.InForce == nil {
		c.cand.PassVerification = &dossier.PassVerification{Status: dossier.PassPending, At: c.now}
	}
	if err := c.putDocument(r.Document); err != nil {
		return answer, err
	}
	if err := c.putCDT(r, u.itself); err != nil {
		return answer, err
	}
	// The lock: fails while the stored state is processing; the stored item is the 409's body.
	c.writes[len(c.writes)-1].If.Not = map[string]string{"state": dossier.StateProcessing}
	if err := c.emit(event.NewDocumentUploaded(event.Uploaded{
		CandidateDocumentTypeID: string(r.ID), DocumentID: documentID,
		Version: r.Versions})); err != nil {
		return answer, err
	}
	if parts.plan.Rev != 0 {
		// Fails if the same upload was committed meanwhile.
		c.add(remove(parts.plan))
	}
	writes, err := c.finish(ctx)
	if err != nil {
		return answer, err
	}
	r.stamp(c.now, u.itself)
	answer = r.shown(u.docType.shown())
	return answer, s.lockedIfProcessing(s.commit(ctx, answer, writes...),
		u.at.cdtKey(r.DocumentTypeID), writes)
}

// newVersion returns the candidate document type with the uploaded document, and opens its check
// once every required part is there.
func (c *candidateTx) newVersion(u uploadTarget, documentID string,
	parts NewParts) (storedCDT, NewParts, error) {
	r := u.request
	if err := u.checkRoom(parts.Parts); err != nil {
		return r, parts, err
	}
	c.cand.Bytes += sizeOf(parts.Parts)
	if r.State == dossier.StateUploaded && r.Document != nil {
		if parts = parts.mergedInto(*r.Document); len(parts.Parts) > dossier.MaxParts {
			var p dossier.Problems
			p.Add("/parts", dossier.ProblemTooMany,
				"Together with the parts uploaded before, the document would have more than %d parts.",
				dossier.MaxParts)
			return r, parts, p.Err()
		}
	}
	r.keepInForce()
	r.State, r.Versions, r.Tries, r.Job = nextState(u.docType, parts.Parts), r.Versions+1, 0, 0
	r.ExpiresOn, r.Leads = "", nil
	r.Document = &StoredDocument{RequestID: r.ID, Correlation: c.cause.CorrelationID,
		Trace: c.cause.Trace,
		Blobs: parts.Blobs, Document: dossier.Document{
			ID: documentID, Version: r.Versions, State: r.State, Parts: parts.Parts,
			CreatedAt: c.now}}
	if r.State != dossier.StateProcessing {
		return r, parts, nil
	}
	r.Token++
	r.Lock = &dossier.Lock{StartedAt: c.now, ExpiresAt: later(c.now, c.store.cfg.Lease)}
	if r.NotBefore = slowUntil(r.Slow, c.now); !r.NotBefore.IsZero() {
		r.Lock.ExpiresAt = r.NotBefore
	}
	return r, parts, c.openCheck(r, 0)
}

// checkRoom is LIMIT_REACHED if the candidate document type can have no further version, or the
// candidate not so many bytes more.
func (u uploadTarget) checkRoom(parts []dossier.Part) error {
	if u.request.Versions >= dossier.MaxVersions {
		return dossier.Errorf(dossier.CodeLimitReached, "A document can have at most %d versions.",
			dossier.MaxVersions)
	}
	if u.cand.Bytes+sizeOf(parts) > dossier.MaxStoredBytes {
		return dossier.Errorf(dossier.CodeLimitReached,
			"The files of a candidate can have at most %d bytes together.",
			int64(dossier.MaxStoredBytes))
	}
	return nil
}

func sizeOf(parts []dossier.Part) (size int64) {
	for _, p := range parts {
		size += int64(p.Size)
	}
	return size
}

// lockedIfProcessing turns a failed commit into the 409 of the lock if the stored candidate
// document type is being checked.
func (s *Store) lockedIfProcessing(err error, key kv.Key, writes []kv.Write) error {
	failed, ok := errors.AsType[*kv.ConditionFailed](err)
	if !ok {
		return err
	}
	stored, ok := failed.Failed[slices.IndexFunc(writes, func(w kv.Write) bool {
		return w.Key() == key
	})]
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

// mergedInto completes an unfinished document: the parts uploaded before stay, except those that a
// new part of the same name replaces.
func (n NewParts) mergedInto(before StoredDocument) NewParts {
	all := NewParts{plan: n.plan}
	for i, p := range before.Parts {
		if !slices.ContainsFunc(n.Parts, func(q dossier.Part) bool { return q.Name == p.Name }) {
			all.Parts, all.Blobs = append(all.Parts, p), append(all.Blobs, before.Blobs[i])
		}
	}
	all.Parts, all.Blobs = append(all.Parts, n.Parts...), append(all.Blobs, n.Blobs...)
	return all
}

// nextState returns processing if every required part is there, uploaded while one is missing.
func nextState(dt storedType, parts []dossier.Part) string {
	for _, name := range dt.RequiredParts {
		if !slices.ContainsFunc(parts, func(p dossier.Part) bool { return p.Name == name }) {
			return dossier.StateUploaded
		}
	}
	return dossier.StateProcessing
}
