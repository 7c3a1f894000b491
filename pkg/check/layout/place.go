package layout

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/dossierhq/dossier/pkg/check/printed"
)

// Place is the position of a text. Its lengths are those of the glyphs, along the direction in
// which the text runs.
type Place struct {
	Page   int // index in the pages
	Turn   int // degrees counter-clockwise by which the text is turned
	X0, X1 float64
	Y      float64 // of the baseline
	Size   float64 // of the font
}

// place is that of a cell on a line.
func (l Line) place(c Cell) Place {
	return Place{Turn: l.Turn, X0: c.X0, X1: c.X1, Y: l.Y, Size: l.Size}
}

// Place is that of the whole line.
func (l Line) Place() Place {
	last := l.Cells[len(l.Cells)-1]
	return l.place(Cell{X0: l.Cells[0].X0, X1: last.X1})
}

// placeOf is that of a text within a cell, which begins at a byte offset of the cell's normal text.
func (l Line) placeOf(c Cell, from int, text string) Place {
	p := l.place(c)
	whole := normal(c.Text)
	if len(c.pieces) == 0 || from < 0 || from+len(text) > len(whole) || text == "" {
		return p
	}
	// The two texts have as many runes, but for rare letters that are written in full.
	share := float64(utf8.RuneCountInString(c.Text)) / float64(utf8.RuneCountInString(whole))
	first := float64(utf8.RuneCountInString(whole[:from])) * share
	p.X0 = c.start(first)
	p.X1 = max(c.end(first+float64(utf8.RuneCountInString(text))*share), p.X0)
	return p
}

// normal is the text of a cell in which labels and values are looked for.
func normal(text string) string { return norm.NFKC.String(printed.Text(text)) }

// piece is one glyph in a cell.
type piece struct {
	first, n int // the runes of the cell's text before it, and its own
	x0, x1   float64
}

// start returns where the rune with an index begins, end where the one before an index ends.
func (c Cell) start(index float64) float64 {
	for _, p := range c.pieces {
		if index < float64(p.first+p.n) {
			return p.at(index)
		}
	}
	return c.X1
}

func (c Cell) end(index float64) float64 {
	x := c.X0
	for _, p := range c.pieces {
		if index <= float64(p.first) {
			break
		}
		x = p.at(index)
	}
	return x
}

// at returns the place of a rune's beginning; what stands outside the piece is at its ends.
func (p piece) at(index float64) float64 {
	part := (index - float64(p.first)) / float64(max(p.n, 1))
	return p.x0 + (p.x1-p.x0)*min(max(part, 0), 1)
}
