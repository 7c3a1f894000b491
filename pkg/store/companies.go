package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// CreateCompany makes a company of a group, or, where groupID is empty, of a new one, with its first administrator key. The answer
// shows the key's secret, once.
func (t *Store) CreateCompany(ctx context.Context, groupID, name string) (dossier.Company, error) {
	c := dossier.Company{ID: t.newID(prefixCompany), Name: name, GroupID: groupID, CreatedAt: t.now()}
	if c.GroupID == "" {
		c.GroupID = t.newID(prefixGroup)
	}
	first := dossier.KeyInput{Kind: dossier.KindAdministrator, KeyUpdate: dossier.KeyUpdate{Name: "First administrator", Scopes: dossier.Scopes}}
	key, secret := t.newKey(c.ID, first, c.CreatedAt)
	var writes []kv.Write
	for _, part := range []struct {
		key kv.Key
		v   any
	}{
		{keyCompany(c.ID), c}, {keyGroup(c.GroupID, c.ID), c},
		{keyKey(c.ID, key.ID), key}, {keySettings(c.ID), settingsRevision{Changes: 1}},
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
	return shown, t.commit(ctx, once[dossier.Company]{shown, kept}, writes...)
}

// Company returns a company.
func (t *Store) Company(ctx context.Context, company string) (dossier.Company, error) {
	c, _, err := get[dossier.Company](ctx, t, keyCompany(company))
	return c, err
}

// Companies returns a page of the companies of a group.
func (t *Store) Companies(ctx context.Context, groupID, after string, limit int) ([]dossier.Company, string, error) {
	page, err := t.engine.Query(ctx, kv.Query{Partition: groupID[len(prefixGroup):] + "#GRP", After: after, Limit: limit})
	if err != nil {
		return nil, "", err
	}
	list, err := decodeAll[dossier.Company](page.Items)
	return list, page.After, err
}

func (t *Store) companies(ctx context.Context, groupID string) ([]dossier.Company, error) {
	list, _, err := t.Companies(ctx, groupID, "", 0)
	return list, err
}
