package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// Bounds of one part: pictures that are read, all sizes of all pages, and strips of them.
const (
	maxReadings = 16
	maxStrips   = 64
)

// smallPicture is the number of pixels up to which a picture is read at both sizes in one go.
const smallPicture = 1_500_000

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

// direction holds the text that was recognized in the pictures of a part turned in one direction.
type direction struct {
	result
	job      childproto.Job // with what was recognized
	pictures []picture
}

// recognize reads the pictures that a child made of a part, upright first. If little of that is
// certain, it reads them in the other directions, too, and takes the best. A part of which nothing
// comes is one without text: a person looks at it.
func (c *Checker) recognize(ctx context.Context, deadline time.Time, part *os.File,
	job childproto.Job, first result) (result, error) {
	best, textless := direction{result: first}, first
	textless.report.Answer.Pictures = nil
	for job.Quarters = range 4 {
		made := first
		if job.Quarters > 0 {
			var err error
			if made, err = c.spawn(ctx, time.Until(deadline), part, job); err != nil {
				break
			}
		}
		d, err := c.readPictures(ctx, deadline, job, made)
		if err != nil {
			return c.unrecognized(ctx, textless, err)
		}
		a, b := d.report.Answer, best.report.Answer
		if a.CertainLetters > b.CertainLetters {
			best = d
		}
		if a.CertainLetters >= minCertain && a.CertainLetters*2 > a.Letters {
			break
		}
	}
	if !best.report.Answer.Text {
		return textless, nil
	}
	if len(best.report.Answer.Again) == 0 {
		return best.result, nil
	}
	again, err := c.readAgain(ctx, deadline, best)
	if err != nil { // what was read once is certain of nothing
		return c.unrecognized(ctx, best.result, err)
	}
	return again, nil
}

// unrecognized returns the result of a part whose pictures could not be read, or not a second time.
func (c *Checker) unrecognized(ctx context.Context, r result, err error) (result, error) {
	switch {
	case ctx.Err() != nil:
		return result{}, context.Cause(ctx)
	case errors.Is(err, errTime):
		r.cause = errTime
	default:
		c.cfg.Log.WarnContext(ctx, "text recognition failed", "error", err)
	}
	return r, nil
}

// minCertain is the number of certain letters from which a direction is taken as the right one.
const minCertain = 12

// readPictures recognizes the text of the pictures of one direction, and has a child read it. Small
// pictures are read at both sizes in one go: another start of Tesseract costs more than that.
func (c *Checker) readPictures(ctx context.Context, deadline time.Time, job childproto.Job,
	made result) (direction, error) {
	d := direction{job: job}
	var err error
	if d.pictures, err = picturesOf(made); err != nil {
		return d, err
	}
	var now []picture
	for _, p := range d.pictures {
		if p.size == 0 || p.whole <= c.small {
			now = append(now, p)
		}
	}
	texts, err := c.tesseract(ctx, time.Until(deadline), now, tesseractArgs(job.Parser)...)
	if err != nil {
		return d, err
	}
	for n, p := range now {
		for len(d.job.Recognized) <= p.page {
			d.job.Recognized = append(d.job.Recognized, childproto.Recognized{})
		}
		page := &d.job.Recognized[p.page]
		page.Readings = append(page.Readings, texts[n])
	}
	d.job.Pictures = false
	d.result, err = c.readText(ctx, deadline, d.job)
	return d, err
}

// readText has a child read what was recognized.
func (c *Checker) readText(ctx context.Context, deadline time.Time,
	job childproto.Job) (result, error) {
	r, err := c.spawn(ctx, time.Until(deadline), nil, job)
	if err == nil && r.report.Answer.Unreadable != "" {
		err = errors.New(r.report.Answer.Unreadable)
	}
	return r, err
}

// readAgain recognizes, at the second size, the bands of the pictures that a child asked for, and
// has it compare them with the first reading.
func (c *Checker) readAgain(ctx context.Context, deadline time.Time, d direction) (result, error) {
	var strips []picture
	var bands []childproto.Strip
	for _, band := range d.report.Answer.Again {
		n := slices.IndexFunc(d.pictures, func(p picture) bool {
			return p.page == band.Page && p.size == 1
		})
		if n < 0 || len(strips) >= maxStrips {
			return result{}, errors.New("the child asks for other pictures than it wrote")
		}
		strip, top := d.pictures[n].strip(band)
		strips = append(strips, strip)
		bands = append(bands, childproto.Strip{Top: top, Width: d.pictures[n].width,
			Height: d.pictures[n].height})
	}
	texts, err := c.tesseract(ctx, time.Until(deadline), strips, tesseractArgs(d.job.Parser)...)
	if err != nil {
		return result{}, err
	}
	for n, s := range strips {
		bands[n].TSV = texts[n]
		page := &d.job.Recognized[s.page]
		page.Strips = append(page.Strips, bands[n])
	}
	return c.readText(ctx, deadline, d.job)
}

// tesseractArgs are the arguments with which Tesseract writes its table of words.
func tesseractArgs(parser string) []string {
	args := []string{"stdin", "stdout", "--psm", "3", "-c", "tessedit_create_tsv=1"}
	if parser == dossier.ParserMRZ {
		args = append(args, "-c", "tessedit_char_whitelist=ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<")
	}
	return args
}

// runTesseract has Tesseract read pictures, in one process, and returns a table for each.
func (c *Checker) runTesseract(ctx context.Context, timeout time.Duration, pictures []picture,
	args ...string) ([][]byte, error) {
	text, err := c.launch(ctx, timeout, tiff(pictures), args...)
	if err != nil {
		return nil, err
	}
	texts := make([][]byte, len(pictures))
	for row := range bytes.Lines(text) {
		columns := bytes.SplitN(row, []byte("\t"), 3)
		if len(columns) < 3 {
			continue
		}
		n, err := strconv.Atoi(string(columns[1]))
		if err == nil && n >= 1 && n <= len(texts) {
			texts[n-1] = append(texts[n-1], row...)
		}
	}
	for _, t := range texts {
		if t == nil {
			return nil, errors.New("tesseract read fewer pictures than it was given")
		}
	}
	return texts, nil
}

// launch runs Tesseract in a process of its own under the limits of a child, and returns what it
// writes.
func (c *Checker) launch(ctx context.Context, timeout time.Duration, in io.Reader,
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
	cmd.Stdin, cmd.Stdout = in, out
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
