// Command rules is the function that runs the rules of validated documents.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/tasks"
	"github.com/dossierhq/dossier/pkg/notify/eventbus"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := aws.New()
	w := &worker.Rules{Store: f.Store(eventbus.NewFromConfig(f.AWS, f.Config.Bus, f.Log))}
	tasks.Serve(f, w.Work)
}
