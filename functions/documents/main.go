// Command documents is the function that answers /candidateDocumentTypes and /containers.
package main

import (
	"time"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/events"
	"github.com/dossierhq/dossier/pkg/app/onaws/parts"
	"github.com/dossierhq/dossier/pkg/app/onaws/web"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := onaws.New()
	web.Serve(f, func() httpapi.Config {
		t := f.Store(events.Notifier(f))
		return httpapi.Config{
			Store: t, Groups: []httpapi.Group{httpapi.GroupDocuments}, Blobs: parts.Store(f), Rules: &worker.Rules{Store: t, Now: time.Now},
		}
	})
}
