package httpapi

import (
	"net/http"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) logRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/integrations/logs", scope: dossier.ScopeSettingsRead,
			paging:  paged,
			filters: []string{"integrationId", "eventName", "status", "candidateId"},
			handle:  a.listLogs},
		{method: http.MethodGet, path: "/integrations/parser-calls",
			scope: dossier.ScopeSettingsRead, paging: paged,
			filters: []string{"documentTypeId", "candidateId"}, handle: a.listParserCalls},
		{method: http.MethodPost, path: "/integrations/logs/{id}/replay",
			scope: dossier.ScopeSettingsWrite, body: bodyNone,
			handle: a.replayDelivery},
		{method: http.MethodPost, path: "/integrations/{id}/replay",
			scope: dossier.ScopeSettingsWrite, handle: a.replayIntegration},
		{method: http.MethodGet, path: "/integrations/logs/{id}/request",
			scope: dossier.ScopeSettingsWrite, handle: a.deliveryRequest},
		{method: http.MethodPost, path: "/integrations/{id}/verify-signature",
			scope: dossier.ScopeSettingsRead, handle: a.verifySignature},
	}
}

func (a *API) listLogs(r *request) (any, error) {
	if err := r.validateFilter("filter[eventName]", event.Names); err != nil {
		return nil, err
	}
	if err := r.validateFilter("filter[status]", dossier.LogStatuses); err != nil {
		return nil, err
	}
	filter := store.LogFilter{IntegrationID: r.filter("integrationId"),
		CandidateID: r.filter("candidateId"),
		EventName:   r.filter("eventName"), Status: r.filter("status")}
	return list(r, func(after string, limit int) ([]dossier.LogEntry, string, error) {
		return a.store.Logs(r.Context(), r.company(), filter, after, limit)
	})
}

func (a *API) listParserCalls(r *request) (any, error) {
	filter := store.ParserCallFilter{DocumentTypeID: r.filter("documentTypeId"),
		CandidateID: r.filter("candidateId")}
	return list(r, func(after string, limit int) ([]dossier.ParserCall, string, error) {
		return a.store.ParserCalls(r.Context(), r.company(), filter, after, limit)
	})
}

func (a *API) replayDelivery(r *request) (any, error) {
	return a.store.ReplayDelivery(r.Context(), r.company(), r.param("id"))
}

// replayInput selects the log entries of an integration that are delivered again.
type replayInput struct {
	Since  dossier.Time  `json:"since"`
	Until  *dossier.Time `json:"until"`
	Status []string      `json:"status"` // failed and held by default
	DryRun bool          `json:"dryRun"`
}

// replayable lists the final statuses; pending entries are delivered anyway.
var replayable = slices.DeleteFunc(slices.Clone(dossier.LogStatuses), func(status string) bool {
	return status == dossier.LogPending
})

// Validate records what is wrong with the selection.
func (in replayInput) Validate(p *dossier.Problems) {
	if in.Since.IsZero() {
		p.Say("/since", dossier.ProblemRequired, "is missing")
	}
	if in.Until != nil && in.Until.Before(in.Since.Time) {
		p.Say("/until", dossier.ProblemOutOfRange, "is before since")
	}
	for n, status := range in.Status {
		p.Word(dossier.Element("/status", n), status, replayable)
	}
	p.Distinct("/status", in.Status, len(in.Status))
}

// replayed is the response of POST /integrations/{id}/replay.
type replayed struct {
	Replayed int  `json:"replayed"`
	Matching *int `json:"matching,omitzero"` // of a dry run
	More     bool `json:"more,omitzero"`     // of a dry run
}

// replayIntegration delivers again what was not delivered, or what the body selects.
func (a *API) replayIntegration(r *request) (any, error) {
	in, err := decodeValid(r, replayInput.Validate)
	if err != nil {
		return nil, err
	}
	var until dossier.Time
	if in.Until != nil {
		until = *in.Until
	}
	if len(in.Status) == 0 {
		in.Status = []string{dossier.LogFailed, dossier.LogHeld}
	}
	if in.DryRun {
		n, more, err := a.store.CountReplay(r.Context(), r.company(), r.param("id"),
			in.Since.Time, until.Time, in.Status)
		if err != nil {
			return nil, err
		}
		counted := replayed{Matching: &n, More: more}
		return counted, a.store.KeepResponse(r.Context(), counted)
	}
	n, err := a.store.ReplayIntegration(r.Context(), r.company(), r.param("id"), in.Since.Time,
		until.Time, in.Status)
	if err != nil {
		return nil, err
	}
	return replayed{Replayed: n}, a.store.KeepResponse(r.Context(), replayed{Replayed: n})
}
