// Package parse opens the bytes of one uploaded part and reads its values. Its input is hostile: it belongs into the
// child process that package check starts, and nowhere else.
package parse

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dossierhq/dossier/pkg/check/mrz"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

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

var (
	errTooMuch = errors.New("it holds more than can be read")
	errSize    = errors.New("it is empty or too big")
)

// File opens a file as what its content says and reads it. A bad file makes an answer with Unreadable; an error
// means that the file could not be opened at all, which is not the fault of its content.
func File(r Request) (Answer, error) {
	f, err := os.Open(r.Path)
	if err != nil {
		return Answer{}, fmt.Errorf("open part: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Answer{}, fmt.Errorf("stat part: %w", err)
	}
	head := make([]byte, sniff.HeadSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return Answer{}, fmt.Errorf("read part: %w", err)
	}
	a := Answer{ContentType: sniff.ContentType(head[:n])}
	switch {
	case info.Size() == 0 || info.Size() > r.MaxSize:
		err = errSize
	case a.ContentType == "":
		err = errors.New("it is no PDF, JPEG, PNG or JSON")
	case r.ContentType != "" && r.ContentType != a.ContentType:
		err = fmt.Errorf("it says %s, but is %s", clip(r.ContentType), a.ContentType)
	default:
		err = read(f, info.Size(), r, &a)
	}
	if err != nil {
		return Answer{ContentType: a.ContentType, Unreadable: err.Error()}, nil
	}
	return a, nil
}

func read(f *os.File, size int64, r Request, a *Answer) (err error) {
	switch a.ContentType {
	case sniff.PDF:
		return readPDF(f, size, r, a)
	case sniff.JSON:
		a.Object, err = object(io.NewSectionReader(f, 0, size), size)
		if r.Parser != dossier.ParserJSON {
			a.Object = nil
		}
		a.Text = a.Object != nil
		return err
	default:
		return picture(io.NewSectionReader(f, 0, size), r.MaxPixels)
	}
}

// recovered runs f; a panic, by which a parser reports a bad file, becomes an error that says nothing of its content.
func recovered(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			if err = errors.New("it is damaged"); errors.Is(r, errTooMuch) {
				err = errTooMuch
			}
		default:
			err = errors.New("it is damaged")
		}
	}()
	f()
	return nil
}

func clip(s string) string { return s[:min(len(s), 100)] }
