package store

import (
	"context"
	"errors"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// externalID is the item that makes a company's own id of a candidate unique and findable.
type externalID struct {
	CandidateID string `json:"candidateId"`
}

var errExternalTaken = dossier.Errorf(dossier.CodeConflict,
	"Another candidate already has this externalId.")

// externalTaken turns the failed condition of the external id's item into CONFLICT.
func externalTaken(err error, company, external string, writes []kv.Write) error {
	failed, ok := errors.AsType[*kv.ConditionFailed](err)
	if external == "" || !ok {
		return err
	}
	at := slices.IndexFunc(writes, func(w kv.Write) bool {
		return w.Key() == externalKey(company, external)
	})
	if _, taken := failed.Failed[at]; taken {
		return errExternalTaken
	}
	return err
}

// moveExternal adds the writes that release one external id and take another.
func (s *Store) moveExternal(ctx context.Context, c *candidateTx, from, to string) error {
	if from == to {
		return nil
	}
	if from != "" {
		items, err := s.engine.Get(ctx, false, externalKey(c.at.company, from))
		if err != nil {
			return err
		}
		if items[0].Rev != 0 {
			c.add(remove(items[0]))
		}
	}
	if to != "" {
		// Fails if another candidate has the id: CONFLICT, by externalTaken.
		i, err := item(externalKey(c.at.company, to), 0, externalID{c.cand.ID})
		if err != nil {
			return err
		}
		c.add(put(i))
	}
	return nil
}

// CandidateByExternalID returns the candidate with the company's own id.
func (s *Store) CandidateByExternalID(ctx context.Context,
	company, external string) (dossier.Candidate, error) {
	found, _, err := get[externalID](ctx, s, externalKey(company, external))
	if err != nil {
		return dossier.Candidate{}, err
	}
	c, _, err := s.Candidate(ctx, company, found.CandidateID)
	return c, err
}
