// Command settings is the function that answers the routes of httpapi.GroupSettings: forms,
// presets, custom fields, keys, sign-in providers, companies and sessions, and the OpenAPI
// document.
package main

import (
	"time"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/routes"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/oidc"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
	"github.com/dossierhq/dossier/pkg/webhook"
)

func main() {
	f := aws.New()
	routes.Serve(f, func() httpapi.Config {
		guard := webhook.NewGuard(f.Config.AllowTargets)
		transport := webhook.NewSender(guard, webhook.Config{}).Transport()
		return httpapi.Config{
			Store: f.Store(nil), Groups: []httpapi.Group{httpapi.GroupSettings},
			Targets: guard, People: oidc.NewClient(transport, guard.CheckURL, time.Now),
			OpenAPI: openapi.Document, Version: app.Version(),
		}
	})
}
