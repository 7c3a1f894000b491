// Command scenarios is the function that answers /scenarios.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/web"
	"github.com/dossierhq/dossier/pkg/httpapi"
)

func main() {
	f := onaws.New()
	web.Serve(f, func() httpapi.Config {
		return httpapi.Config{
			Store: f.Store(nil), Groups: []httpapi.Group{httpapi.GroupScenarios},
		}
	})
}
