// Command dispatch is the function that hands events to integrations and scenarios.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/deliveries"
	"github.com/dossierhq/dossier/pkg/app/onaws/entries"
	"github.com/dossierhq/dossier/pkg/app/onaws/events"
	"github.com/dossierhq/dossier/pkg/notify"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := onaws.New()
	w := &worker.Dispatch{Store: f.Store(notify.Fanout{events.Notifier(f), deliveries.Notifier(f)})}
	entries.Bus(f, w.Work)
}
