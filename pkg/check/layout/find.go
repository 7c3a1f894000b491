package layout

import (
	"math"
	"strings"
	"unicode"

	"github.com/dossierhq/dossier/pkg/check/printed"
)

// Want is a label to look for, and a test of its value; nil accepts every text.
type Want struct {
	Label  string
	Accept func(string) bool
}

// Found is the value that stands beside a label. Text is empty if either is missing.
type Found struct {
	Text       string
	Confidence float64 // 0 to 1: the certainty that the value belongs to the label
	Doubt      float64 // 0 to 1: of the text of both, the most of its glyphs
	Place      Place
}

// certainty is that of the place or of the text, whichever is less.
func (f Found) certainty() float64 { return min(f.Confidence, 1-f.Doubt) }

// The certainty that a value belongs to a label, by its place.
const (
	plain   = 0.98 // behind the label and a colon
	beside  = 0.95 // in the next cell
	under   = 0.9  // in the column of a header
	spaced  = 0.8  // behind the label, with nothing but a space between
	follows = 0.75 // on the next line
)

// Find looks for the value of every label in the pages of a document. Of several the most certain
// wins, then the first; one that its Accept refuses only if there is no other.
func Find(pages [][]Line, wants []Want) []Found {
	s := newSearch(wants)
	for page, lines := range pages {
		s.page = page
		for i := range lines {
			s.line(lines, i)
		}
	}
	found := make([]Found, len(wants))
	for i, w := range wants {
		found[i] = choose(s.best[printed.Fold(w.Label)], w.Accept)
	}
	return found
}

// choose returns the most certain candidate that is accepted, or else the most certain of all.
func choose(candidates []Found, accept func(string) bool) Found {
	var best, refused Found
	for _, c := range candidates {
		switch {
		case accept == nil || accept(c.Text):
			if best.Text == "" || c.certainty() > best.certainty() {
				best = c
			}
		case refused.Text == "" || c.certainty() > refused.certainty():
			refused = c
		}
	}
	if best.Text == "" {
		return refused
	}
	return best
}

// maxCandidates bounds the places that are kept for one label.
const maxCandidates = 200

type search struct {
	known labels
	best  map[string][]Found // candidates by folded label
	page  int
}

func newSearch(wants []Want) *search {
	s := &search{known: labels{}, best: map[string][]Found{}}
	for _, w := range wants {
		if label := printed.Fold(w.Label); label != "" {
			s.known[label] = true
		}
	}
	return s
}

// add keeps a candidate. Its confidence is that of where it stands to its label.
func (s *search) add(label, text string, certainty float64, at Place, cells ...Cell) {
	text = strings.TrimSpace(text)
	if text == "" || len(s.best[label]) >= maxCandidates {
		return
	}
	found := Found{Text: normal(text), Confidence: certainty, Place: at}
	found.Place.Page = s.page
	for _, c := range cells {
		found.Doubt = max(found.Doubt, c.Doubt)
	}
	s.best[label] = append(s.best[label], found)
}

// line adds the values of all labels on a line.
func (s *search) line(lines []Line, i int) {
	cells := lines[i].Cells
	for c, cell := range cells {
		for _, m := range s.known.marks(cell.Text) {
			switch {
			case m.rest == "":
				s.neighbours(lines, i, c, m)
			case m.delimited:
				s.add(m.label, m.rest, plain, lines[i].placeOf(cell, m.from, m.rest), cell)
			case c+1 == len(cells) || valueLike(m.rest):
				s.add(m.label, m.rest, spaced, lines[i].placeOf(cell, m.from, m.rest), cell)
			}
		}
	}
}

// neighbours adds the value of a cell that holds nothing but a label: in the next cell, or below
// it.
func (s *search) neighbours(lines []Line, i, c int, m mark) {
	cells := lines[i].Cells
	next := c + 1
	for next < len(cells) && strings.TrimFunc(cells[next].Text, printed.Leader) == "" {
		next++
	}
	header := s.header(lines, i, c)
	if next < len(cells) && !s.isLabel(cells[next].Text) && !header {
		s.add(m.label, cells[next].Text, beside, lines[i].place(cells[next]), cells[c],
			cells[next])
		return
	}
	if below, at, ok := s.below(lines, i, c); ok {
		switch {
		case header:
			s.add(m.label, below.Text, under, at, cells[c], below)
		case next >= len(cells):
			s.add(m.label, below.Text, follows, at, cells[c], below)
		}
	}
}

// header reports whether a cell with a label is the head of a column: a label is beside it, or the
// line has three cells and more without a digit, and as many stand below.
func (s *search) header(lines []Line, i, c int) bool {
	cells := lines[i].Cells
	if c > 0 && s.bareLabel(cells[c-1].Text) || c+1 < len(cells) && s.bareLabel(cells[c+1].Text) {
		return true
	}
	if len(cells) < 3 || i+1 >= len(lines) || len(lines[i+1].Cells) != len(cells) {
		return false
	}
	return !strings.ContainsFunc(lines[i].Text(), unicode.IsDigit) &&
		!strings.Contains(lines[i].Text(), ":") &&
		strings.ContainsFunc(lines[i+1].Text(), unicode.IsDigit)
}

// below finds the cell in the column of a cell on the next line that has one there.
func (s *search) below(lines []Line, i, c int) (Cell, Place, bool) {
	left, right := math.Inf(-1), math.Inf(1)
	cells := lines[i].Cells
	if c > 0 {
		left = cells[c-1].X1
	}
	if c+1 < len(cells) {
		right = cells[c+1].X0
	}
	for _, l := range lines[i+1:] {
		if lines[i].Y-l.Y > lines[i].reach() {
			break
		}
		for _, cell := range l.Cells {
			middle := (cell.X0 + cell.X1) / 2
			if middle <= left || middle >= right || len(cells) == 1 && cell.X0 < cells[0].X0-1 {
				continue
			}
			return cell, l.place(cell), !s.isLabel(cell.Text)
		}
	}
	return Cell{}, Place{}, false
}

// reach returns the most by which a value stands below its label.
func (l Line) reach() float64 { return 4 * max(l.Size, 8) }

// isLabel reports whether a text begins with a label; bareLabel whether it is nothing else.
func (s *search) isLabel(text string) bool {
	m := s.known.marks(text)
	return len(m) > 0 && (m[0].rest == "" || m[0].delimited)
}

func (s *search) bareLabel(text string) bool { return s.known[printed.Fold(text)] }

// valueLike reports whether a text is a value and not the rest of a longer label: it has a digit,
// or no small letter.
func valueLike(s string) bool {
	return strings.ContainsFunc(s, unicode.IsDigit) || !strings.ContainsFunc(s, unicode.IsLower)
}
