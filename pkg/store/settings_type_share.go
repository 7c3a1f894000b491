package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// typeWrites returns the writes of a saved document type: its own item, the copy of each company it
// is shared with, and, for companies that it is no longer shared with, their copies marked deleted.
// IN_USE where the settings of one of those name it.
func (s *Store) typeWrites(ctx context.Context, dt storedType, read kv.Item,
	before []string) ([]kv.Write, error) {
	if err := s.checkPartners(ctx, dt); err != nil {
		return nil, err
	}
	own, err := settingItem(dt.Owner.CompanyID, kindType, dt.ID, read.Rev, dt)
	if err != nil {
		return nil, err
	}
	writes := []kv.Write{put(own)}
	withdrawn := slices.DeleteFunc(slices.Clone(before), func(c string) bool {
		return slices.Contains(dt.SharedWith, c)
	})
	copies, err := s.copies(ctx, dt, slices.Concat(dt.SharedWith, withdrawn))
	if err != nil {
		return nil, err
	}
	for n, i := range copies {
		partner := slices.Concat(dt.SharedWith, withdrawn)[n]
		before, err := copyBefore(i)
		if err != nil {
			return nil, err
		}
		c := dt.forCompany(before)
		if c.Deleted = n >= len(dt.SharedWith); c.Deleted {
			c.ConfirmedParser = ""
		}
		i, err := settingItem(partner, kindType, dt.ID, i.Rev, c)
		if err != nil {
			return nil, err
		}
		writes = append(writes, put(i))
	}
	more, err := s.withdraw(ctx, dt.ID, withdrawn)
	return append(writes, more...), err
}

// copies reads the copies of a document type in the partitions of other companies.
func (s *Store) copies(ctx context.Context, dt storedType, partners []string) ([]kv.Item, error) {
	if len(partners) == 0 {
		return nil, nil
	}
	keys := make([]kv.Key, len(partners))
	for n, partner := range partners {
		keys[n] = typeKey(partner, dossier.DocumentTypeID(dt.ID))
	}
	return s.engine.Get(ctx, false, keys...)
}

// copyBefore decodes the copy that a partner has; a zero type where there is none yet.
func copyBefore(i kv.Item) (storedType, error) {
	if i.Rev == 0 {
		return storedType{}, nil
	}
	return decode[storedType](i)
}

// withdraw makes sure that nothing in the settings of the companies names the document type, now or
// when this is written: it raises the revision of their settings.
func (s *Store) withdraw(ctx context.Context, id string, partners []string) ([]kv.Write, error) {
	var writes []kv.Write
	var used []dossier.FieldError
	for _, partner := range partners {
		revision, read, err := get[settingsRevision](ctx, s, revisionKey(partner))
		if err != nil && !errors.Is(err, dossier.ErrNotFound) {
			return nil, err
		}
		uses, err := s.referencesTo(ctx, partner, id)
		if err != nil {
			return nil, err
		}
		if len(uses) > 0 {
			// What a partner's settings are is the partner's own.
			used = append(used, dossier.FieldError{Pointer: "/companies/" + partner,
				Code: dossier.ProblemInUse, Message: "The settings of this company refer to it."})
		}
		revision.Changes++
		next, err := item(revisionKey(partner), read.Rev, revision)
		if err != nil {
			return nil, err
		}
		writes = append(writes, put(next))
	}
	return writes, inUse(kindType, used)
}

// checkPartners reports duplicates in sharedWith, and companies that are not others of the owner's
// group.
func (s *Store) checkPartners(ctx context.Context, dt storedType) error {
	if len(dt.SharedWith) == 0 {
		return nil
	}
	owner, _, err := get[dossier.Company](ctx, s, companyKey(dt.Owner.CompanyID))
	if err != nil {
		return err
	}
	group, err := s.companies(ctx, owner.GroupID)
	if err != nil {
		return err
	}
	var p dossier.Problems
	for n, id := range dt.SharedWith {
		pointer := fmt.Sprintf("/sharedWith/%d", n)
		switch {
		case id == owner.ID:
			p.Add(pointer, dossier.ProblemNotAllowed, "This company owns the document type.")
		case !slices.ContainsFunc(group, func(c dossier.Company) bool { return c.ID == id }):
			p.Add(pointer, dossier.ProblemUnknown,
				"There is no other company with the id %q in the group.",
				dossier.Clip(id))
		case slices.Index(dt.SharedWith, id) < n:
			p.Add(pointer, dossier.ProblemDuplicate, "The company is listed twice.")
		}
	}
	return p.Err()
}
