// Command documenttypes is the function that answers /documentTypes.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/routes"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/webhook"
)

func main() {
	f := aws.New()
	routes.Serve(f, func() httpapi.Config {
		return httpapi.Config{
			Store: f.Store(nil), Groups: []httpapi.Group{httpapi.GroupDocumentTypes},
			Targets: webhook.NewGuard(f.Config.AllowTargets), NewSecret: webhook.NewSecret,
		}
	})
}
