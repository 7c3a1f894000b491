package httpapi

import (
	"net/http"
	"reflect"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) integrationRoutes() []route {
	rows := resource{
		list: a.listIntegrations,
		create: func(r *request) (any, error) {
			return create(r, a.validateIntegration,
				func(in dossier.IntegrationInput) (dossier.Integration, error) {
					if err := r.maySend(in); err != nil {
						return dossier.Integration{}, err
					}
					return a.store.CreateIntegration(r.Context(), r.company(), in,
						a.cfg.NewSecret())
				}, integrationServerSet...)
		},
		read: func(r *request) (any, error) {
			return read(a.store.Integration(r.Context(), r.company(), r.param("id")))
		},
		change: a.changeIntegration,
		remove: func(r *request) (any, error) {
			return nil, a.store.DeleteIntegration(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/integrations", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite, "triggerEvent")
	act := func(path string, body bodyKind, handle func(*request) (any, error)) route {
		return route{method: http.MethodPost, path: path, scope: dossier.ScopeSettingsWrite,
			body: body, handle: handle}
	}
	return append(rows,
		route{method: http.MethodPost, path: "/integrations/{id}/secret/rotate",
			scope: dossier.ScopeSettingsWrite, body: bodyNone, credentials: true,
			handle: a.rotateSecret},
		act("/integrations/{id}/enable", bodyNone, func(r *request) (any, error) {
			return read(a.store.EnableIntegration(r.Context(), r.company(), r.param("id")))
		}),
		act("/integrations/send-init-request", bodyNeeded, a.sendInitRequest),
	)
}

func (a *API) rotateSecret(r *request) (any, error) {
	rotated, err := a.store.RotateSecret(r.Context(), r.company(), r.param("id"), a.cfg.NewSecret())
	return rotated, err
}

// integrationServerSet lists what the service sets on an integration, beside the usual members.
var integrationServerSet = []string{"disabledReason", "secret", "signingSecrets"}

func (a *API) listIntegrations(r *request) (any, error) {
	if err := r.validateFilter("filter[triggerEvent]", event.Names); err != nil {
		return nil, err
	}
	return list(r, func(after string, limit int) ([]dossier.Integration, string, error) {
		return a.store.Integrations(r.Context(), r.company(), r.filter("triggerEvent"), after,
			limit)
	})
}

// changeIntegration changes an integration. Only a caller with the scopes of the data may change
// where the data of a full payload go.
func (a *API) changeIntegration(r *request) (any, error) {
	return change(r, a.validateIntegrationUpdate,
		func(want store.Rev, patch func(
			dossier.IntegrationUpdate) (dossier.IntegrationUpdate, error)) (dossier.Integration,
			store.Rev, error) {
			allowed := func(current dossier.IntegrationUpdate) (dossier.IntegrationUpdate, error) {
				next, err := patch(current)
				if err == nil {
					err = r.maySendElsewhere(next.IntegrationInput, current.IntegrationInput)
				}
				return next, err
			}
			return a.store.ChangeIntegration(r.Context(), r.company(), r.param("id"), want, allowed)
		}, integrationServerSet...)
}

// maySend refuses an integration that sends data which the caller can't read.
func (r *request) maySend(in dossier.IntegrationInput) error {
	if in.Payload == nil || *in.Payload != dossier.PayloadFull {
		return nil
	}
	return r.needs("An integration with the payload full", dossier.ScopeCandidatesRead,
		dossier.ScopeDocumentsRead)
}

// maySendElsewhere does maySend where the target or the payload is another than the current one.
func (r *request) maySendElsewhere(next, current dossier.IntegrationInput) error {
	if next.Target == current.Target && reflect.DeepEqual(next.Payload, current.Payload) {
		return nil
	}
	return r.maySend(next)
}

func (a *API) validateIntegration(in dossier.IntegrationInput, p *dossier.Problems) {
	in.Validate(p, event.Names, a.cfg.Targets.CheckURL)
}

func (a *API) validateIntegrationUpdate(in dossier.IntegrationUpdate, p *dossier.Problems) {
	in.Validate(p, event.Names, a.cfg.Targets.CheckURL)
}
