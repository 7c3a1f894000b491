// Command scenarios is the function that answers /scenarios.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/routes"
	"github.com/dossierhq/dossier/pkg/httpapi"
)

func main() {
	f := aws.New()
	routes.Serve(f, func() httpapi.Config {
		return httpapi.Config{
			Store: f.Store(nil), Groups: []httpapi.Group{httpapi.GroupScenarios},
		}
	})
}
