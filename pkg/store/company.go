package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// CreateCompany makes a company of a group, or, where groupID is empty, of a new one, with its first administrator key. The answer
// shows the key's secret, once.
func (s *Store) CreateCompany(ctx context.Context, groupID, name string) (dossier.Company, error) {
	c := dossier.Company{ID: s.newID(dossier.PrefixCompany), Name: name, GroupID: groupID, CreatedAt: s.now()}
	if c.GroupID == "" {
		c.GroupID = s.newID(dossier.PrefixGroup)
	}
	first := dossier.KeyInput{Kind: dossier.KindAdministrator, KeyUpdate: dossier.KeyUpdate{Name: "First administrator", Scopes: dossier.Scopes}}
	key, secret := s.newKey(c.ID, first, c.CreatedAt)
	var writes []kv.Write
	for _, part := range []struct {
		key kv.Key
		v   any
	}{
		{companyKey(c.ID), c}, {groupKey(c.GroupID, c.ID), c},
		{accessKeyKey(c.ID, key.ID[len(dossier.PrefixKey):]), key}, {revisionKey(c.ID), settingsRevision{Changes: 1}},
	} {
		i, err := item(part.key, 0, part.v)
		if err != nil {
			return c, err
		}
		writes = append(writes, put(i))
	}
	kept, shown := c, c
	keptKey, shownKey := key.Key, key.Key
	shownKey.Secret = secret
	kept.Key, shown.Key = &keptKey, &shownKey
	// Absent, each: the ids are new.
	return shown, s.commit(ctx, once[dossier.Company]{shown, kept}, writes...)
}

// Company returns a company.
func (s *Store) Company(ctx context.Context, company string) (dossier.Company, error) {
	c, _, err := get[dossier.Company](ctx, s, companyKey(company))
	return c, err
}

// Companies returns a page of the companies of a group.
func (s *Store) Companies(ctx context.Context, groupID, after string, limit int) ([]dossier.Company, string, error) {
	page, err := s.engine.Query(ctx, kv.Query{Partition: groupPartition(groupID), After: after, Limit: limit})
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
