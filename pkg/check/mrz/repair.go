package mrz

import (
	"slices"
	"strings"
)

// place is a stretch of a line of a zone.
type place struct{ line, from, to int }

// Lettered returns the lines of a zone that was recognized in a picture, with letters where the
// standard has letters and fillers only: the reader takes O for 0 and I for 1.
func (z Zone) Lettered() []string {
	places := []place{{0, 2, 5}, {0, 5, len(z.Lines[0])}, {1, 10, 13}}
	if z.Format == TD1 {
		places = []place{{0, 2, 5}, {1, 15, 18}, {2, 0, len(z.Lines[2])}}
	}
	return z.replaced(letters, places)
}

// Repaired returns the lines of a zone that was recognized in a picture, with digits where the
// standard has digits only (dates and check digits), if all check digits hold then. Otherwise, and
// in a visa, which has no digit over several fields, they stay as they are. A number has letters
// and digits: one check digit does not prove which.
func (z Zone) Repaired() []string {
	last := len(z.Lines[1]) - 1
	places := []place{{1, 13, 20}, {1, 21, 28}, {1, 9, 10}, {1, last, last + 1}}
	switch z.Format {
	case TD1:
		places = []place{{0, 14, 15}, {1, 0, 7}, {1, 8, 15}, {1, last, last + 1}}
	case TD3:
		places = append(places, place{1, 42, 43})
	}
	if z.Format != TD1 && strings.HasPrefix(z.Lines[0], "V") {
		return z.Lines
	}
	repaired := z.replaced(numerals, places)
	if len((Zone{z.Format, repaired}).split().failed) > 0 {
		return z.Lines
	}
	return repaired
}

// replaced returns the lines of a zone with letters replaced at some places.
func (z Zone) replaced(with *strings.Replacer, places []place) []string {
	lines := slices.Clone(z.Lines)
	for _, p := range places {
		l := lines[p.line]
		lines[p.line] = l[:p.from] + with.Replace(l[p.from:p.to]) + l[p.to:]
	}
	return lines
}

var (
	letters  = strings.NewReplacer("0", "O", "1", "I")
	numerals = strings.NewReplacer("O", "0", "Q", "0", "D", "0", "I", "1", "L", "1", "Z", "2",
		"S", "5", "G", "6", "B", "8")
)
