// Package childproto is what is said between the process that checks and the child process that parses: an Order on the child's standard
// input, and on its standard output the Ready byte and a Report. Neither has to link what the other does.
package childproto

import (
	"github.com/dossierhq/dossier/pkg/check/mrz"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// Variable is the environment variable that makes a process a child that parses.
const Variable = "DOSSIER_PARSE_CHILD"

// Ready is written once the child is under its limits and before it touches the file: what ends it afterwards is the fault of the
// file.
const Ready = '+'

// Order is what a child is to do.
type Order struct {
	Request   Request `json:"request"`
	MaxMemory int64   `json:"maxMemory"` // bytes
	Seconds   int     `json:"seconds"`   // of CPU
}

// Report is what came of it.
type Report struct {
	Answer Answer `json:"answer"`
	Error  string `json:"error"` // a technical failure
}

// Request names a file and what to read from it.
type Request struct {
	Path        string               `json:"path"`
	ContentType string               `json:"contentType"` // as the upload said; "" takes what the content says
	Parser      string               `json:"parser"`      // one of the Parser constants of dossier
	Fields      []dossier.CheckField `json:"fields"`      // for the pdf parser
	MaxSize     int64                `json:"maxSize"`     // bytes
	MaxPages    int                  `json:"maxPages"`
	MaxPixels   int64                `json:"maxPixels"`
}

// Answer is what a file holds.
type Answer struct {
	ContentType string         `json:"contentType"` // by content
	Unreadable  string         `json:"unreadable"`  // why it can't be read as what it says it is; "" when it can
	Text        bool           `json:"text"`        // it has what the parser reads: text, fields or an object
	Fields      []Field        `json:"fields"`      // the pdf parser's, in the order of the request's fields
	MRZ         *mrz.Zone      `json:"mrz"`         // the mrz parser's; nil when there is none
	Object      map[string]any `json:"object"`      // the json parser's
}

// Field is the text found for a field of the check. Text is empty when there is none.
type Field struct {
	Text       string  `json:"text"`
	Confidence float64 `json:"confidence"`
}
