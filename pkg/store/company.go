package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// CreateCompany creates a company of a group, or of a new one if groupID is empty, with its first
// administrator key, which has every scope. The response shows the key's secret, once.
func (s *Store) CreateCompany(ctx context.Context, groupID, name string) (dossier.Company, error) {
	if groupID == "" {
		groupID = s.newID(dossier.PrefixGroup)
	}
	first := dossier.KeyUpdate{Name: "First administrator", Scopes: dossier.Scopes}
	made, writes, err := s.newCompany(groupID, name, first, s.now())
	if err != nil {
		return made.shown, err
	}
	// Absent, each: the ids are new.
	return made.shown, s.commit(ctx, made, writes...)
}

// CreateSibling creates a company in the group of another company, with its first administrator
// key. LIMIT_REACHED if the group has dossier.MaxCompanies. The response shows the key's secret,
// once.
func (s *Store) CreateSibling(ctx context.Context, company, groupID, name string,
	first dossier.KeyUpdate) (dossier.Company, error) {
	made, err := changeSettings(ctx, s, company,
		func(now dossier.Time) (made once[dossier.Company], writes []kv.Write, err error) {
			all, err := s.companies(ctx, groupID)
			if err != nil {
				return made, nil, err
			}
			if len(all) >= dossier.MaxCompanies {
				return made, nil, dossier.Errorf(dossier.CodeLimitReached,
					"A group can have at most %d companies.", dossier.MaxCompanies)
			}
			return s.newCompany(groupID, name, first, now)
		})
	return made.shown, err
}

// newCompany returns a company with its first key, and the writes that create both.
func (s *Store) newCompany(
	groupID, name string, first dossier.KeyUpdate, now dossier.Time,
) (made once[dossier.Company], writes []kv.Write, err error) {
	c := dossier.Company{ID: s.newID(dossier.PrefixCompany), Name: name, GroupID: groupID,
		CreatedAt: now}
	key, secret := s.newKey(c.ID,
		dossier.KeyInput{Kind: dossier.KindAdministrator, KeyUpdate: first}, now)
	for _, part := range []struct {
		key kv.Key
		v   any
	}{
		{companyKey(c.ID), c}, {groupKey(c.GroupID, c.ID), c},
		{accessKeyKey(c.ID, key.ID[len(dossier.PrefixKey):]), key},
		{revisionKey(c.ID), settingsRevision{Changes: 1}},
	} {
		i, err := item(part.key, 0, part.v)
		if err != nil {
			return made, nil, err
		}
		writes = append(writes, put(i))
	}
	kept, shown := c, c
	keptKey, shownKey := key.Key, key.Key
	shownKey.Secret = secret
	kept.Key, shown.Key = &keptKey, &shownKey
	return once[dossier.Company]{shown, kept}, writes, nil
}

// Company returns a company.
func (s *Store) Company(ctx context.Context, company string) (dossier.Company, error) {
	c, _, err := get[dossier.Company](ctx, s, companyKey(company))
	return c, err
}

// CompanyAtRev returns a company and its revision.
func (s *Store) CompanyAtRev(ctx context.Context, company string) (dossier.Company, Rev, error) {
	c, read, err := get[dossier.Company](ctx, s, companyKey(company))
	return c, Rev(read.Rev), err
}

// RenameCompany gives a company the name that edit returns. want is from If-Match. The conditions
// are the revisions of the company and of its entry in the group.
func (s *Store) RenameCompany(ctx context.Context, company string, want Rev,
	edit func(dossier.CompanyInput) (dossier.CompanyInput, error)) (answer dossier.Company,
	rev Rev, err error) {
	answer, err = changeSettings(ctx, s, company,
		func(dossier.Time) (c dossier.Company, writes []kv.Write, err error) {
			c, read, err := get[dossier.Company](ctx, s, companyKey(company))
			if err == nil {
				err = ifMatch(want, read)
			}
			if err != nil {
				return c, nil, err
			}
			_, listed, err := get[dossier.Company](ctx, s, groupKey(c.GroupID, c.ID))
			if err != nil {
				return c, nil, err
			}
			in, err := edit(dossier.CompanyInput{Name: c.Name})
			if err != nil {
				return c, nil, err
			}
			c.Name, rev = in.Name, Rev(read.Rev+1)
			for _, before := range []kv.Item{read, listed} {
				i, err := item(before.Key, before.Rev, c)
				if err != nil {
					return c, nil, err
				}
				writes = append(writes, put(i))
			}
			return c, writes, nil
		})
	return answer, rev, err
}

// Companies returns a page of the companies of a group.
func (s *Store) Companies(ctx context.Context, groupID, after string,
	limit int) ([]dossier.Company, string, error) {
	page, err := s.engine.Query(ctx,
		kv.Query{Partition: groupPartition(groupID), After: after, Limit: limit})
	if err != nil {
		return nil, "", err
	}
	list, err := decodeAll[dossier.Company](page.Items)
	return list, page.After, err
}

func (s *Store) companies(ctx context.Context, groupID string) ([]dossier.Company, error) {
	list, _, err := s.Companies(ctx, groupID, "", 0)
	return list, err
}

// CompanyOf returns the company that an item is; ok is false if it is another entity.
func CompanyOf(i kv.Item) (c dossier.Company, ok bool, err error) {
	if !isCompanyKey(i.Key) {
		return c, false, nil
	}
	c, err = decode[dossier.Company](i)
	return c, err == nil, err
}
