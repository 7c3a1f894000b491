// Command standalone runs the whole service in one process: every handler and every consumer, on an embedded store.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/standalone"
	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/check/child"
)

func main() {
	child.Run()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	log := app.Log()
	cfg, err := app.FromEnv(os.Getenv)
	if err = errors.Join(err, check.Hide()); err == nil {
		err = standalone.Run(ctx, cfg, os.Stdout, log)
	}
	if err != nil {
		log.Error("ended", "error", err)
		os.Exit(1)
	}
}
