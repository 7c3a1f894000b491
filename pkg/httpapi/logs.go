package httpapi

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) logRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/integrations/logs", scope: dossier.ScopeSettingsRead, paging: paged,
			filters: []string{"integrationId", "eventName", "status", "candidateId"}, handle: a.listLogs},
		{method: http.MethodPost, path: "/integrations/logs/{id}/replay", scope: dossier.ScopeSettingsWrite, body: bodyNone,
			handle: a.replayDelivery},
		{method: http.MethodPost, path: "/integrations/{id}/replay", scope: dossier.ScopeSettingsWrite, handle: a.replayIntegration},
	}
}

func (a *API) listLogs(r *request) (any, error) {
	if err := r.oneOf("filter[eventName]", event.Names); err != nil {
		return nil, err
	}
	if err := r.oneOf("filter[status]", dossier.LogStatuses); err != nil {
		return nil, err
	}
	size, after, err := r.page()
	if err != nil {
		return nil, err
	}
	list, next, err := a.store.Logs(r.Context(), r.principal.CompanyID, store.LogFilter{
		IntegrationID: r.filter("integrationId"), CandidateID: r.filter("candidateId"),
		EventName: r.filter("eventName"), Status: r.filter("status"),
	}, after, size)
	return listed{list, next}, err
}

func (a *API) replayDelivery(r *request) (any, error) {
	return a.store.ReplayDelivery(r.Context(), r.principal.CompanyID, r.param("id"))
}

// replayInput says which log entries of an integration are delivered again.
type replayInput struct {
	Since  dossier.Time  `json:"since"`
	Until  *dossier.Time `json:"until"`
	Status []string      `json:"status"`
}

// replayable are the statuses of what is closed: what is pending is delivered anyway.
var replayable = slices.DeleteFunc(slices.Clone(dossier.LogStatuses), func(status string) bool { return status == dossier.LogPending })

// replayIntegration delivers again what was not delivered, or what is asked for.
func (a *API) replayIntegration(r *request) (any, error) {
	in, err := decode[replayInput](r)
	if err != nil {
		return nil, err
	}
	var p dossier.Problems
	if in.Since.IsZero() {
		p.Add("/since", "required", "is missing")
	}
	var until dossier.Time
	if in.Until != nil {
		until = *in.Until
		if until.Before(in.Since.Time) {
			p.Add("/until", "invalid", "is before since")
		}
	}
	for n, status := range in.Status {
		switch {
		case !slices.Contains(replayable, status):
			p.Add(fmt.Sprintf("/status/%d", n), "invalid", "%q is not one of its values%s", clip(status), suggest(status, replayable))
		case slices.Index(in.Status, status) < n:
			p.Add(fmt.Sprintf("/status/%d", n), "duplicate", "is named before")
		}
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	if len(in.Status) == 0 {
		in.Status = []string{dossier.LogFailed, dossier.LogHeld}
	}
	replayed, err := a.store.ReplayIntegration(r.Context(), r.principal.CompanyID, r.param("id"), in.Since.Time, until.Time, in.Status)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Replayed int `json:"replayed"`
	}{replayed}
	return answer, a.store.KeepResponse(r.Context(), answer)
}
