package layout

import "slices"

// Band is a stretch of a page, as wide as it. Y grows upwards.
type Band struct {
	Page      int // index in the pages
	Top, Foot float64
}

// Bands returns the stretches of the pages in which the labels stand and whatever Find takes into
// account for their values.
func Bands(pages [][]Line, wants []Want) []Band {
	s := newSearch(wants)
	var bands []Band
	for n, lines := range pages {
		needed := make([]bool, len(lines))
		for i, l := range lines {
			bare := false
			for _, cell := range l.Cells {
				for _, m := range s.known.marks(cell.Text) {
					needed[i], bare = true, bare || m.rest == ""
				}
			}
			for j := i + 1; bare && j < len(lines) && lines[i].Y-lines[j].Y <= l.reach(); j++ {
				needed[j] = true
			}
		}
		bands = append(bands, bandsOf(n, lines, needed)...)
	}
	return bands
}

// BandsOf returns the stretches of the pages in which lines stand whose text is one of the texts.
func BandsOf(pages [][]Line, is func(text string) bool) []Band {
	var bands []Band
	for n, lines := range pages {
		needed := make([]bool, len(lines))
		for i, l := range lines {
			needed[i] = is(l.Text())
		}
		bands = append(bands, bandsOf(n, lines, needed)...)
	}
	return bands
}

// bandsOf returns the stretches that needed lines make which follow one another.
func bandsOf(page int, lines []Line, needed []bool) []Band {
	var bands []Band
	for i := 0; i < len(lines); i++ {
		if !needed[i] {
			continue
		}
		last := i
		for last+1 < len(lines) && needed[last+1] {
			last++
		}
		b := Band{Page: page, Top: lines[i].Y + lines[i].Size, Foot: lines[last].Y}
		above, below := lines[i].Size, lines[last].Size
		if i > 0 {
			above = (lines[i-1].Y - b.Top) / 2
		}
		if last+1 < len(lines) {
			below = (b.Foot - lines[last+1].Y - lines[last+1].Size) / 2
		}
		b.Top += margin(above, lines[i].Size)
		b.Foot -= margin(below, lines[last].Size)
		bands = append(bands, b)
		i = last
	}
	return slices.Clip(bands)
}

// margin bounds the white space beside a line: letters need some, and it has no other line.
func margin(white, size float64) float64 { return min(max(white, 0.15*size), size) }
