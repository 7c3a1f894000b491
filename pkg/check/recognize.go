package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// maxReadings bounds the pictures of one part in which text is recognized, all sizes of all pages.
const maxReadings = 16

// recognizeScan reads the pictures of a PDF whose text lacks a value, and puts what is recognized
// beside what the text has. The time and memory that its pictures take are not held against it: a
// person looks at it then.
func (c *Checker) recognizeScan(ctx context.Context, deadline time.Time, part *os.File,
	job childproto.Job, printed result) (result, error) {
	job.Pictures = true
	made, err := c.spawn(ctx, time.Until(deadline), part, job)
	if err != nil {
		return result{}, err
	}
	read := printed
	read.cause = made.cause
	if len(made.report.Answer.Pictures) > 0 {
		made.report.Answer.Text = false // only what is recognized counts
		made.report.Answer.Fields = nil
		if read, err = c.recognize(ctx, deadline, part, job, made); err != nil {
			return result{}, err
		}
	}
	found, text := &read.report.Answer, printed.report.Answer
	for n, f := range text.Fields {
		switch {
		case n >= len(found.Fields):
			found.Fields = append(found.Fields, f)
		case f.Text != "":
			found.Fields[n] = f
		}
	}
	found.Text = found.Text || text.Text
	found.Unreadable, found.Pictures, found.Recognized = "", nil, true
	return read, nil
}

// recognize reads the pictures that a child made of a part, upright first. If little of that is
// certain, it reads them in the other directions, too, and takes the best. A part of which nothing
// comes is one without text: a person looks at it.
func (c *Checker) recognize(ctx context.Context, deadline time.Time, part *os.File,
	job childproto.Job, first result) (result, error) {
	best, textless := first, first
	textless.report.Answer.Pictures = nil
	for job.Quarters = range 4 {
		made := first
		if job.Quarters > 0 {
			var err error
			if made, err = c.spawn(ctx, time.Until(deadline), part, job); err != nil {
				break
			}
		}
		r, err := c.readPictures(ctx, deadline, job, made)
		if ctx.Err() != nil {
			return result{}, context.Cause(ctx)
		}
		if errors.Is(err, errTime) {
			textless.cause = errTime
			return textless, nil
		}
		if err != nil {
			c.cfg.Log.WarnContext(ctx, "text recognition failed", "error", err)
			return textless, nil
		}
		a, b := r.report.Answer, best.report.Answer
		if a.CertainLetters > b.CertainLetters {
			best = r
		}
		if a.CertainLetters >= minCertain && a.CertainLetters*2 > a.Letters {
			break
		}
	}
	if !best.report.Answer.Text {
		return textless, nil
	}
	return best, nil
}

// minCertain is the number of certain letters from which a direction is taken as the right one.
const minCertain = 12

// readPictures recognizes the text of the pictures of one direction, and has a child read it.
func (c *Checker) readPictures(ctx context.Context, deadline time.Time, job childproto.Job,
	made result) (result, error) {
	if len(made.report.Answer.Pictures) > maxReadings {
		return result{}, errors.New("the part has too many pictures")
	}
	files := made.pictures
	for _, p := range made.report.Answer.Pictures {
		if p.Bytes <= 0 || p.Bytes > int64(len(files)) || p.Page < 0 || p.Page >= maxReadings {
			return result{}, errors.New("the child wrote other pictures than it says")
		}
		tsv, err := c.tesseract(ctx, time.Until(deadline), files[:p.Bytes],
			tesseractArgs(job.Parser)...)
		if err != nil {
			return result{}, err
		}
		for len(job.Recognized) <= p.Page {
			job.Recognized = append(job.Recognized, childproto.Recognized{})
		}
		page := &job.Recognized[p.Page]
		page.Readings = append(page.Readings, tsv)
		files = files[p.Bytes:]
	}
	job.Pictures = false
	r, err := c.spawn(ctx, time.Until(deadline), nil, job)
	if err == nil && r.report.Answer.Unreadable != "" {
		err = errors.New(r.report.Answer.Unreadable)
	}
	return r, err
}

// tesseractArgs are the arguments with which Tesseract writes its table of words.
func tesseractArgs(parser string) []string {
	args := []string{"stdin", "stdout", "--psm", "3", "-c", "tessedit_create_tsv=1"}
	if parser == dossier.ParserMRZ {
		args = append(args, "-c", "tessedit_char_whitelist=ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<")
	}
	return args
}

// launch runs Tesseract in a process of its own under the limits of a child, and returns what it
// writes.
func (c *Checker) launch(ctx context.Context, timeout time.Duration, in []byte,
	args ...string) ([]byte, error) {
	timed, cancel := context.WithTimeoutCause(ctx, timeout, errTime)
	defer cancel()
	limited, kill := context.WithCancelCause(timed)
	defer kill(nil)
	cmd, err := c.command(limited, childproto.Launcher, append([]string{
		strconv.FormatInt(c.cfg.MaxMemory, 10), strconv.Itoa(int(timeout/time.Second) + 1),
		c.cfg.Tesseract}, args...)...)
	if err != nil {
		return nil, err
	}
	out := &limitedBuffer{limit: maxAnswer, over: func() { kill(errAnswer) }}
	cmd.Stdin, cmd.Stdout = bytes.NewReader(in), out
	err = c.run(cmd, func() { kill(errMemory) })
	if cause := context.Cause(limited); cause != nil {
		return nil, cause
	}
	text, ready := bytes.CutPrefix(out.Bytes(), []byte{childproto.Ready})
	if err != nil || !ready {
		return nil, fmt.Errorf("run %s: %w", c.cfg.Tesseract, err)
	}
	return text, nil
}

// Tesseract returns the first line that Tesseract writes of its version. It runs under the limits
// of a child.
func (c *Checker) Tesseract(ctx context.Context) (string, error) {
	text, err := c.launch(ctx, c.cfg.SmallTimeout, nil, "--version")
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line), nil
}

// FindTesseract returns the absolute path of Tesseract: the given one, or else the first in the
// search path. It is "" where there is none, or "off" is given.
func FindTesseract(given string) (string, error) {
	if given == "off" {
		return "", nil
	}
	path, err := exec.LookPath(cmp.Or(given, "tesseract"))
	if err != nil && given == "" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
