// Command web is the function that answers the pages for people: /console, /c, /p and /assets.
package main

import (
	"time"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/pages"
	"github.com/dossierhq/dossier/pkg/blob/s3blob"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/oidc"
	"github.com/dossierhq/dossier/pkg/notify"
	"github.com/dossierhq/dossier/pkg/notify/eventbus"
	"github.com/dossierhq/dossier/pkg/notify/queue"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := aws.New()
	parts := s3blob.NewFromConfig(f.AWS, f.Config.Bucket)
	pages.Serve(f, parts, func() httpapi.Config {
		t := f.Store(notify.Fanout{eventbus.NewFromConfig(f.AWS, f.Config.Bus, f.Log),
			queue.NewFromConfig(f.AWS, f.Config.QueueURL, f.Log)})
		guard := webhook.NewGuard(f.Config.AllowTargets)
		sender := webhook.NewSender(guard, webhook.Config{})
		return httpapi.Config{
			Store: t, Groups: httpapi.Groups(), Blobs: parts, Rules: &worker.Rules{Store: t},
			Targets: guard, Prober: sender,
			People:    oidc.NewClient(sender.Transport(), guard.CheckURL, time.Now),
			NewSecret: webhook.NewSecret,
		}
	})
}
