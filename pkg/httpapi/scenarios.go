package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) scenarioRoutes() []route {
	return resource{
		list: a.listScenarios,
		create: func(r *request) (any, error) {
			return create(r, validateScenario,
				func(in dossier.ScenarioInput) (dossier.Scenario, error) {
					return a.store.CreateScenario(r.Context(), r.company(), in)
				}, "documentTypes")
		},
		read: func(r *request) (any, error) {
			return read(a.store.Scenario(r.Context(), r.company(), r.param("id")))
		},
		change: func(r *request) (any, error) {
			return change(r, validateScenario,
				func(want store.Rev, patch func(
					dossier.ScenarioInput) (dossier.ScenarioInput, error)) (dossier.Scenario,
					store.Rev, error) {
					return a.store.ChangeScenario(r.Context(), r.company(), r.param("id"), want,
						patch)
				}, "documentTypes")
		},
		remove: func(r *request) (any, error) {
			return nil, a.store.DeleteScenario(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/scenarios", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite, "events[]")
}

func (a *API) listScenarios(r *request) (any, error) {
	if err := r.validateFilter("filter[events][]", event.Names); err != nil {
		return nil, err
	}
	return list(r, func(after string, limit int) ([]dossier.Scenario, string, error) {
		return a.store.Scenarios(r.Context(), r.company(), r.anyOf("events"), after, limit)
	})
}

func validateScenario(in dossier.ScenarioInput, p *dossier.Problems) {
	in.Validate(p, event.Names, event.Placeholders)
}
