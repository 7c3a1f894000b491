// Command documents is the function that answers /candidateDocumentTypes and /containers.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/routes"
	"github.com/dossierhq/dossier/pkg/blob/s3blob"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/notify/eventbus"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := aws.New()
	routes.Serve(f, func() httpapi.Config {
		t := f.Store(eventbus.NewFromConfig(f.AWS, f.Config.Bus, f.Log))
		return httpapi.Config{
			Store: t, Groups: []httpapi.Group{httpapi.GroupDocuments},
			Blobs: s3blob.NewFromConfig(f.AWS, f.Config.Bucket), Rules: &worker.Rules{Store: t},
		}
	})
}
