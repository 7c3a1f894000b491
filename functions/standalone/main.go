// Command standalone is the program dossier: it runs the whole service in one process, on an
// embedded store, and has the commands of the one who operates it.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/command"
	"github.com/dossierhq/dossier/pkg/check"
	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
)

func main() {
	if err := check.Hide(); err != nil {
		app.Log(slog.LevelInfo).Error("cannot start", "error", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	os.Exit(command.Run(ctx, command.Process{
		Args: os.Args[1:], Environ: os.Environ(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Terminal: command.IsTerminal(os.Stderr),
	}))
}
