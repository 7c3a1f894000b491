package layout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBands holds the stretches around labels: with what may be a value below a bare label, and up
// to half the white space beside them.
func TestBands(t *testing.T) {
	t.Parallel()
	glyph := func(y float64, text string) Glyph {
		return Glyph{X: 10, Y: y, W: 10 * float64(len(text)), Size: 10, Text: text}
	}
	lines := Lines([]Glyph{glyph(300, "Title"), glyph(280, "Class: CE"), glyph(260, "Remark"),
		glyph(200, "Number"), glyph(184, "7"), glyph(100, "Foot")})
	got := Bands([][]Line{nil, lines}, []Want{{Label: "Class"}, {Label: "Number"}, {Label: ""}})
	want := []Band{{Page: 1, Top: 295, Foot: 275}, {Page: 1, Top: 220, Foot: 174}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = BandsOf([][]Line{lines}, func(text string) bool { return text == "Foot" })
	if d := cmp.Diff([]Band{{Top: 120, Foot: 90}}, got); d != "" {
		t.Error(d)
	}
}
