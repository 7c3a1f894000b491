// Package childproto is the protocol between the process that checks and the child process that
// parses. They share a socket. A Job and its open files, the part first, are answered by the Ready
// byte and a Report; then the child waits for its next Job. Neither side has to link what the other
// does.
package childproto

import (
	"github.com/dossierhq/dossier/pkg/check/mrz"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// Name is the zeroth argument of a process that is started as a child that parses. The other
// arguments are its bytes of memory and its seconds of CPU. A child has no environment.
const Name = "dossier-parse"

// Socket is the descriptor of the child's end of the socket.
const Socket = 3

// The places of the open files of a Job.
const (
	PartFile     = 0 // the part
	PicturesFile = 1 // takes the pictures of a Job that asks for them
)

// Launcher is the zeroth argument of a process that takes limits upon itself and becomes the
// program that recognizes text. The other arguments are the bytes of memory, the seconds of CPU,
// the program's path and the program's arguments. It writes Ready and is the program from then on.
const Launcher = "dossier-recognize"

// NotStarted is the exit status of a Launcher that could not become the program.
const NotStarted = 126

// Ready is written once the child is confined and has a Job, and before it touches the part:
// whatever ends it afterwards is the fault of the part.
const Ready = '+'

// Job is the input of a child: the parser and expected content of one part, and the limits.
type Job struct {
	// Company is the one whose parts the child may read after this one. "" ends it. It is not sent.
	Company string `json:"-"`

	Probe       bool                 `json:"probe"`       // report the Sandbox and read nothing
	ContentType string               `json:"contentType"` // as the upload said; "" takes any
	Parser      string               `json:"parser"`      // one of the Parser constants of dossier
	Fields      []dossier.CheckField `json:"fields"`      // for a parser that reads declared fields
	MaxSize     int64                `json:"maxSize"`     // bytes
	MaxPages    int                  `json:"maxPages"`
	MaxPixels   int64                `json:"maxPixels"`

	// write the pictures of a part without text to PicturesFile, and list them in the Answer
	Pictures bool `json:"pictures"`
	// references of values; of a PDF whose text has them, pictures are not read. None: all fields
	Required []string `json:"required"`
	Quarters int      `json:"quarters"` // turns of 90 degrees clockwise that these get

	// Recognized is the text recognized in the pictures of a part, to be read instead of the part
	Recognized []Recognized `json:"recognized"`
}

// Picture is one picture in the bytes of PicturesFile: a page of the part, grey and upright, a byte
// for each pixel. They follow one another, the sizes of a page from the first to the last.
type Picture struct {
	Page   int `json:"page"` // from 0
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Band is a stretch of a page that is to be read at the second size, too.
type Band struct {
	Page int     `json:"page"` // from 0
	Top  float64 `json:"top"`  // fractions of the height of the picture, from its upper edge
	Foot float64 `json:"foot"`
}

// Recognized is the text of one page as Tesseract's TSV: at the first size, and at the second
// either whole or in strips.
type Recognized struct {
	Readings [][]byte `json:"readings"`
	Strips   []Strip  `json:"strips"`
}

// Strip is the text of a band. Its lengths are pixels of the second size.
type Strip struct {
	Top    int    `json:"top"`   // of the page that are above it
	Width  int    `json:"width"` // of the page
	Height int    `json:"height"`
	TSV    []byte `json:"tsv"`
}

// Report is the result of a Job.
type Report struct {
	Answer  Answer  `json:"answer"`
	Sandbox Sandbox `json:"sandbox"` // of a probe
	Error   string  `json:"error"`   // a technical failure

	CPU int64 `json:"cpu"` // nanoseconds that the child has used since it was started
}

// Sandbox lists the operations that a child can't do. Each was tried in the child.
type Sandbox struct {
	NoFiles      bool `json:"noFiles"`      // open a file
	NoNetwork    bool `json:"noNetwork"`    // make a socket
	NoPrograms   bool `json:"noPrograms"`   // start a program
	NoPrivileges bool `json:"noPrivileges"` // gain privileges
}

// Complete reports whether the sandbox denies everything that it should.
func (s Sandbox) Complete() bool {
	return s.NoFiles && s.NoNetwork && s.NoPrograms && s.NoPrivileges
}

// Answer is the content of a part.
type Answer struct {
	ContentType string `json:"contentType"` // by content
	// why it can't be read as what it says it is; "" when it can
	Unreadable string `json:"unreadable"`
	// it has what the parser reads: text, fields or an object
	Text   bool           `json:"text"`
	Fields []Field        `json:"fields"` // in the order of the job's fields
	MRZ    *mrz.Zone      `json:"mrz"`    // the mrz parser's; nil when there is none
	Object map[string]any `json:"object"` // the values of every other parser, by reference

	Scanned    bool      `json:"scanned"`    // a PDF with pictures, and not all values in its text
	Pictures   []Picture `json:"pictures"`   // of a job that asks for them
	Again      []Band    `json:"again"`      // to be read before what was recognized is certain
	Recognized bool      `json:"recognized"` // the text was recognized in pictures
	// the letters and digits of a recognized text in words that are certain, and all
	CertainLetters int     `json:"certainLetters"`
	Letters        int     `json:"letters"`
	MRZDoubt       float64 `json:"mrzDoubt"` // 0 to 1: that a recognized zone is another
	MRZPlace       Place   `json:"mrzPlace"`
}

// Place locates a text in a part. A form field has none.
type Place struct {
	Page int          `json:"page"` // from 1; 0 if it is not known
	Box  *dossier.Box `json:"box"`
}

// Field is the text found for a field of the check. Text is empty when there is none.
type Field struct {
	Text       string  `json:"text"`
	Confidence float64 `json:"confidence"`
	Doubt      float64 `json:"doubt"` // 0 to 1: that a recognized text is another
	Place      Place   `json:"place"`
	Recognized bool    `json:"recognized"` // the text was recognized in a picture
}
