// Command messages is the function that answers /candidates/{candidateId}/messages.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/events"
	"github.com/dossierhq/dossier/pkg/app/onaws/web"
	"github.com/dossierhq/dossier/pkg/httpapi"
)

func main() {
	f := onaws.New()
	web.Serve(f, func() httpapi.Config {
		return httpapi.Config{
			Store: f.Store(events.Notifier(f)), Groups: []httpapi.Group{httpapi.GroupMessages},
		}
	})
}
