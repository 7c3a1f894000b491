// Package printed reads dates, numbers and texts as people and programs print them. It is pure and
// links no parser.
package printed

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// MaxText bounds the characters of a parsed text.
const MaxText = dossier.MaxParsedText

// Text cleans a parsed text: Unicode NFC, control and format characters and broken UTF-8 dropped,
// every run of white space made one space, at most MaxText characters.
func Text(s string) string {
	var b strings.Builder
	space, n := false, 0
	for _, r := range norm.NFC.String(strings.ToValidUTF8(s, "")) {
		if unicode.IsSpace(r) {
			space = n > 0
			continue
		}
		if unicode.Is(unicode.C, r) || r == unicode.ReplacementChar {
			continue
		}
		if space {
			b.WriteByte(' ')
			n++
			space = false
		}
		if n >= MaxText {
			break
		}
		b.WriteRune(r)
		n++
	}
	return strings.TrimSpace(b.String())
}

// Fold makes a text comparable with a label: Unicode NFKC, lower case, white space folded, and no
// colon, dots or dashes that lead over to a value at its end.
func Fold(s string) string {
	s = strings.ToLower(norm.NFKC.String(Text(s)))
	s = strings.Join(strings.Fields(s), " ")
	return strings.TrimRightFunc(s, Leader)
}

// Leader reports whether a character stands between a label and its value: colon, dot leader, dash,
// equals sign.
func Leader(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(":.=_…·-–—：*", r)
}
