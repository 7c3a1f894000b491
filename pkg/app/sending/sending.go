// Package sending fits the webhook sender to the worker that delivers.
package sending

import (
	"context"
	"log/slog"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

// Sender is a work.Sender that sends webhooks.
type Sender struct{ Webhook *webhook.Sender }

// SendDelivery makes one attempt.
func (s Sender) SendDelivery(ctx context.Context, d store.Delivery, at time.Time) worker.Sent {
	o := s.Webhook.Send(ctx, webhook.Request{URL: d.URL, ID: d.EventID, At: at, Body: d.Body, Secrets: d.Secrets})
	return worker.Sent{
		Delivered: o.Result == webhook.Delivered, Gone: o.Result == webhook.Gone, Interrupted: o.Error == webhook.FailedInterrupted,
		StatusCode: o.StatusCode, DurationMS: o.DurationMS, Error: o.Error, RetryAfter: o.RetryAfter,
	}
}

// Deliver is the worker of deliveries with the schedule of webhooks.
func Deliver(t *store.Store, sender *webhook.Sender, now func() time.Time, log *slog.Logger) *worker.Deliver {
	return &worker.Deliver{Store: t, Sender: Sender{sender}, Now: now, Log: log, NextDelay: webhook.NextDelay, DisableAfter: webhook.DisableAfter}
}
