package store

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// versioned returns the content of an entity of which versions are kept, as the body that creates
// or changes it, and when it was saved; nil for others.
func versioned(stored any) (content any, at dossier.Time) {
	switch v := stored.(type) {
	case dossier.Form:
		return dossier.FormInput{Name: v.Name, Fields: v.Fields}, v.UpdatedAt
	case dossier.CustomField:
		return dossier.CustomFieldUpdate{Label: v.Label}, v.UpdatedAt
	case storedPreset:
		return v.content(), v.UpdatedAt
	case storedScenario:
		return v.content(), v.UpdatedAt
	case storedPage:
		return v.content(), v.UpdatedAt
	case storedIntegration: // without its state and its secrets
		return v.content().IntegrationInput, v.UpdatedAt
	}
	return nil, dossier.Time{}
}

// versionedKinds lists the kinds of entities of which versions are kept.
var versionedKinds = []kind{kindForm, kindField, kindPreset, kindScenario, kindPage,
	kindIntegration}

// asMembers returns a content as a JSON object.
func asMembers(content any) (members map[string]any, err error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("a content does not encode: %w", err)
	}
	return members, json.Unmarshal(text, &members)
}

// restoring is the version that a change takes its content from.
type restoring struct{}

// settingVersions returns the writes that keep a changed entity as a version: none if its content
// is the same as before, which is nil for a new entity. The oldest version beyond
// dossier.MaxSettingsVersions goes. The content of before becomes a version too if it was saved
// when versions were not kept.
//
// Absent, or as it was read, each: whatever has come between raised the revision of the settings.
func (s *Store) settingVersions(ctx context.Context, company, ulid string, before,
	after any) (writes []kv.Write, err error) {
	content, now := versioned(after)
	if content == nil {
		return nil, nil
	}
	next := dossier.SettingsVersion{Version: 1, CreatedBy: actorOf(ctx), CreatedAt: now}
	next.RestoredFrom, _ = ctx.Value(restoring{}).(int64)
	if next.Content, err = asMembers(content); err != nil {
		return nil, err
	}
	if before == nil {
		return putVersion(nil, company, ulid, next)
	}
	old, at := versioned(before)
	first := dossier.SettingsVersion{Version: 1, CreatedAt: at}
	if first.Content, err = asMembers(old); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(first.Content, next.Content) {
		return nil, nil
	}
	q := settingVersionQuery(company, ulid)
	q.Limit, q.Backward = 1, true
	newest, err := s.engine.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(newest.Items) == 0 {
		if writes, err = putVersion(nil, company, ulid, first); err != nil {
			return nil, err
		}
		next.Version = 2
		return putVersion(writes, company, ulid, next)
	}
	last, err := decode[dossier.SettingsVersion](newest.Items[0])
	if err != nil {
		return nil, err
	}
	next.Version = last.Version + 1
	if oldest := next.Version - dossier.MaxSettingsVersions; oldest > 0 {
		kept, err := s.engine.Get(ctx, false, settingVersionKey(company, ulid, oldest))
		if err != nil {
			return nil, err
		}
		if kept[0].Rev > 0 {
			writes = append(writes, remove(kept[0]))
		}
	}
	return putVersion(writes, company, ulid, next)
}

func putVersion(writes []kv.Write, company, ulid string,
	v dossier.SettingsVersion) ([]kv.Write, error) {
	i, err := item(settingVersionKey(company, ulid, v.Version), 0, v)
	return append(writes, put(i)), err
}

// settingVersionQuery reads the versions of the entity with a ULID.
func settingVersionQuery(company, ulid string) kv.Query {
	first := settingVersionKey(company, ulid, 0)
	last := settingVersionKey(company, ulid, math.MaxInt32)
	return kv.Query{Partition: first.PK, From: first.SK, To: last.SK}
}

// removeSettingVersions returns the writes that delete the versions of an entity.
func (s *Store) removeSettingVersions(ctx context.Context, company,
	ulid string) ([]kv.Write, error) {
	page, err := s.engine.Query(ctx, settingVersionQuery(company, ulid))
	if err != nil {
		return nil, err
	}
	writes := make([]kv.Write, len(page.Items))
	for n, i := range page.Items {
		writes[n] = remove(i)
	}
	return writes, nil
}

// versionedSetting returns the key of an entity of which versions are kept, and its kind.
func (s *Store) versionedSetting(ctx context.Context, company, id string) (kv.Key, kind, error) {
	at := slices.IndexFunc(versionedKinds, func(k kind) bool {
		_, ok := settingKey(company, k, id)
		return ok
	})
	if at < 0 {
		return kv.Key{}, kind{}, dossier.ErrNotFound
	}
	key, _ := settingKey(company, versionedKinds[at], id)
	found, err := s.engine.Get(ctx, false, key)
	if err == nil && found[0].Rev == 0 {
		err = dossier.ErrNotFound
	}
	return key, versionedKinds[at], err
}

// SettingsVersions returns a page of the versions of a form, custom field, preset, scenario,
// registration page or integration, newest first. One that was saved before versions were kept has
// none until it is changed.
func (s *Store) SettingsVersions(ctx context.Context, company, id, after string,
	limit int) ([]dossier.SettingsVersion, string, error) {
	key, _, err := s.versionedSetting(ctx, company, id)
	if err != nil {
		return nil, "", err
	}
	q := settingVersionQuery(company, key.SK)
	q.After, q.Limit, q.Backward = after, limit, true
	page, err := s.engine.Query(ctx, q)
	if err != nil {
		return nil, "", err
	}
	list, err := decodeAll[dossier.SettingsVersion](page.Items)
	return list, page.After, err
}

// SettingsVersion returns one version.
func (s *Store) SettingsVersion(ctx context.Context, company, id string,
	n int64) (dossier.SettingsVersion, error) {
	key, _, err := s.versionedSetting(ctx, company, id)
	if err != nil {
		return dossier.SettingsVersion{}, err
	}
	v, _, err := get[dossier.SettingsVersion](ctx, s, settingVersionKey(company, key.SK, n))
	return v, err
}

// CompareSettings returns what leads from the content of one version to that of another.
func (s *Store) CompareSettings(ctx context.Context, company, id string,
	from, to int64) (dossier.SettingsDiff, error) {
	before, err := s.SettingsVersion(ctx, company, id, from)
	if err != nil {
		return dossier.SettingsDiff{}, err
	}
	after, err := s.SettingsVersion(ctx, company, id, to)
	return dossier.SettingsDiff{From: from, To: to,
		Changes: diffMembers([]dossier.SettingsChange{}, "", before.Content, after.Content)}, err
}

// diffMembers appends the members that two objects don't have alike.
func diffMembers(changes []dossier.SettingsChange, at string,
	before, after map[string]any) []dossier.SettingsChange {
	names := map[string]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	for _, name := range sortedKeys(names) {
		pointer := at + "/" + pointerEscape.Replace(name)
		b, inBoth := before[name].(map[string]any)
		a, isObject := after[name].(map[string]any)
		switch {
		case inBoth && isObject:
			changes = diffMembers(changes, pointer, b, a)
		case !reflect.DeepEqual(before[name], after[name]):
			changes = append(changes, dossier.SettingsChange{Pointer: pointer,
				Before: before[name], After: after[name]})
		}
	}
	return changes
}
