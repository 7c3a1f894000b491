// Command dispatch is the function that hands events to integrations and scenarios.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/tasks"
	"github.com/dossierhq/dossier/pkg/notify"
	"github.com/dossierhq/dossier/pkg/notify/eventbus"
	"github.com/dossierhq/dossier/pkg/notify/queue"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := aws.New()
	w := &worker.Dispatch{Store: f.Store(
		notify.Fanout{eventbus.NewFromConfig(f.AWS, f.Config.Bus, f.Log),
			queue.NewFromConfig(f.AWS, f.Config.QueueURL, f.Log)})}
	tasks.Serve(f, w.Work)
}
