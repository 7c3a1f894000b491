// Command deliver is the function that sends events to integrations.
package main

import (
	"time"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/entries"
	"github.com/dossierhq/dossier/pkg/app/sending"
	"github.com/dossierhq/dossier/pkg/webhook"
)

func main() {
	f := onaws.New()
	sender := webhook.NewSender(webhook.NewGuard(f.Config.AllowTargets), webhook.Config{})
	entries.Queue(f, sending.Deliver(f.Store(nil), sender, time.Now, f.Log).Work)
}
