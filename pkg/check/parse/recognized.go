package parse

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/layout"
	"github.com/dossierhq/dossier/pkg/check/mrz"
	"github.com/dossierhq/dossier/pkg/check/printed"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// A recognized word counts as certain from certainWord on. A picture in which fewer letters than
// minLetters stand in such words has no text.
const (
	certainWord = 0.8
	minLetters  = 8
)

// Recognized reads the values of a job from what was recognized in the pictures of a part. A value
// is as certain as the least certain of its words, more so if another reading of the picture says
// the same, and not at all if it differs.
func Recognized(job childproto.Job) childproto.Answer {
	a := childproto.Answer{ContentType: job.ContentType, Recognized: true}
	read := textReaders[job.Parser]
	if read == nil || len(job.Recognized) == 0 {
		return a
	}
	for n := range job.Recognized[0].Readings {
		var t text
		for _, page := range job.Recognized {
			if n < len(page.Readings) {
				words := recognizedWords(string(page.Readings[n]))
				if n == 0 {
					count(words, &a)
				}
				t.pages = append(t.pages, layout.Lines(words))
			}
		}
		one := childproto.Answer{}
		read(t, job, &one)
		one.MRZDoubt = zoneDoubt(t.pages, one.MRZ)
		if one.MRZ != nil {
			one.MRZ.Lines = one.MRZ.Lettered()
		}
		if n == 0 {
			a.Fields, a.MRZ, a.MRZDoubt = one.Fields, one.MRZ, one.MRZDoubt
		} else {
			compare(&a, one, job.Fields)
		}
	}
	a.Text = a.CertainLetters >= minLetters
	return a
}

// recognizedWords reads the words of a page from Tesseract's TSV: a row of twelve columns for each
// page, block, paragraph, line and word. Each word stands on the foot of its line.
func recognizedWords(tsv string) []layout.Glyph {
	const rowLine, rowWord = "4", "5"
	var words []layout.Glyph
	foot, height := 0.0, 0.0
	for row := range strings.Lines(tsv) {
		c := strings.Split(strings.TrimRight(row, "\r\n"), "\t")
		if len(c) != 12 {
			continue
		}
		switch c[0] {
		case rowLine:
			foot, height = number(c[7])+number(c[9]), number(c[9])
		case rowWord:
			if text := printed.Text(c[11]); text != "" && len(words) < maxGlyphs {
				words = append(words, layout.Glyph{X: number(c[6]), Y: -foot, W: number(c[8]),
					Size: height, Text: text, Doubt: min(max(1-number(c[10])/100, 0), 1)})
			}
		}
	}
	return words
}

// number returns the number of a column, 0 for what is none.
func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return n
}

// count counts the letters and digits of recognized words.
func count(words []layout.Glyph, a *childproto.Answer) {
	for _, w := range words {
		for _, r := range w.Text {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				continue
			}
			if a.Letters++; 1-w.Doubt >= certainWord {
				a.CertainLetters++
			}
		}
	}
}

// zoneDoubt is that of the least certain line of a zone.
func zoneDoubt(pages [][]layout.Line, zone *mrz.Zone) (doubt float64) {
	if zone == nil {
		return 0
	}
	for _, page := range pages {
		for _, l := range page {
			if !slices.Contains(zone.Lines, strings.Join(strings.Fields(l.Text()), "")) {
				continue
			}
			for _, c := range l.Cells {
				doubt = max(doubt, c.Doubt)
			}
		}
	}
	return doubt
}

// compare takes another reading into account.
func compare(a *childproto.Answer, other childproto.Answer, fields []dossier.CheckField) {
	for i := range a.Fields {
		one, two := &a.Fields[i], other.Fields[i]
		one.Confidence = min(one.Confidence, two.Confidence)
		switch {
		case one.Text != two.Text, likeLabel(one.Text, fields):
			one.Doubt = 1
		case fields[i].Type == dossier.FieldText:
			one.Doubt = codeDoubt(one.Text, one.Doubt, two.Doubt)
		case fields[i].Type == dossier.FieldDate:
			one.Doubt = bothWrong(one.Doubt, two.Doubt, agreedDate)
		default:
			one.Doubt = bothWrong(one.Doubt, two.Doubt, agreed)
		}
		if one.Text == "" {
			one.Text = two.Text
		}
	}
	switch {
	case a.MRZ == nil:
		a.MRZ, a.MRZDoubt = other.MRZ, 1
	case other.MRZ == nil || !slices.Equal(a.MRZ.Lines, other.MRZ.Lines):
		a.MRZDoubt = 1
	default:
		a.MRZDoubt = bothWrong(a.MRZDoubt, other.MRZDoubt, agreed)
	}
}
