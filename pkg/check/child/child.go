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
	"strconv"
	"time"

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
	if err := serve(); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// serve does one job after the other until the parent closes its end.
func serve() error {
	conn, err := childproto.NewConn(os.NewFile(childproto.Socket, "socket"))
	if err != nil {
		return err
	}
	if err := enclose(os.Args[1:]); err != nil {
		return err
	}
	for {
		job, files, err := conn.ReceiveJob()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := conn.Begin(); err != nil {
			return err
		}
		r := report(job, files)
		for _, f := range files {
			_ = f.Close() // the part is read, and the parent counts what it got of the pictures
		}
		r.CPU = used()
		if err := conn.SendReport(r); err != nil {
			return err
		}
	}
}

// enclose takes the limits of the arguments upon the process, and confines it.
func enclose(args []string) error {
	memory, seconds, err := limits(args)
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(memory / 4 * 3)
	debug.SetMaxStack(maxStack)
	if err := limit(memory, seconds); err != nil {
		return err
	}
	return confine()
}

// limits returns the limits that the first two arguments say: bytes of memory, and CPU.
func limits(args []string) (memory int64, cpu time.Duration, err error) {
	if len(args) < 2 {
		return 0, 0, errors.New("no limits given")
	}
	memory, err = strconv.ParseInt(args[0], 10, 64)
	seconds, failed := strconv.Atoi(args[1])
	if err := errors.Join(err, failed); err != nil {
		return 0, 0, err
	}
	if memory <= 0 || seconds <= 0 {
		return 0, 0, errors.New("no limits given")
	}
	return memory, time.Duration(seconds) * time.Second, nil
}

func report(job childproto.Job, files []*os.File) childproto.Report {
	if job.Probe {
		return childproto.Report{Sandbox: tried()}
	}
	if len(job.Recognized) > 0 {
		return childproto.Report{Answer: parse.Recognized(job)}
	}
	if len(files) <= childproto.PartFile || job.Pictures && len(files) <= childproto.PicturesFile {
		return childproto.Report{Error: "the job came without its files"}
	}
	var pictures *os.File
	if job.Pictures {
		pictures = files[childproto.PicturesFile]
	}
	a, err := parse.Part(files[childproto.PartFile], pictures, job)
	if err != nil {
		return childproto.Report{Error: err.Error()}
	}
	return childproto.Report{Answer: a}
}
