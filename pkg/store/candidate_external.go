package store

import (
	"context"
	"errors"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// externalID is the item that makes a company's own id of a candidate unique, and finds the candidate by it.
type externalID struct {
	CandidateID string `json:"candidateId"`
}

// externalTaken turns the failed condition of the external id's item into the conflict it means.
func externalTaken(err error, company, external string, writes []kv.Write) error {
	var failed *kv.ConditionFailed
	if external == "" || !errors.As(err, &failed) {
		return err
	}
	at := slices.IndexFunc(writes, func(w kv.Write) bool { return w.Key() == keyExternal(company, external) })
	if _, taken := failed.Failed[at]; taken {
		return dossier.Errorf(dossier.CodeConflict, "Another candidate has this externalId.")
	}
	return err
}

// moveExternal adds the writes that give up one external id and take another.
func (s *Store) moveExternal(ctx context.Context, c *candidateTx, from, to string) error {
	if from == to {
		return nil
	}
	if from != "" {
		items, err := s.engine.Get(ctx, false, keyExternal(c.company, from))
		if err != nil {
			return err
		}
		if items[0].Rev != 0 {
			c.add(remove(items[0]))
		}
	}
	if to != "" {
		// Absent: an external id is one candidate's.
		i, err := item(keyExternal(c.company, to), 0, externalID{c.cand.ID})
		if err != nil {
			return err
		}
		c.add(put(i))
	}
	return nil
}

// CandidateByExternalID finds a candidate by the company's own id.
func (s *Store) CandidateByExternalID(ctx context.Context, company, external string) (dossier.Candidate, error) {
	found, _, err := get[externalID](ctx, s, keyExternal(company, external))
	if err != nil {
		return dossier.Candidate{}, err
	}
	c, _, err := s.Candidate(ctx, company, found.CandidateID)
	return c, err
}
