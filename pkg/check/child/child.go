// Package child is the process in which uploaded files are parsed. It links every parser; the
// process that checks links none.
//
// A program that imports this package is its own child: a Checker starts it again. The child does
// its job while packages are initialized, because a check would pay for the initialization of each
// package that comes later and that it does not use. The order is that of the Go specification:
// what the parsers need comes first, then packages by their import paths.
package child

import (
	"errors"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/parse"
)

// maxStack ends a parser that recurses without end long before its memory is full.
const maxStack = 64 << 20

// init does not return in a process that a Checker started.
func init() {
	switch {
	case len(os.Args) > 0 && os.Args[0] == childproto.Launcher:
		launch(os.Args[1:])
	case len(os.Args) == 0 || os.Args[0] != childproto.Name:
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// serve does the job that it reads.
func serve(in io.Reader, out io.Writer) error {
	var job childproto.Job
	if err := json.UnmarshalRead(in, &job); err != nil {
		return err
	}
	if job.MaxMemory <= 0 || job.Seconds <= 0 {
		return errors.New("no limits given")
	}
	debug.SetMemoryLimit(job.MaxMemory / 4 * 3)
	debug.SetMaxStack(maxStack)
	if err := limit(job.MaxMemory, time.Duration(job.Seconds)*time.Second); err != nil {
		return err
	}
	if err := confine(); err != nil {
		return err
	}
	if _, err := out.Write([]byte{childproto.Ready}); err != nil {
		return err
	}
	return json.MarshalWrite(out, report(job))
}

func report(job childproto.Job) childproto.Report {
	if job.Probe {
		return childproto.Report{Sandbox: tried()}
	}
	if len(job.Recognized) > 0 {
		return childproto.Report{Answer: parse.Recognized(job)}
	}
	a, err := parse.Part(os.NewFile(childproto.PartFile, "part"),
		os.NewFile(childproto.PicturesFile, "pictures"), job)
	if err != nil {
		return childproto.Report{Error: err.Error()}
	}
	return childproto.Report{Answer: a}
}
