package web

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func listIntegrations(p *page) error {
	all, _, err := list[dossier.Integration](p.api, "/integrations", nil, dossier.MaxListed)
	if err != nil {
		return err
	}
	return p.show(screen{name: "integrations", title: "Integrations", section: "integrations"}, all)
}

// tried is the result of testing an integration.
type tried struct {
	Delivered bool           `json:"delivered"`
	Status    int            `json:"statusCode"`
	MS        int64          `json:"durationMs"`
	Echoed    bool           `json:"challengeEchoed"`
	Error     string         `json:"error"`
	Request   jsontext.Value `json:"request"`
	Response  jsontext.Value `json:"response"`
}

type integrationView struct {
	Integration dossier.Integration
	Deliveries  []dossier.LogEntry
	Names       map[string]string
	Counts      []tile
	Held        int
	Tried       *tried
	Sent        string // the request and its answer, as JSON
	// the secret in use, and the one before while it signs too; nil where it does not
	Secret, Before *dossier.SigningSecret
	Ended          dossier.Time // when the secret before ended
}

// showSecrets fills in when the secrets were made and end.
func (v *integrationView) showSecrets(now time.Time) {
	secrets := v.Integration.SigningSecrets
	if len(secrets) > 0 {
		v.Secret = &secrets[0]
	}
	switch {
	case len(secrets) < 2:
	case now.Before(secrets[1].EndsAt.Time):
		v.Before = &secrets[1]
	default:
		v.Ended = secrets[1].EndsAt
	}
}

func showIntegration(p *page) error { return p.integration(nil) }

func (p *page) integration(t *tried) error {
	v := integrationView{Tried: t}
	id := p.r.PathValue("id")
	err := gather(
		func() error { _, err := p.api.get("/integrations/"+id, &v.Integration); return err },
		func() (err error) {
			v.Deliveries, _, err = list[dossier.LogEntry](p.api, "/integrations/logs",
				url.Values{"filter[integrationId]": {id}}, pageSize)
			return err
		},
	)
	if err != nil {
		return err
	}
	v.showSecrets(p.now)
	counts := map[string]int{}
	for _, d := range v.Deliveries {
		counts[d.Status]++
	}
	for _, s := range dossier.LogStatuses {
		if counts[s] > 0 {
			v.Counts = append(v.Counts, tile{Count: fmt.Sprint(counts[s]), Label: badgeOf(s).Word,
				Href: "/console/deliveries?integration=" + id + "&status=" + s})
		}
	}
	v.Held = counts[dossier.LogHeld]
	v.Deliveries = v.Deliveries[:min(10, len(v.Deliveries))]
	if v.Names, err = p.names(candidateIDs(nil, v.Deliveries)); err != nil {
		return err
	}
	if t != nil {
		both := jsontext.Value(fmt.Sprintf(`{"request":%s,"response":%s}`, orNull(t.Request),
			orNull(t.Response)))
		if both.Indent() == nil {
			v.Sent = string(both)
		}
	}
	return p.show(screen{name: "integration", title: v.Integration.Name,
		section: "integrations"}, v)
}

func orNull(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return jsontext.Value("null")
	}
	return v
}

// tryIntegration sends one signed sample and shows the result.
func tryIntegration(p *page) error {
	var i dossier.Integration
	if _, err := p.api.get("/integrations/"+p.r.PathValue("id"), &i); err != nil {
		return err
	}
	var t tried
	_, err := p.api.do(call{method: http.MethodPost, path: "/integrations/send-init-request",
		body: object{"integrationId": i.ID, "triggerEvent": i.TriggerEvent}}, &t)
	if err != nil {
		return err
	}
	return p.integration(&t)
}

func rotateSecret(p *page) error {
	f, err := p.posted()
	if err != nil {
		return err
	}
	var i dossier.Integration
	if _, err := p.api.do(call{method: http.MethodPost,
		path: "/integrations/" + p.r.PathValue("id") + "/secret/rotate", key: f.Key},
		&i); err != nil {
		return err
	}
	return p.show(screen{name: "secret", title: "The new signing secret",
		section: integrationKind.section}, secretView{Title: "The new signing secret",
		Text: rotatedText(i), Secret: i.Secret, Href: integrationKind.path + "/" + i.ID})
}

// rotatedText says until when the secret that was replaced signs too.
func rotatedText(i dossier.Integration) string {
	text := "Give it to the receiver. It is shown only now."
	if len(i.SigningSecrets) > 1 {
		text += " Until " + i.SigningSecrets[1].EndsAt.UTC().Format("2 January 2006, 15:04 MST") +
			", deliveries are signed with the old secret too; then it ends."
	}
	return text
}

func enableIntegration(p *page) error {
	id := p.r.PathValue("id")
	if _, err := p.api.do(call{method: http.MethodPost, path: "/integrations/" + id + "/enable"},
		nil); err != nil {
		return err
	}
	return p.done("/console/integrations/"+id, "enabled")
}

func disableIntegration(p *page) error {
	id := p.r.PathValue("id")
	if _, err := p.api.do(call{method: http.MethodPatch, path: "/integrations/" + id,
		body: object{"state": dossier.IntegrationDisabled}}, nil); err != nil {
		return err
	}
	return p.done("/console/integrations/"+id, "disabled")
}
