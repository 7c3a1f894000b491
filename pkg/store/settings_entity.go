package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// once is a response that shows a secret, and the copy of it that is stored for a repeated request.
type once[T any] struct{ shown, kept T }

// WithoutSecrets returns what may be kept.
func (o once[T]) WithoutSecrets() any { return o.kept }

// settingItem makes the item of a settings entity. rev is that of the stored one, 0 for a new one.
func settingItem(company string, k kind, id string, rev int64, stored any) (kv.Item, error) {
	if s, ok := stored.(storedIntegration); ok {
		return integrationItem(company, rev, s)
	}
	key, _ := settingKey(company, k, id)
	i, err := item(key, rev, stored)
	if s, ok := stored.(storedScenario); ok && s.Active {
		i.Lookup, i.LookupSort = listenerPartition(company, s.EventName), rankScenario+key.SK
	}
	return i, err
}

// createSetting stores a new entity of a kind, unless the company has as many as it can. plan
// decides what is stored and shown; others are the entities of the kind that exist.
func createSetting[S, A any](ctx context.Context, s *Store, company string, k kind,
	plan func(id string, now dossier.Time, others []S) (stored S, answer A, err error)) (A, error) {
	id := s.newID(k.prefix)
	return changeSettings(ctx, s, company,
		func(now dossier.Time) (answer A, writes []kv.Write, err error) {
			others, err := settings[S](ctx, s, company, k)
			if err != nil {
				return answer, nil, err
			}
			if len(others) >= dossier.MaxListed {
				return answer, nil, dossier.Errorf(dossier.CodeLimitReached,
					"A company has at most %d of these.", dossier.MaxListed)
			}
			stored, answer, err := plan(id, now, others)
			if err != nil {
				return answer, nil, err
			}
			i, err := settingItem(company, k, id, 0, stored)
			if err != nil {
				return answer, nil, err
			}
			versions, err := s.settingVersions(ctx, company, i.SK, nil, stored)
			return answer, append(versions, put(i)), err
		})
}

// updateSetting stores a changed entity and returns what is shown of it and its new revision. plan
// changes what was stored.
func updateSetting[S, A any](ctx context.Context, s *Store, company string, k kind, id string,
	want Rev,
	plan func(stored S, now dossier.Time) (S, A, error)) (A, Rev, error) {
	var rev Rev
	answer, err := changeSettings(ctx, s, company,
		func(now dossier.Time) (answer A, writes []kv.Write, err error) {
			before, read, err := setting[S](ctx, s, company, k, id)
			if err != nil {
				return answer, nil, err
			}
			if err := ifMatch(want, read); err != nil {
				return answer, nil, err
			}
			stored, answer, err := plan(before, now)
			if err != nil {
				return answer, nil, err
			}
			i, err := settingItem(company, k, id, read.Rev, stored)
			if err != nil {
				return answer, nil, err
			}
			rev = Rev(i.Rev)
			versions, err := s.settingVersions(ctx, company, i.SK, before, stored)
			return answer, append(versions, put(i)), err
		})
	return answer, rev, err
}

// deleteSetting deletes an entity with its versions, if nothing else in the settings refers to it;
// names lists the names that could refer to it.
func deleteSetting[S any](ctx context.Context, s *Store, company string, k kind, id string,
	names func(stored S) []string) error {
	_, err := changeSettings(ctx, s, company, func(dossier.Time) (struct{}, []kv.Write, error) {
		stored, read, err := setting[S](ctx, s, company, k, id)
		if err != nil {
			return struct{}{}, nil, err
		}
		if named := names(stored); len(named) > 0 {
			uses, err := s.referencesTo(ctx, company, named...)
			if err != nil {
				return struct{}{}, nil, err
			}
			if err := inUse(k, uses); err != nil {
				return struct{}{}, nil, err
			}
		}
		versions, err := s.removeSettingVersions(ctx, company, read.SK)
		return struct{}{}, append(versions, remove(read)), err
	})
	return err
}

// settingsPage reads a page of the entities of a kind, ordered by id: in the order of their
// creation.
func settingsPage[S any](ctx context.Context, s *Store, company string, k kind, after string,
	limit int) ([]S, string, error) {
	page, err := s.engine.Query(ctx,
		kv.Query{Partition: partitionOf(company, k.partition), After: after, Limit: limit,
			Eventual: true})
	if err != nil {
		return nil, "", err
	}
	all, err := decodeAll[S](page.Items)
	return all, page.After, err
}

// scanAtOnce is the number of items that a filtered list reads at once, however short its pages
// are.
const scanAtOnce = 100

// filteredPage reads a page of the entities of a kind that are kept. It reads on until the page is
// full or nothing follows, so that a page is shorter than its limit only at the end.
func filteredPage[S any](ctx context.Context, s *Store, company string, k kind, after string,
	limit int, keep func(S) bool) ([]S, string, error) {
	list := []S{}
	for {
		page, err := s.engine.Query(ctx,
			kv.Query{Partition: partitionOf(company, k.partition), After: after,
				Limit: max(limit, scanAtOnce), Eventual: true})
		if err != nil {
			return nil, "", err
		}
		for n, i := range page.Items {
			entity, err := decode[S](i)
			if err != nil {
				return nil, "", err
			}
			if !keep(entity) {
				continue
			}
			list = append(list, entity)
			if len(list) == limit && (n < len(page.Items)-1 || page.After != "") {
				return list, kv.PlaceOf(kv.Main, i).Cursor(), nil
			}
		}
		if after = page.After; after == "" {
			return list, "", nil
		}
	}
}
