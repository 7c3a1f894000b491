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
			return create(r, checkScenario, func(in dossier.ScenarioInput) (dossier.Scenario, error) {
				return a.store.CreateScenario(r.Context(), r.company(), in)
			}, "documentTypes")
		},
		read: func(r *request) (any, error) { return read(a.store.Scenario(r.Context(), r.company(), r.param("id"))) },
		change: func(r *request) (any, error) {
			return change(r, checkScenario, func(want store.Rev, patch func(dossier.ScenarioInput) (dossier.ScenarioInput, error)) (dossier.Scenario, store.Rev, error) {
				return a.store.ChangeScenario(r.Context(), r.company(), r.param("id"), want, patch)
			}, "documentTypes")
		},
		remove: func(r *request) (any, error) {
			return nil, a.store.DeleteScenario(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/scenarios", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite, "events[]")
}

func (a *API) listScenarios(r *request) (any, error) {
	if err := r.oneOf("filter[events][]", event.Names); err != nil {
		return nil, err
	}
	return list(r, func(after string, limit int) ([]dossier.Scenario, string, error) {
		return a.store.Scenarios(r.Context(), r.company(), r.anyOf("events"), after, limit)
	})
}

func checkScenario(p *dossier.Problems, in dossier.ScenarioInput) {
	noteName(p, in.Name)
	noteWord(p, "/eventName", in.EventName, event.Names)
	noteIDs(p, "/documentTypeIds", in.DocumentTypeIDs, maxScenarioDocuments)
	if n := in.Notification; n != nil {
		noteText(p, "/notification/subject", n.Subject, true, dossier.MaxName)
		noteText(p, "/notification/text", n.Text, true, dossier.MaxText)
	}
}
