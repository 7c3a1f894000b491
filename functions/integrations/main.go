// Command integrations is the function that answers /integrations.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/deliveries"
	"github.com/dossierhq/dossier/pkg/app/onaws/web"
	"github.com/dossierhq/dossier/pkg/app/probing"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/webhook"
)

func main() {
	f := onaws.New()
	web.Serve(f, func() httpapi.Config {
		guard := webhook.NewGuard(f.Config.AllowTargets)
		return httpapi.Config{
			Store: f.Store(deliveries.Notifier(f)), Groups: []httpapi.Group{httpapi.GroupIntegrations},
			Targets: guard, Prober: probing.Prober{Webhook: webhook.NewSender(guard, webhook.Config{})}, NewSecret: webhook.NewSecret,
		}
	})
}
