// Command rules is the function that runs the rules of validated documents.
package main

import (
	"time"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/entries"
	"github.com/dossierhq/dossier/pkg/app/onaws/events"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := onaws.New()
	w := &worker.Rules{Store: f.Store(events.Notifier(f)), Now: time.Now}
	entries.Bus(f, w.Work)
}
