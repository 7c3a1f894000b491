package client

import (
	"encoding/json"
	"fmt"
	"net/http"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Webhook verifies what an integration sends. It is safe for concurrent use.
type Webhook struct{ verifier *standardwebhooks.Webhook }

// NewWebhook returns the verifier for the secret of an integration, whsec_….
func NewWebhook(secret string) (*Webhook, error) {
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, fmt.Errorf("the secret of a webhook: %w", err)
	}
	return &Webhook{verifier}, nil
}

// Verify checks signature and time of a webhook and returns what it delivers. body is the body as
// it came, not decoded and encoded again. A delivery may come twice, with the same Webhook-Id.
func (w *Webhook) Verify(body []byte, header http.Header) (Delivery, error) {
	var d Delivery
	if err := w.verifier.Verify(body, header); err != nil {
		return d, fmt.Errorf("the webhook is not genuine: %w", err)
	}
	if err := json.Unmarshal(body, &d); err != nil {
		return d, fmt.Errorf("the webhook can't be read: %w", err)
	}
	return d, nil
}
