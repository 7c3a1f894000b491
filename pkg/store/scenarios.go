package store

import (
	"context"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func (s *storedScenario) set(in dossier.ScenarioInput, now dossier.Time) {
	s.Name, s.EventName, s.DocumentTypeIDs, s.Notification, s.UpdatedAt = in.Name, in.EventName, in.DocumentTypeIDs, in.Notification, now
	s.Active = in.Active == nil || *in.Active
}

func (s *storedScenario) content() dossier.ScenarioInput {
	return dossier.ScenarioInput{Name: s.Name, Active: &s.Active, EventName: s.EventName, DocumentTypeIDs: s.DocumentTypeIDs,
		Notification: s.Notification}
}

// with returns the scenario as answers show it.
func (s storedScenario) with(types map[string]storedType) dossier.Scenario {
	shown := s.Scenario
	shown.DocumentTypes = embedded(types, s.DocumentTypeIDs)
	return shown
}

// roomToReact refuses one active scenario too many for an event name.
func roomToReact(s storedScenario, others []storedScenario) error {
	n := 0
	for _, o := range others {
		if o.ID != s.ID && o.Active && o.EventName == s.EventName {
			n++
		}
	}
	if s.Active && n >= dossier.MaxActiveScenarios {
		return dossier.Errorf(dossier.CodeLimitReached, "An event has at most %d active scenarios.", dossier.MaxActiveScenarios)
	}
	return nil
}

// CreateScenario makes a scenario. Document types that do not exist are named.
func (t *Store) CreateScenario(ctx context.Context, company string, in dossier.ScenarioInput) (dossier.Scenario, error) {
	return createSetting(ctx, t, company, kindScenario,
		func(id string, now dossier.Time, others []storedScenario) (s storedScenario, answer dossier.Scenario, err error) {
			s.ID, s.CreatedAt = id, now
			s.set(in, now)
			if err := roomToReact(s, others); err != nil {
				return s, answer, err
			}
			types, err := t.named(ctx, company, "/documentTypeIds/%d", s.DocumentTypeIDs)
			return s, s.with(types), err
		})
}

// Scenario returns a scenario and the revision it has.
func (t *Store) Scenario(ctx context.Context, company, id string) (dossier.Scenario, Rev, error) {
	s, read, err := setting[storedScenario](ctx, t, company, kindScenario, id)
	if err != nil {
		return dossier.Scenario{}, 0, err
	}
	types, err := t.types(ctx, company, s.DocumentTypeIDs)
	return s.with(types), Rev(read.Rev), err
}

// Scenarios returns a page of a company's scenarios, or those of any of some events. Their document types are one more request.
func (t *Store) Scenarios(ctx context.Context, company string, events []string, after string, limit int) ([]dossier.Scenario, string, error) {
	stored, next, err := filteredPage(ctx, t, company, kindScenario, after, limit, func(s storedScenario) bool {
		return len(events) == 0 || slices.Contains(events, s.EventName)
	})
	if err != nil {
		return nil, "", err
	}
	types, err := typesOf(ctx, t, company, stored, func(s storedScenario) []string { return s.DocumentTypeIDs })
	list := make([]dossier.Scenario, len(stored))
	for n, s := range stored {
		list[n] = s.with(types)
	}
	return list, next, err
}

// ChangeScenario changes a scenario. IN_USE where rules name it and it would have no notification any more.
func (t *Store) ChangeScenario(ctx context.Context, company, id string, want Rev,
	change func(dossier.ScenarioInput) (dossier.ScenarioInput, error)) (dossier.Scenario, Rev, error) {
	return updateSetting(ctx, t, company, kindScenario, id, want,
		func(s storedScenario, now dossier.Time) (after storedScenario, answer dossier.Scenario, err error) {
			in, err := change(s.content())
			if err != nil {
				return s, answer, err
			}
			if s.Notification != nil && in.Notification == nil {
				uses, err := t.uses(ctx, company, id)
				if err == nil {
					err = inUse(kindScenario, uses)
				}
				if err != nil {
					return s, answer, err
				}
			}
			s.set(in, now)
			others, err := settings[storedScenario](ctx, t, company, kindScenario)
			if err == nil {
				err = roomToReact(s, others)
			}
			if err != nil {
				return s, answer, err
			}
			types, err := t.named(ctx, company, "/documentTypeIds/%d", s.DocumentTypeIDs)
			return s, s.with(types), err
		})
}

// DeleteScenario deletes a scenario; IN_USE while a rule names it.
func (t *Store) DeleteScenario(ctx context.Context, company, id string) error {
	return deleteSetting(ctx, t, company, kindScenario, id, func(s storedScenario) []string { return []string{s.ID} })
}
