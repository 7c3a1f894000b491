// Command deliver is the function that sends events to integrations.
package main

import (
	"time"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/tasks"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := aws.New()
	sender := webhook.NewSender(webhook.NewGuard(f.Config.AllowTargets), webhook.Config{})
	w := &worker.Deliver{
		Store: f.Store(nil), Sender: sender, Now: time.Now, Log: f.Log,
		NextDelay: webhook.NextDelay, DisableAfter: webhook.DisableAfter,
	}
	tasks.Serve(f, w.Work)
}
