// Package layout puts the glyphs of a page back into lines and cells, and finds values beside their
// labels. Pure; it links no parser.
package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Glyph is one piece of text placed on a page. Lengths are in points; Y grows upwards.
type Glyph struct {
	X, Y  float64 // left end of the baseline
	W     float64 // advance width
	Size  float64 // of the font
	Text  string
	Moved bool // the program that printed it moved to a new position just before it
	// 0 to 1: 0 for text that a program printed, more for text that was recognized in a picture
	Doubt float64
}

// Cell is a piece of a line that stands apart from what is beside it.
type Cell struct {
	X0, X1 float64
	Text   string
	Doubt  float64 // the most of its glyphs
	pieces []piece
}

// Line is the text on one baseline, cells from left to right.
type Line struct {
	Y, Size float64
	Turn    int // degrees counter-clockwise by which the text is turned
	Cells   []Cell
}

// Gaps between glyphs, in parts of the font size: what separates words, and what separates cells.
const (
	wordGap = 0.17
	cellGap = 1.0
	overlap = 0.12 // two equal glyphs so near are one, printed twice to look bold
)

// Lines groups the glyphs of one page into lines, from top to bottom.
//
// Two texts that a program placed one by one may be as near as two words (a table without padding).
// They are cells when the page has space characters, so that words have one between them, and there
// is none here.
func Lines(glyphs []Glyph) []Line {
	glyphs = slices.DeleteFunc(slices.Clone(glyphs), func(g Glyph) bool {
		return g.Text == "" || !finite(g)
	})
	slices.SortStableFunc(glyphs, func(a, b Glyph) int { return cmp.Compare(b.Y, a.Y) })
	spaces := slices.ContainsFunc(glyphs, func(g Glyph) bool { return blank(g.Text) })
	var lines []Line
	for len(glyphs) > 0 {
		n := 1
		size := glyphs[0].Size
		for n < len(glyphs) && glyphs[0].Y-glyphs[n].Y < 0.35*max(size, glyphs[n].Size) {
			size = max(size, glyphs[n].Size)
			n++
		}
		if l := line(glyphs[:n], spaces); len(l.Cells) > 0 {
			lines = append(lines, l)
		}
		glyphs = glyphs[n:]
	}
	return lines
}

// line parts the glyphs of one baseline into cells.
func line(glyphs []Glyph, spaces bool) Line {
	slices.SortStableFunc(glyphs, func(a, b Glyph) int { return cmp.Compare(a.X, b.X) })
	l := Line{Y: glyphs[0].Y, Size: glyphs[0].Size}
	var text strings.Builder
	var cell Cell
	var last Glyph // the last that is not blank
	gapSeen, runes := false, 0
	flush := func() {
		if cell.Text = strings.TrimSpace(text.String()); cell.Text != "" {
			l.Cells = append(l.Cells, cell)
		}
		text.Reset()
		gapSeen, runes = false, 0
	}
	for _, g := range glyphs {
		if blank(g.Text) {
			gapSeen = true
			continue
		}
		if text.Len() == 0 {
			cell = Cell{X0: g.X, X1: g.X}
		} else {
			gap := (g.X - cell.X1) / max(g.Size, last.Size, 1)
			switch {
			case g.Text == last.Text && math.Abs(g.X-last.X) < overlap*g.Size:
				continue
			case gap > cellGap, gap > wordGap && g.Moved && spaces && !gapSeen:
				flush()
				cell = Cell{X0: g.X, X1: g.X}
			case gapSeen, gap > wordGap:
				text.WriteByte(' ')
				runes++
			}
		}
		gapSeen = false
		text.WriteString(g.Text)
		letters := utf8.RuneCountInString(g.Text)
		cell.pieces = append(cell.pieces, piece{runes, letters, g.X, g.X + g.W})
		runes += letters
		cell.X1, cell.Doubt = max(cell.X1, g.X+g.W), max(cell.Doubt, g.Doubt)
		last = g
		l.Size = max(l.Size, g.Size)
	}
	flush()
	return l
}

// Text returns the text of the line, its cells separated by a space.
func (l Line) Text() string {
	texts := make([]string, len(l.Cells))
	for i, c := range l.Cells {
		texts[i] = c.Text
	}
	return strings.Join(texts, " ")
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// finite reports whether a glyph stands at a place that a page can have.
func finite(g Glyph) bool {
	const far = 1e6
	for _, v := range []float64{g.X, g.Y, g.W, g.Size} {
		if math.IsNaN(v) || math.Abs(v) > far {
			return false
		}
	}
	return true
}
