// Package probing fits the webhook sender to the route that tries an address.
package probing

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/webhook"
)

// Prober is an httpapi.Prober that sends webhooks.
type Prober struct{ Webhook *webhook.Sender }

// Probe makes one attempt.
func (p Prober) Probe(ctx context.Context, s httpapi.Sample) dossier.DeliveryReport {
	return p.Webhook.Probe(ctx, webhook.Request{URL: s.URL, ID: s.ID, At: s.At, Body: s.Body, Secrets: s.Secrets}, s.Challenge)
}
