// Package child is the process in which uploaded files are parsed. It links every parser; the process that checks links none.
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

// maxStack ends a parser that calls itself without end long before its memory is full.
const maxStack = 64 << 20

// Run turns the process into a child that parses one file, when a Checker started it as one, and does not return
// then. Otherwise it does nothing. It comes first in main, before anything is opened or read.
func Run() {
	if os.Getenv(childproto.Variable) == "" {
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// serve does the one order it reads.
func serve(in io.Reader, out io.Writer) error {
	var o childproto.Order
	if err := json.UnmarshalRead(in, &o); err != nil {
		return err
	}
	if o.MaxMemory <= 0 || o.Seconds <= 0 {
		return errors.New("no limits given")
	}
	debug.SetMemoryLimit(o.MaxMemory / 4 * 3)
	debug.SetMaxStack(maxStack)
	if err := limit(o.MaxMemory, time.Duration(o.Seconds)*time.Second); err != nil {
		return err
	}
	if _, err := out.Write([]byte{childproto.Ready}); err != nil {
		return err
	}
	var r childproto.Report
	a, err := parse.File(o.Request)
	if r.Answer = a; err != nil {
		r.Error = err.Error()
	}
	return json.MarshalWrite(out, r)
}
