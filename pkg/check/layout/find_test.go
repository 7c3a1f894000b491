package layout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/check/printed"
)

// pageOf makes a page from lines of text: cells are set apart by |, and start where they stand in
// the text.
func pageOf(text string) []Line {
	var lines []Line
	for i, row := range strings.Split(text, "\n") {
		l := Line{Y: float64(700 - 14*i), Size: 10}
		x := 0
		for cell := range strings.SplitSeq(row, "|") {
			if t := strings.TrimSpace(cell); t != "" {
				start := x + strings.Index(cell, t)
				l.Cells = append(l.Cells, Cell{X0: float64(6 * start),
					X1: float64(6 * (start + len(t))), Text: t})
			}
			x += len(cell) + 1
		}
		if len(l.Cells) > 0 {
			lines = append(lines, l)
		}
	}
	return lines
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ page, number, class string }{
		"OK colon":       {"Permit number: NL-204\nClass: CE", "NL-204", "CE"},
		"OK tight colon": {"PERMIT  NUMBER :NL-204\nclass:CE", "NL-204", "CE"},
		"OK no colon":    {"Permit number NL-204\nClass CE", "NL-204", "CE"},
		"OK leaders":     {"Permit number ...... NL-204\nClass ____ CE", "NL-204", "CE"},
		"OK leader cell": {"Permit number | ........ | NL-204\nClass | : | CE", "NL-204",
			"CE"},
		"OK dash":  {"Permit number - NL-204\nClass – CE", "NL-204", "CE"},
		"OK cells": {"Permit number | NL-204\nClass         | CE", "NL-204", "CE"},
		"OK two pairs": {"Permit number | NL-204 | Class | CE\nOther | 1 | More | 2",
			"NL-204", "CE"},
		"OK header": {"Permit number | Class | Issued\nNL-204        | CE    | 2026",
			"NL-204", "CE"},
		"OK unknown header": {
			"Holder | Permit number | Town | Class | Since\nAda    | NL-204        | Oss  | CE    | 2026", "NL-204", "CE",
		},
		"OK list":     {"Permit number\n    NL-204\nClass\n    CE", "NL-204", "CE"},
		"OK one line": {"Permit number: NL-204 Class: CE", "NL-204", "CE"},
		"OK longer label": {
			"Permit number of the holder: X\nPermit number: NL-204\nClass of vehicle: Truck\nClass: CE", "NL-204", "CE",
		},
		"OK longer cell": {"Class of vehicle | Truck\nPermit number | NL-204\nClass | CE",
			"NL-204", "CE"},
		"ErrOnlyLonger": {
			"Class of vehicle: Truck\nClass of vehicle | Truck\nClass of vehicle truck", "", "",
		},
		"ErrWithin":            {"Vehicle Class: CE\nThe class: see Permit numbers: none", "", ""},
		"ErrNoValue":           {"Permit number:\nClass:", "", ""},
		"ErrOtherLabelIsValue": {"Permit number | Class", "", ""},
		"ErrLowerCase":         {"Class of drivers\nclassy: 1", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := Find([][]Line{pageOf(test.page)},
				[]Want{{Label: "Permit number"}, {Label: "Class:"}})
			got := []string{found[0].Text, found[1].Text}
			if d := cmp.Diff([]string{test.number, test.class}, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFindType(t *testing.T) {
	t.Parallel()
	date := func(s string) bool { _, ok := printed.Date(s); return ok }
	found := Find([][]Line{pageOf("Valid until: see below"), pageOf("Valid until | 1 May 2031")},
		[]Want{{"Valid until", date}, {"Valid", date}})
	if found[0].Text != "1 May 2031" || found[1].Text != "" {
		t.Errorf("%+v", found)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	word := func(x float64, s string, moved bool) (glyphs []Glyph) {
		for i, r := range s {
			glyphs = append(glyphs, Glyph{X: x + 6*float64(i), Y: 100, W: 6, Size: 10,
				Text: string(r), Moved: moved && i == 0})
		}
		return glyphs
	}
	join := func(lists ...[]Glyph) (all []Glyph) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	for name, test := range map[string]struct {
		glyphs []Glyph
		want   string
	}{
		"OK word":       {word(0, "CE", true), "CE"},
		"OK space":      {word(0, "A B", true), "A B"},
		"OK gap":        {join(word(0, "AB", true), word(15, "CD", false)), "AB CD"},
		"OK kerning":    {join(word(0, "AB", true), word(13, "CD", false)), "ABCD"},
		"OK wide gap":   {join(word(0, "AB", true), word(40, "CD", false)), "AB|CD"},
		"OK tight cell": {join(word(0, "A B", true), word(21, "CD", true)), "A B|CD"},
		"OK placed":     {join(word(0, "AB", true), word(15, "CD", true)), "AB CD"},
		"OK bold":       {join(word(0, "AB", true), word(0.3, "AB", true)), "AB"},
		"OK order":      {join(word(40, "CD", true), word(0, "AB", true)), "AB|CD"},
	} {
		var cells []string
		for _, l := range Lines(test.glyphs) {
			for _, c := range l.Cells {
				cells = append(cells, c.Text)
			}
		}
		if got := strings.Join(cells, "|"); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Permit number: NL-204 Class: CE", "Class")
	f.Add("Permit number | Class\nNL-204 | CE", "Class")
	f.Fuzz(func(t *testing.T, page, label string) {
		for _, found := range Find([][]Line{pageOf(page)},
			[]Want{{Label: label}, {Label: "Class"}}) {
			if (found.Text == "") != (found.Confidence == 0) || found.Confidence > 1 {
				t.Errorf("%+v", found)
			}
		}
	})
}
