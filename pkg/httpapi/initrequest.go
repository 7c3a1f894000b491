package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// Prober attempts once to deliver a signed sample and reports the outcome, including whether the
// endpoint echoed the challenge, a member of the body.
type Prober interface {
	Probe(ctx context.Context, d dossier.Delivery, challenge string) dossier.DeliveryReport
}

// initRequest is the body of POST /integrations/send-init-request: an integration, or an address
// and an event.
type initRequest struct {
	IntegrationID *string `json:"integrationId"`
	URL           *string `json:"url"`
	TriggerEvent  *string `json:"triggerEvent"`
}

func (a *API) validateInitRequest(in initRequest, p *dossier.Problems) {
	switch {
	case in.IntegrationID == nil && in.URL == nil:
		p.Add("/integrationId", dossier.ProblemRequired,
			"Either integrationId, or url and triggerEvent, must be given.")
	case in.IntegrationID != nil && in.URL != nil:
		p.Add("/url", dossier.ProblemNotAllowed,
			"The url cannot be combined with integrationId.")
	case in.IntegrationID != nil:
		p.ID("/integrationId", *in.IntegrationID)
	default:
		p.URL("/url", *in.URL, a.cfg.Targets.CheckURL)
	}
	switch {
	case in.TriggerEvent != nil:
		p.Word("/triggerEvent", *in.TriggerEvent, event.Names)
	case in.IntegrationID == nil:
		p.Say("/triggerEvent", dossier.ProblemRequired, "is missing")
	}
}

// sendInitRequest sends one signed sample with a challenge, without retries, and answers the
// report. The secret for an address that belongs to no integration is not kept.
func (a *API) sendInitRequest(r *request) (any, error) {
	in, err := decodeValid(r, a.validateInitRequest)
	if err != nil {
		return nil, err
	}
	to, challenge := dossier.Delivery{At: a.cfg.Now()}, rand.Text()
	name := ""
	if in.IntegrationID != nil {
		to.URL, name, to.Secrets, err = a.store.IntegrationTarget(r.Context(), r.company(),
			*in.IntegrationID)
		if errors.Is(err, dossier.ErrNotFound) {
			var p dossier.Problems
			p.Add("/integrationId", dossier.ProblemUnknown,
				"There is no integration with the id %q.", dossier.Clip(*in.IntegrationID))
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
	if to.ID, to.Body, err = sample(name, r.company(), dossier.NewTime(to.At), challenge); err !=
		nil {
		return nil, err
	}
	free := a.samples.take(r.company())
	if free == nil {
		return nil, &dossier.Error{Code: dossier.CodeRateLimited, RetryAfter: time.Second,
			Detail: fmt.Sprintf("A company sends at most %d samples at once.", maxSamples)}
	}
	defer free()
	report := a.cfg.Prober.Probe(r.Context(), to, challenge)
	return report, a.store.KeepResponse(r.Context(), report)
}

// sample returns an example of the event with the challenge as its last member. It holds no
// candidate's data.
func sample(name, company string, now dossier.Time,
	challenge string) (id string, body []byte, err error) {
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
