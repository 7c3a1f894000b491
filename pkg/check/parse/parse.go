// Package parse opens the bytes of one uploaded part and reads its values. Its input is hostile: it
// belongs in the child process that package check starts, and nowhere else. What a parser reads
// from the text of a part is a row of textReaders (text.go); dossier.ParserTypes lists the parsers.
package parse

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

var (
	errTooMuch = errors.New("it has more content than can be read")
	errSize    = errors.New("it is empty or too big")
)

// Part reads an open file as what its content says. A bad file makes an answer with Unreadable; an
// error means that the file could not be read at all, which is not the fault of its content.
// Pictures of a part without text are written to pictures if the job asks for them.
func Part(f *os.File, pictures io.Writer, job childproto.Job) (childproto.Answer, error) {
	info, err := f.Stat()
	if err != nil {
		return childproto.Answer{}, fmt.Errorf("stat part: %w", err)
	}
	head := make([]byte, sniff.HeadSize)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return childproto.Answer{}, fmt.Errorf("read part: %w", err)
	}
	a := childproto.Answer{ContentType: sniff.ContentType(head[:n])}
	switch {
	case info.Size() == 0 || info.Size() > job.MaxSize:
		err = errSize
	case a.ContentType == "":
		err = errors.New("it is not a PDF, JPEG, PNG, HEIC or JSON file")
	case job.ContentType != "" && job.ContentType != a.ContentType:
		err = fmt.Errorf("it was uploaded as %s, but is %s", clip(job.ContentType), a.ContentType)
	default:
		err = read(f, info.Size(), pictures, job, &a)
	}
	if err != nil {
		return childproto.Answer{ContentType: a.ContentType, Unreadable: err.Error()}, nil
	}
	return a, nil
}

func read(f *os.File, size int64, pictures io.Writer, job childproto.Job,
	a *childproto.Answer) (err error) {
	switch a.ContentType {
	case sniff.PDF:
		err = readPDF(f, size, pictures, job, a)
		a.Text = a.Text && job.Parser != dossier.ParserBarcode // it reads pictures only
		return err
	case sniff.JSON:
		a.Object, err = jsonObject(io.NewSectionReader(f, 0, size), size)
		if job.Parser != dossier.ParserJSON {
			a.Object = nil
		}
		a.Text = a.Object != nil
		return err
	default:
		r := io.NewSectionReader(f, 0, size)
		m, orientation, err := pictureOf(a.ContentType, r, job.MaxPixels)
		if err == nil && job.Parser == dossier.ParserBarcode {
			return readBarcodes(upright(m, orientation, 0), a)
		}
		if err != nil || !job.Pictures {
			return err
		}
		return writePictures(pictures, 0, upright(m, orientation, job.Quarters), a)
	}
}

// recovered runs f. A panic, by which a parser reports a bad file, becomes an error that tells
// nothing of its content.
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
