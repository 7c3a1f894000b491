// Command registrationpages is the function that answers /registration-pages.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/routes"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/notify/eventbus"
)

func main() {
	f := aws.New()
	routes.Serve(f, func() httpapi.Config {
		return httpapi.Config{
			Store:  f.Store(eventbus.NewFromConfig(f.AWS, f.Config.Bus, f.Log)),
			Groups: []httpapi.Group{httpapi.GroupRegistrationPages},
		}
	})
}
