// Command integrations is the function that answers /integrations.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/routes"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/notify/queue"
	"github.com/dossierhq/dossier/pkg/webhook"
)

func main() {
	f := aws.New()
	routes.Serve(f, func() httpapi.Config {
		guard := webhook.NewGuard(f.Config.AllowTargets)
		return httpapi.Config{
			Store:   f.Store(queue.NewFromConfig(f.AWS, f.Config.QueueURL, f.Log)),
			Groups:  []httpapi.Group{httpapi.GroupIntegrations},
			Targets: guard, Prober: webhook.NewSender(guard, webhook.Config{}),
			NewSecret: webhook.NewSecret,
		}
	})
}
