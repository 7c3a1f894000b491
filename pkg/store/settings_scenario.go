package store

import (
	"context"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func (s *storedScenario) set(in dossier.ScenarioInput, now dossier.Time) {
	s.Name, s.EventName, s.DocumentTypeIDs, s.Notification, s.UpdatedAt = in.Name, in.EventName,
		in.DocumentTypeIDs, in.Notification, now
	s.Active = in.Active == nil || *in.Active
}

func (s *storedScenario) content() dossier.ScenarioInput {
	return dossier.ScenarioInput{Name: s.Name, Active: &s.Active, EventName: s.EventName,
		DocumentTypeIDs: s.DocumentTypeIDs,
		Notification:    s.Notification}
}

// shown returns the scenario as responses show it.
func (s storedScenario) shown(types map[string]storedType) dossier.Scenario {
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
		return dossier.Errorf(dossier.CodeLimitReached,
			"An event can have at most %d active scenarios.",
			dossier.MaxActiveScenarios)
	}
	return nil
}

// CreateScenario creates a scenario. Its error names document types that do not exist.
func (s *Store) CreateScenario(ctx context.Context, company string,
	in dossier.ScenarioInput) (dossier.Scenario, error) {
	return createSetting(ctx, s, company, kindScenario,
		func(id string, now dossier.Time,
			others []storedScenario) (scenario storedScenario, answer dossier.Scenario, err error) {
			scenario.ID, scenario.CreatedAt = id, now
			scenario.set(in, now)
			scenario.Warnings = cycleWarnings(scenario, others)
			if err := roomToReact(scenario, others); err != nil {
				return scenario, answer, err
			}
			types, err := s.requireTypes(ctx, company, "/documentTypeIds/%d",
				scenario.DocumentTypeIDs)
			return scenario, scenario.shown(types), err
		})
}

// Scenario returns a scenario and the revision it has.
func (s *Store) Scenario(ctx context.Context, company, id string) (dossier.Scenario, Rev, error) {
	scenario, read, err := setting[storedScenario](ctx, s, company, kindScenario, id)
	if err != nil {
		return dossier.Scenario{}, 0, err
	}
	types, err := s.types(ctx, company, scenario.DocumentTypeIDs)
	return scenario.shown(types), Rev(read.Rev), err
}

// Scenarios returns a page of a company's scenarios, or those of any of some events. Their document
// types are one more request.
func (s *Store) Scenarios(ctx context.Context, company string, events []string, after string,
	limit int) ([]dossier.Scenario, string, error) {
	stored, next, err := filteredPage(ctx, s, company, kindScenario, after, limit,
		func(scenario storedScenario) bool {
			return len(events) == 0 || slices.Contains(events, scenario.EventName)
		})
	if err != nil {
		return nil, "", err
	}
	types, err := typesOf(ctx, s, company, stored, func(scenario storedScenario) []string {
		return scenario.DocumentTypeIDs
	})
	list := make([]dossier.Scenario, len(stored))
	for n, scenario := range stored {
		list[n] = scenario.shown(types)
	}
	return list, next, err
}

// ChangeScenario changes a scenario. IN_USE where rules name it and it would have no notification
// any more.
func (s *Store) ChangeScenario(ctx context.Context, company, id string, want Rev,
	change func(dossier.ScenarioInput) (dossier.ScenarioInput, error)) (dossier.Scenario, Rev,
	error) {
	return updateSetting(ctx, s, company, kindScenario, id, want,
		func(scenario storedScenario,
			now dossier.Time) (after storedScenario, answer dossier.Scenario, err error) {
			in, err := change(scenario.content())
			if err != nil {
				return scenario, answer, err
			}
			if err := s.notificationFits(ctx, company, scenario, in.Notification); err != nil {
				return scenario, answer, err
			}
			scenario.set(in, now)
			others, err := settings[storedScenario](ctx, s, company, kindScenario)
			if err == nil {
				scenario.Warnings = cycleWarnings(scenario, others)
				err = roomToReact(scenario, others)
			}
			if err != nil {
				return scenario, answer, err
			}
			types, err := s.requireTypes(ctx, company, "/documentTypeIds/%d",
				scenario.DocumentTypeIDs)
			return scenario, scenario.shown(types), err
		})
}

// notificationFits refuses a notification that rules that name the scenario can't send: IN_USE for
// none, and VALIDATION_FAILED for one with placeholders that have no value in a rule.
func (s *Store) notificationFits(ctx context.Context, company string, before storedScenario,
	after *dossier.Notification) error {
	if before.Notification == nil || after != nil && (*after == *before.Notification ||
		len(after.Without(dossier.RulePlaceholders)) == 0) {
		return nil
	}
	uses, err := s.referencesTo(ctx, company, before.ID)
	if err != nil || len(uses) == 0 {
		return err
	}
	if after == nil {
		return inUse(kindScenario, uses)
	}
	var p dossier.Problems
	p.RulePlaceholders("/notification/subject", after.Subject, uses[0].Pointer)
	p.RulePlaceholders("/notification/text", after.Text, uses[0].Pointer)
	return p.Err()
}

// DeleteScenario deletes a scenario; IN_USE while a rule names it.
func (s *Store) DeleteScenario(ctx context.Context, company, id string) error {
	return deleteSetting(ctx, s, company, kindScenario, id, func(scenario storedScenario) []string {
		return []string{scenario.ID}
	})
}
