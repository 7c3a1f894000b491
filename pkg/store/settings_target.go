package store

import (
	"context"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// targets holds the entities that the actions of rules, scenarios and pages name, as they are now.
type targets struct {
	presets       map[string]storedPreset
	notifications map[string]dossier.Notification // by scenario id
	forms         map[string]string               // names by form id
	// of the custom fields that presets set, by cf_ reference
	types   map[string]string
	missing map[string]bool // ids that do not exist any more
}

// storedPreset is the preset item. Document types and forms are kept as ids.
type storedPreset struct {
	dossier.Preset
	DocumentTypeIDs []string `json:"documentTypeIds"`
	// of the custom fields it sets, by cf_ reference
	Types map[string]string `json:"types"`
}

// storedScenario is the scenario item. Document types are kept as ids.
type storedScenario struct {
	dossier.Scenario
	DocumentTypeIDs []string `json:"documentTypeIds"`
}

// readTargets reads the presets and notifications that a job's actions name. Entities of which an
// action needs only the id are not read: they can't be deleted while a rule names them.
func (s *Store) readTargets(ctx context.Context, company string, job Job) (targets, error) {
	var presets, scenarios []string
	if !job.Shared {
		for _, rule := range job.Submission.Rules {
			for _, action := range rule.Actions {
				switch action.Type {
				case dossier.ActionApplyPreset:
					presets = append(presets, action.Value)
				case dossier.ActionSendNotification:
					scenarios = append(scenarios, action.Value)
				}
			}
		}
	}
	return s.targets(ctx, company, presets, scenarios, nil)
}

// targets reads presets, scenarios and forms, and in a second request the forms that the presets
// bring; none where nothing is named.
func (s *Store) targets(ctx context.Context, company string,
	presets, scenarios, forms []string) (targets, error) {
	g := targets{presets: map[string]storedPreset{},
		notifications: map[string]dossier.Notification{}, forms: map[string]string{},
		types: map[string]string{}, missing: map[string]bool{}}
	err := readSettings(ctx, s, company, kindPreset, presets, g.missing,
		func(id string, p storedPreset) {
			g.presets[id] = p
			forms = append(forms, p.FormIDs...)
			for ref, fieldType := range p.Types {
				g.types[ref] = fieldType
			}
		})
	if err != nil {
		return g, err
	}
	err = readSettings(ctx, s, company, kindScenario, scenarios, g.missing,
		func(id string, scenario storedScenario) {
			if scenario.Notification == nil {
				g.missing[id] = true
				return
			}
			g.notifications[id] = *scenario.Notification
		})
	if err != nil {
		return g, err
	}
	err = readSettings(ctx, s, company, kindForm, forms, g.missing,
		func(id string, f dossier.Form) { g.forms[id] = f.Name })
	return g, err
}

// readSettings reads entities of one kind by their ids, a hundred in one request, and notes those
// that do not exist.
func readSettings[T any](ctx context.Context, s *Store, company string, k kind, ids []string,
	missing map[string]bool, found func(id string, v T)) error {
	return readEntities(ctx, s, company, k, false, ids, missing, found)
}

// readEntities is readSettings that may be eventually consistent, for lists, which are themselves.
func readEntities[T any](ctx context.Context, s *Store, company string, k kind, eventual bool,
	ids []string, missing map[string]bool, found func(id string, v T)) error {
	var keys []kv.Key
	var asked []string
	seen := map[string]bool{}
	for _, id := range ids {
		bareID, ok := dossier.ParseID(k.prefix, id, 1)
		if seen[id] || !ok {
			missing[id] = missing[id] || !ok
			continue
		}
		seen[id] = true
		keys, asked = append(keys, kv.Key{PK: partitionOf(company, k.partition), SK: bareID}),
			append(asked, id)
	}
	var items []kv.Item
	for some := range slices.Chunk(keys, maxGet) {
		read, err := s.engine.Get(ctx, eventual, some...)
		if err != nil {
			return err
		}
		items = append(items, read...)
	}
	for n, i := range items {
		if i.Rev == 0 {
			missing[asked[n]] = true
			continue
		}
		v, err := decode[T](i)
		if err != nil {
			return err
		}
		found(asked[n], v)
	}
	return nil
}
