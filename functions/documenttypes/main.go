// Command documenttypes is the function that answers /documentTypes.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/web"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/webhook"
)

func main() {
	f := onaws.New()
	web.Serve(f, func() httpapi.Config {
		return httpapi.Config{
			Store: f.Store(nil), Groups: []httpapi.Group{httpapi.GroupDocumentTypes},
			Targets: webhook.NewGuard(f.Config.AllowTargets), NewSecret: webhook.NewSecret,
		}
	})
}
