package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// Prober makes one attempt to deliver a signed sample and reports all of it, also whether the
// endpoint echoed the challenge, a member of the body.
type Prober interface {
	Probe(ctx context.Context, d dossier.Delivery, challenge string) dossier.DeliveryReport
}

// initRequest is the body of POST /integrations/send-init-request: an integration, or an address and an event.
type initRequest struct {
	IntegrationID *string `json:"integrationId"`
	URL           *string `json:"url"`
	TriggerEvent  *string `json:"triggerEvent"`
}

func (a *API) checkInitRequest(in initRequest) error {
	var p dossier.Problems
	switch {
	case in.IntegrationID == nil && in.URL == nil:
		p.Add("/integrationId", "required", "is missing, or else url with triggerEvent")
	case in.IntegrationID != nil && in.URL != nil:
		p.Add("/url", "notAllowed", "does not go with integrationId: the address is the integration's")
	case in.IntegrationID != nil:
		noteText(&p, "/integrationId", *in.IntegrationID, true, maxParam)
	default:
		a.noteURL(&p, "/url", *in.URL)
	}
	switch {
	case in.TriggerEvent != nil:
		noteWord(&p, "/triggerEvent", *in.TriggerEvent, event.Names)
	case in.IntegrationID == nil:
		p.Add("/triggerEvent", "required", "is missing")
	}
	return p.Err()
}

// sendInitRequest sends one signed sample with a challenge, never again, and answers the whole of what came of it. An address that is
// no integration's gets a signature with a secret that nobody keeps.
func (a *API) sendInitRequest(r *request) (any, error) {
	in, err := decode[initRequest](r)
	if err != nil {
		return nil, err
	}
	if err := a.checkInitRequest(in); err != nil {
		return nil, err
	}
	to, challenge := dossier.Delivery{At: a.cfg.Now()}, rand.Text()
	name := ""
	if in.IntegrationID != nil {
		to.URL, name, to.Secrets, err = a.store.IntegrationTarget(r.Context(), r.company(), *in.IntegrationID)
		if errors.Is(err, dossier.ErrNotFound) {
			var p dossier.Problems
			p.Add("/integrationId", "unknown", "There is no integration %q.", clip(*in.IntegrationID))
			return nil, p.Err()
		}
		if err != nil {
			return nil, err
		}
	} else {
		to.URL, to.Secrets = *in.URL, []string{a.cfg.NewSecret()}
	}
	if in.TriggerEvent != nil {
		name = *in.TriggerEvent
	}
	if to.ID, to.Body, err = sample(name, r.company(), dossier.NewTime(to.At), challenge); err != nil {
		return nil, err
	}
	report := a.cfg.Prober.Probe(r.Context(), to, challenge)
	return report, a.store.KeepResponse(r.Context(), report)
}

// sample is what an integration is tried with: an example of the event, and the challenge as its last member. No candidate is in it.
func sample(name, company string, now dossier.Time, challenge string) (id string, body []byte, err error) {
	e, ok := event.Sample(name)
	if !ok {
		return "", nil, errors.New("there is no sample of the event")
	}
	e.CompanyID, e.Timestamp = company, now
	if body, err = json.Marshal(e); err != nil {
		return "", nil, err
	}
	echo, err := json.Marshal(challenge)
	body = bytes.TrimSuffix(body, []byte("}"))
	return e.ID, append(append(append(body, `,"challenge":`...), echo...), '}'), err
}
