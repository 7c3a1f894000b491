package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/check/printed"
)

// maxCell bounds the bytes of a cell that are searched for labels; maxLabelWords the words of a
// label.
const (
	maxCell       = 1000
	maxLabelWords = 16
)

// labels are the folded labels that are looked for. A text that is one of them is no value.
type labels map[string]bool

// mark is a label found in the text of a cell, and the text behind it in the cell.
type mark struct {
	label     string
	start     int    // byte offset in the text
	rest      string // up to the next label, leaders trimmed
	from      int    // byte offset of the rest
	delimited bool   // a colon, dots or the like stand behind the label
}

// marks finds the labels in the text of a cell: one at its start, the longest that fits, and
// further ones behind it when each is followed by a colon.
func (known labels) marks(text string) []mark {
	text = normal(text)
	if len(text) > maxCell {
		return nil
	}
	first, ok := known.atStart(text)
	if !ok {
		return nil
	}
	found := []mark{first}
	if !first.delimited {
		return found
	}
	offset := len(text) - len(first.rest)
	for first.rest != "" {
		next, ok := known.inside(text, offset)
		if !ok {
			break
		}
		last := &found[len(found)-1]
		last.rest = trim(text[offset:next.start])
		last.from = offset + strings.Index(text[offset:], last.rest)
		found = append(found, next)
		offset = len(text) - len(next.rest)
	}
	return found
}

// atStart finds the longest label that the text begins with.
func (known labels) atStart(text string) (mark, bool) {
	if folded := printed.Fold(text); known[folded] {
		last, _ := utf8.DecodeLastRuneInString(text)
		return mark{label: folded, delimited: printed.Leader(last)}, true
	}
	best, words := mark{}, 0
	for i, r := range text {
		if !printed.Leader(r) || i == 0 {
			continue
		}
		if words++; words > maxLabelWords {
			break
		}
		if folded := printed.Fold(text[:i]); known[folded] && folded != best.label {
			rest := text[i:]
			best = mark{label: folded, rest: trim(rest), delimited: delimiter(rest)}
			best.from = i + strings.Index(rest, best.rest)
		}
	}
	return best, best.label != "" && best.rest != "" && best.plausible()
}

// plausible refuses a label that is only the first words of a longer one: "Class of vehicle: Truck"
// does not hold "Class".
func (m mark) plausible() bool {
	if m.delimited {
		return true
	}
	first, _ := utf8.DecodeRuneInString(m.rest)
	return !unicode.IsLower(first) && !strings.ContainsAny(m.rest, ":=")
}

// inside finds the next label in text[from:] that stands behind a value and is followed by a colon.
func (known labels) inside(text string, from int) (mark, bool) {
	for i := from; i < len(text); i++ {
		if text[i] != ':' {
			continue
		}
		best, words := -1, 0
		for s := i - 1; s > from && words <= maxLabelWords; s-- {
			if text[s-1] != ' ' {
				continue
			}
			words++
			if known[printed.Fold(text[s:i])] {
				best = s
			}
		}
		if best >= 0 {
			rest := trim(text[i:])
			return mark{label: printed.Fold(text[best:i]), start: best, rest: rest,
				from: i + strings.Index(text[i:], rest), delimited: true}, true
		}
	}
	return mark{}, false
}

// delimiter reports whether what follows a label begins with more than white space between it and
// its value. A dash right before a digit is a sign.
func delimiter(rest string) bool {
	lead := rest[:len(rest)-len(strings.TrimLeftFunc(rest, printed.Leader))]
	return strings.ContainsAny(lead, ":=_…·：") || strings.Contains(lead, "..") ||
		strings.HasSuffix(lead, "- ") ||
		strings.HasSuffix(lead, "– ") || strings.HasSuffix(lead, "— ")
}

// trim drops the delimiter between a label and its value, and a printed writing line after it.
func trim(rest string) string {
	for {
		r, n := utf8.DecodeRuneInString(rest)
		sign := r == '-' && n < len(rest) && rest[n] >= '0' && rest[n] <= '9'
		if n == 0 || !printed.Leader(r) || sign {
			break
		}
		rest = rest[n:]
	}
	return strings.TrimRight(rest, " _…;|")
}
