// Command settings is the function that answers /forms, /presets, /customFields, /keys and
// /companies, and the OpenAPI document.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/routes"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
)

func main() {
	f := aws.New()
	routes.Serve(f, func() httpapi.Config {
		return httpapi.Config{
			Store: f.Store(nil), Groups: []httpapi.Group{httpapi.GroupSettings},
			OpenAPI: openapi.Document,
		}
	})
}
