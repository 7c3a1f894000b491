package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// planFor is the time for which the forms of a large upload can be used.
const planFor = time.Hour

// UploadPlan is a large upload between its two requests: the announced parts and their blob keys.
type UploadPlan struct {
	ID        string         `json:"id"`
	RequestID string         `json:"candidateDocumentTypeId"`
	Parts     []dossier.Part `json:"parts"` // as announced: size and SHA-256 must match
	Keys      []string       `json:"keys"`  // blob keys, one for each part
	ExpiresAt dossier.Time   `json:"expiresAt"`
	item      kv.Item
}

// NewUploadID makes the id of a large upload.
func (s *Store) NewUploadID() string { return s.newID(dossier.PrefixUpload) }

// Plan stores a large upload until it is committed. answer makes the response from the plan.
// LIMIT_REACHED if dossier.MaxAnnounced uploads of the candidate document type are open.
func (u *Upload) Plan(ctx context.Context, p UploadPlan,
	answer func(UploadPlan) (any, error)) error {
	p.RequestID, p.ExpiresAt = u.id, later(u.store.now(), planFor)
	a, err := answer(p)
	if err != nil {
		return err
	}
	i, err := item(u.target.at.uploadKey(p.ID), 0, p)
	if err != nil {
		return err
	}
	i.Expires = p.ExpiresAt.Unix()
	return u.store.retryOnConflict(ctx, func() error {
		target, err := u.store.readUploadTarget(ctx, u.company, u.id)
		if err != nil {
			return err
		}
		if err := target.checkRoom(p.Parts); err != nil {
			return err
		}
		if err := u.store.checkAnnounced(ctx, target); err != nil {
			return err
		}
		// The revision of the candidate document type makes announcements one after the other.
		counted := target.itself
		counted.Rev++
		return u.store.commit(ctx, a, put(i), put(counted),
			kv.Write{Check: &target.candItem.Key, If: notErased})
	})
}

// checkAnnounced is LIMIT_REACHED if the candidate document type has dossier.MaxAnnounced open
// plans.
func (s *Store) checkAnnounced(ctx context.Context, u uploadTarget) error {
	page, err := s.engine.Query(ctx, u.at.prefixed(prefixUpload))
	if err != nil {
		return err
	}
	plans, err := decodeAll[UploadPlan](page.Items)
	if err != nil {
		return err
	}
	open := 0
	for _, p := range plans {
		if p.RequestID == string(u.request.ID) && s.now().Before(p.ExpiresAt.Time) {
			open++
		}
	}
	if open >= dossier.MaxAnnounced {
		return dossier.Errorf(dossier.CodeLimitReached,
			"A document can have at most %d announced uploads at once.", dossier.MaxAnnounced)
	}
	return nil
}

// TakesPart reports whether an announced upload waits for the part with this blob key: it is not
// committed, its time is not over, and its candidate is not erased.
func (s *Store) TakesPart(ctx context.Context, key string) (bool, error) {
	path, _ := strings.CutPrefix(key, pendingBlobs)
	company, path, _ := strings.Cut(path, "/")
	candidate, _, _ := strings.Cut(path, "/")
	at, err := parseRef(company, candidate)
	if err != nil {
		return false, nil // a key that no plan has
	}
	if _, _, err := s.readCandidate(ctx, at); err != nil {
		if errors.Is(err, dossier.ErrNotFound) {
			return false, nil
		}
		return false, err
	}
	page, err := s.engine.Query(ctx, at.prefixed(prefixUpload))
	if err != nil {
		return false, err
	}
	plans, err := decodeAll[UploadPlan](page.Items)
	return err == nil && slices.ContainsFunc(plans, func(p UploadPlan) bool {
		return slices.Contains(p.Keys, key) && s.now().Before(p.ExpiresAt.Time)
	}), err
}

// Planned returns the plan of a large upload. One that is unknown, committed or too old is
// VALIDATION_FAILED.
func (u *Upload) Planned(ctx context.Context, uploadID string) (UploadPlan, error) {
	var problems dossier.Problems
	problems.Add("/uploadId", dossier.ProblemUnknown,
		"This candidate document type has no open upload with the id %q.", dossier.Clip(uploadID))
	if _, ok := dossier.ParseID(dossier.PrefixUpload, uploadID, 1); !ok {
		return UploadPlan{}, problems.Err()
	}
	p, read, err := get[UploadPlan](ctx, u.store, u.target.at.uploadKey(uploadID))
	if errors.Is(err, dossier.ErrNotFound) ||
		err == nil && (p.RequestID != u.id || u.store.now().After(p.ExpiresAt.Time)) {
		return p, problems.Err()
	}
	p.item = read
	return p, err
}

// Kept returns the parts of the plan with the location of their bytes.
func (p UploadPlan) Kept(blobs []BlobRef) NewParts {
	return NewParts{Parts: p.Parts, Blobs: blobs, plan: p.item}
}
