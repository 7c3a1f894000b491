// Command check is the function that checks uploaded documents.
package main

import (
	"time"

	"github.com/dossierhq/dossier/pkg/app/checking"
	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/entries"
	"github.com/dossierhq/dossier/pkg/app/onaws/events"
	"github.com/dossierhq/dossier/pkg/app/onaws/parts"
	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/work"
)

func main() {
	check.RunChild()
	f := onaws.New()
	store := parts.Store(f)
	sender := webhook.NewSender(webhook.NewGuard(f.Config.AllowTargets), webhook.Config{})
	w := &work.Check{
		Table: f.Table(events.Doorbell(f)), Bytes: checking.Bytes{Store: store},
		Checker: checking.New(store, sender, time.Now), Now: time.Now, Log: f.Log,
	}
	entries.Bus(f, w.Work)
}
