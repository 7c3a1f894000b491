// Command scenarios is the function that answers /scenarios.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/web"
	"github.com/dossierhq/dossier/pkg/httpapi"
)

func main() {
	f := onaws.New()
	web.Serve(f, httpapi.Config{
		Table: f.Table(nil), Groups: []string{httpapi.GroupScenarios},
	})
}
