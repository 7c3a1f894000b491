// Command rules is the function that runs the rules of validated documents.
package main

import (
	"time"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/entries"
	"github.com/dossierhq/dossier/pkg/app/onaws/events"
	"github.com/dossierhq/dossier/pkg/work"
)

func main() {
	f := onaws.New()
	w := &work.Rules{Table: f.Table(events.Doorbell(f)), Now: time.Now}
	entries.Bus(f, w.Work)
}
