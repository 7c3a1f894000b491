// Command dispatch is the function that hands events to integrations and scenarios.
package main

import (
	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/deliveries"
	"github.com/dossierhq/dossier/pkg/app/onaws/entries"
	"github.com/dossierhq/dossier/pkg/app/onaws/events"
	"github.com/dossierhq/dossier/pkg/bus"
	"github.com/dossierhq/dossier/pkg/work"
)

func main() {
	f := onaws.New()
	w := &work.Dispatch{Table: f.Table(bus.All{events.Doorbell(f), deliveries.Doorbell(f)})}
	entries.Bus(f, w.Work)
}
