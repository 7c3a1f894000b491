// Command check is the function that checks uploaded documents. What parses them is a program of its own beside it, so that this
// one starts fast.
package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/dossierhq/dossier/pkg/app/checking"
	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/app/onaws/entries"
	"github.com/dossierhq/dossier/pkg/app/onaws/events"
	"github.com/dossierhq/dossier/pkg/app/onaws/parts"
	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := onaws.New()
	executable, err := os.Executable()
	if err = errors.Join(err, check.Hide()); err != nil {
		f.Log.Error("can't start", "error", err)
		os.Exit(1)
	}
	store := parts.Store(f)
	sender := webhook.NewSender(webhook.NewGuard(f.Config.AllowTargets), webhook.Config{})
	w := &worker.Check{
		Store: f.Store(events.Notifier(f)), Bytes: checking.Bytes{Store: store},
		Checker: checking.New(filepath.Join(filepath.Dir(executable), "parser"), store, sender, time.Now), Now: time.Now, Log: f.Log,
	}
	entries.Bus(f, w.Work)
}
