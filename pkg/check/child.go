package check

import (
	"errors"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/check/parse"
)

// marker is the environment variable that makes a process a child that parses.
const marker = "DOSSIER_PARSE_CHILD"

// order is what a child gets on its standard input.
type order struct {
	Request   parse.Request `json:"request"`
	MaxMemory int64         `json:"maxMemory"` // bytes
	Seconds   int           `json:"seconds"`   // of CPU
}

// report is what a child writes on its standard output, behind the ready byte.
type report struct {
	Answer parse.Answer `json:"answer"`
	Error  string       `json:"error"` // a technical failure
}

// ready is written once the child is under its limits and before it touches the file: what ends it afterwards is the
// fault of the file.
const ready = '+'

// maxStack ends a parser that calls itself without end long before its memory is full.
const maxStack = 64 << 20

// RunChild turns the process into a child that parses one file, when a Checker started it as one, and does not return
// then. Otherwise it does nothing. It comes first in main, before anything is opened or read.
func RunChild() {
	if os.Getenv(marker) == "" {
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// serve does the one order it reads.
func serve(in io.Reader, out io.Writer) error {
	var o order
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
	if _, err := out.Write([]byte{ready}); err != nil {
		return err
	}
	var r report
	a, err := parse.File(o.Request)
	if r.Answer = a; err != nil {
		r.Error = err.Error()
	}
	return json.MarshalWrite(out, r)
}
