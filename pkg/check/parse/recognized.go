package parse

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/layout"
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
// is as certain as the least certain of its words in both readings of the picture, and not at all
// if they differ, or if its place was not read again.
func Recognized(job childproto.Job) childproto.Answer {
	a := childproto.Answer{ContentType: job.ContentType, Recognized: true}
	read := textReaders[job.Parser]
	if read == nil || len(job.Recognized) == 0 {
		return a
	}
	for n := range readings {
		t := recognizedText(job, n)
		one := childproto.Answer{}
		read(t, job, &one)
		spell(&one, job.Fields)
		lines := []string(nil)
		if one.MRZ != nil {
			lines = one.MRZ.Lines
			one.MRZ.Lines = one.MRZ.Lettered()
			one.MRZ.Lines = one.MRZ.Repaired()
		}
		if n > 0 {
			compare(&a, one, job.Fields)
			continue
		}
		a.Fields, a.MRZ = one.Fields, one.MRZ
		a.MRZDoubt, a.MRZPlace = one.MRZDoubt, one.MRZPlace
		count(t, &a)
		if a.Text = a.CertainLetters >= minLetters; a.Text {
			a.Again = again(t, job, a, lines)
		}
	}
	for n := range a.Fields {
		a.Fields[n].Recognized = true
	}
	return a
}

// recognizedText is the text of all pages at one size.
func recognizedText(job childproto.Job, n int) (t text) {
	for _, page := range job.Recognized {
		var words []layout.Glyph
		var shown frame
		if n < len(page.Readings) {
			words, shown = recognizedWords(string(page.Readings[n]), job.Quarters)
		}
		for _, strip := range page.Strips {
			if n < len(page.Readings) {
				break
			}
			more, _ := recognizedWords(string(strip.TSV), job.Quarters)
			for _, w := range more {
				w.Y -= float64(strip.Top)
				words = append(words, w)
			}
			shown = pictureFrame(float64(strip.Width), float64(strip.Height), job.Quarters)
		}
		t.words = append(t.words, words)
		t.pages = append(t.pages, layout.Lines(words))
		t.frames = append(t.frames, shown)
	}
	return t
}

// again returns what is to be read at the second size of the pages that were read at the first
// only: where labels and values stand, or the zone with the lines; everything if one is missing.
func again(t text, job childproto.Job, a childproto.Answer, zone []string) []childproto.Band {
	missing := slices.ContainsFunc(a.Fields, func(f childproto.Field) bool { return f.Text == "" })
	var bands []layout.Band
	switch {
	case job.Parser == dossier.ParserMRZ:
		missing = zone == nil
		bands = layout.BandsOf(t.pages, func(line string) bool {
			return slices.Contains(zone, strings.Join(strings.Fields(line), ""))
		})
	default:
		bands = layout.Bands(t.pages, wants(job.Fields))
	}
	var read []childproto.Band
	for n, page := range job.Recognized {
		if len(page.Readings) != 1 || len(page.Strips) > 0 {
			continue
		}
		if missing {
			read = append(read, childproto.Band{Page: n, Foot: 1})
			continue
		}
		for _, b := range bands {
			if h := t.frames[n].h; b.Page == n && h > 0 {
				read = append(read, childproto.Band{Page: n, Top: clamp(-b.Top / h),
					Foot: clamp(-b.Foot / h)})
			}
		}
	}
	return read
}

// recognizedWords reads the words of a page, and how the page is shown, from Tesseract's TSV: a row
// of twelve columns for each page, block, paragraph, line and word. Each word stands on the foot of
// its line.
func recognizedWords(tsv string, quarters int) (words []layout.Glyph, shown frame) {
	const rowPage, rowLine, rowWord = "1", "4", "5"
	foot, height := 0.0, 0.0
	for row := range strings.Lines(tsv) {
		c := strings.Split(strings.TrimRight(row, "\r\n"), "\t")
		if len(c) != 12 {
			continue
		}
		switch c[0] {
		case rowPage:
			shown = pictureFrame(number(c[8]), number(c[9]), quarters)
		case rowLine:
			foot, height = number(c[7])+number(c[9]), number(c[9])
		case rowWord:
			if text := printed.Text(c[11]); text != "" && len(words) < maxGlyphs {
				words = append(words, layout.Glyph{X: number(c[6]), Y: -foot, W: number(c[8]),
					Size: height, Text: text, Doubt: min(max(1-number(c[10])/100, 0), 1)})
			}
		}
	}
	return words, shown
}

// number returns the number of a column, 0 for what is none.
func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return n
}

// count counts the letters and digits of recognized words. Tesseract reads words that run down a
// picture, too; the picture has to be turned then, so that labels stand beside their values.
func count(t text, a *childproto.Answer) {
	const narrow = 1. / 8 // of the height of a line, for each letter
	for _, w := range slices.Concat(t.words...) {
		n := utf8.RuneCountInString(w.Text)
		down := n > 2 && w.W < w.Size*narrow*float64(n)
		for _, r := range w.Text {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				continue
			}
			if a.Letters++; 1-w.Doubt >= certainWord && !down {
				a.CertainLetters++
			}
		}
	}
}

// spell writes the values of fields that have a pattern as it says. One that it does not fit is
// certain of nothing.
func spell(a *childproto.Answer, fields []dossier.CheckField) {
	for i := range a.Fields {
		form, err := fields[i].Form()
		if err != nil || form == nil || a.Fields[i].Text == "" {
			continue
		}
		text, _, fits := spelled(a.Fields[i].Text, form)
		if a.Fields[i].Text = text; !fits {
			a.Fields[i].Doubt = 1
		}
	}
}

// byForm is the part of the doubt that stays when a pattern decides what two readings agree on: the
// rest was about letters that look alike.
const byForm = 0.5

// A zero with a stroke is read as a nine, twice, with a confidence of 0.91: the doubt of a text
// with a nine counts that often.
const (
	nine      = '9'
	nineDoubt = 2
)

// decided reports whether a field has a pattern that leaves no other text that looks the same.
func decided(text string, field dossier.CheckField) bool {
	form, err := field.Form()
	if err != nil || form == nil {
		return false
	}
	_, only, _ := spelled(text, form)
	return only
}

// compare takes another reading into account.
func compare(a *childproto.Answer, other childproto.Answer, fields []dossier.CheckField) {
	for i := range a.Fields {
		one, two := &a.Fields[i], other.Fields[i]
		one.Confidence = min(one.Confidence, two.Confidence)
		switch {
		case one.Text != two.Text, likeLabel(one.Text, fields):
			one.Doubt = 1
		case decided(one.Text, fields[i]):
			one.Doubt = max(one.Doubt, two.Doubt)
			if !strings.ContainsRune(one.Text, nine) {
				one.Doubt *= byForm
			}
		case fields[i].Type == dossier.FieldText:
			one.Doubt = codeDoubt(one.Text, one.Doubt, two.Doubt)
		default:
			one.Doubt = max(one.Doubt, two.Doubt)
		}
		if strings.ContainsRune(one.Text, nine) {
			one.Doubt = min(1, nineDoubt*one.Doubt)
		}
		if one.Text == "" {
			one.Text, one.Place = two.Text, two.Place
		}
	}
	switch {
	case a.MRZ == nil:
		a.MRZ, a.MRZDoubt, a.MRZPlace = other.MRZ, 1, other.MRZPlace
	case other.MRZ == nil || !slices.Equal(a.MRZ.Lines, other.MRZ.Lines):
		a.MRZDoubt = 1
	default:
		a.MRZDoubt = max(a.MRZDoubt, other.MRZDoubt)
	}
}
