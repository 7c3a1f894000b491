package store

import (
	"context"
	"errors"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// planFor is how long the forms of a large upload can be used.
const planFor = time.Hour

// UploadPlan is a large upload between its two requests: which parts were announced, and where their bytes go.
type UploadPlan struct {
	ID        string         `json:"id"`
	RequestID string         `json:"candidateDocumentTypeId"`
	Parts     []dossier.Part `json:"parts"` // as announced: size and SHA-256 must be met
	Keys      []string       `json:"keys"`  // blob keys, one for each part
	ExpiresAt dossier.Time   `json:"expiresAt"`
	item      kv.Item
}

// NewUploadID makes the id of a large upload.
func (s *Store) NewUploadID() string { return s.newID(prefixUpload) }

// Plan keeps a large upload until it is committed. make builds the answer from the plan.
func (u *Upload) Plan(ctx context.Context, p UploadPlan, answer func(UploadPlan) (any, error)) error {
	p.RequestID, p.ExpiresAt = u.id, later(u.store.now(), planFor)
	i, err := item(keyUpload(u.company, u.target.cand.ID[len(prefixCandidate):], p.ID[len(prefixUpload):]), 0, p)
	if err != nil {
		return err
	}
	i.Expires = p.ExpiresAt.Unix()
	a, err := answer(p)
	if err != nil {
		return err
	}
	err = u.store.commit(ctx, a, put(i), kv.Write{Check: &u.target.candItem.Key, If: notErased})
	if failed := (*kv.ConditionFailed)(nil); errors.As(err, &failed) {
		return dossier.ErrNotFound // erased meanwhile; the plan's own id is new
	}
	return err
}

// Planned returns the plan of a large upload; one that does not exist, was committed or is too old is VALIDATION_FAILED.
func (u *Upload) Planned(ctx context.Context, uploadID string) (UploadPlan, error) {
	var problems dossier.Problems
	problems.Add("/uploadId", "unknown", "There is no open upload %q to this candidate document type.", truncate(uploadID))
	upload, ok := bare(prefixUpload, uploadID, 1)
	if !ok {
		return UploadPlan{}, problems.Err()
	}
	p, read, err := get[UploadPlan](ctx, u.store, keyUpload(u.company, u.target.cand.ID[len(prefixCandidate):], upload))
	if errors.Is(err, dossier.ErrNotFound) || err == nil && (p.RequestID != u.id || u.store.now().After(p.ExpiresAt.Time)) {
		return p, problems.Err()
	}
	p.item = read
	return p, err
}

// Kept are the parts of the plan with where their bytes are kept now.
func (p UploadPlan) Kept(blobs []BlobRef) NewParts {
	return NewParts{Parts: p.Parts, Blobs: blobs, plan: p.item}
}
