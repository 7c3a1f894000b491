// Command check is the function that checks uploaded documents. What parses them is a program of
// its own beside it, so that this one starts fast.
package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/dossierhq/dossier/pkg/app/aws"
	"github.com/dossierhq/dossier/pkg/app/aws/tasks"
	"github.com/dossierhq/dossier/pkg/app/checker"
	"github.com/dossierhq/dossier/pkg/blob/s3blob"
	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/notify/eventbus"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

func main() {
	f := aws.New()
	executable, err := os.Executable()
	// A function's instance lives on after a time-out: what its check left goes with the next
	// start.
	checks := filepath.Join(os.TempDir(), "checks")
	if err = errors.Join(err, check.Hide(), os.RemoveAll(checks),
		os.MkdirAll(checks, 0o700)); err != nil {
		f.Log.Error("cannot start", "error", err)
		os.Exit(1)
	}
	// The layer of Tesseract may be missing. Pictures go to review then, and all else is checked.
	tesseract, err := check.FindTesseract(f.Config.Tesseract)
	if err != nil {
		f.Log.Error("pictures are not read", "error", err)
	}
	parts := s3blob.NewFromConfig(f.AWS, f.Config.Bucket)
	sender := webhook.NewSender(webhook.NewGuard(f.Config.AllowTargets), webhook.Config{})
	w := &worker.Check{
		Store: f.Store(eventbus.NewFromConfig(f.AWS, f.Config.Bus, f.Log)),
		Bytes: checker.Bytes{Blobs: parts}, Dir: checks,
		Checker: checker.New(checker.Config{
			Executable: filepath.Join(filepath.Dir(executable), "parser"), Blobs: parts,
			Sender: sender, Tesseract: tesseract, Now: time.Now, Log: f.Log,
		}),
		Now: time.Now, Log: f.Log,
	}
	tasks.Serve(f, w.Work)
}
