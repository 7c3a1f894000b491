package httpapi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// noteText notes a text that is missing although it is needed, or that is too long; most counts characters.
func noteText(p *dossier.Problems, pointer, text string, needed bool, most int) {
	switch {
	case needed && strings.TrimSpace(text) == "":
		p.Add(pointer, "required", "is missing or empty")
	case utf8.RuneCountInString(text) > most:
		p.Add(pointer, "tooLong", "is longer than %d characters", most)
	}
}

// noteName notes a name that is missing or too long.
func noteName(p *dossier.Problems, name string) { noteText(p, "/name", name, true, dossier.MaxName) }

// noteWord notes a text that is not one of a closed list, and names the nearest.
func noteWord(p *dossier.Problems, pointer, word string, list []string) {
	switch {
	case slices.Contains(list, word):
	case word == "":
		p.Add(pointer, "required", "is missing; it is one of %s", strings.Join(list, ", "))
	default:
		p.Add(pointer, "unknown", "%q is not one of its values%s", clip(word), suggest(word, list))
	}
}

// noteCount notes a list with too many elements, and returns how many of them to look at.
func noteCount(p *dossier.Problems, pointer string, n, most int) int {
	if n > most {
		p.Add(pointer, "tooMany", "has more than %d elements", most)
	}
	return min(n, most)
}

// pattern is a regular expression that is compiled when it is first asked for: all of them together would be a good part of a
// function's start, of which most need none.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	referenceForm = pattern(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)
	dottedForm    = pattern(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	slugForm      = pattern(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// noteReference notes what can't be the reference of a custom or form field.
func noteReference(p *dossier.Problems, pointer, reference string) {
	switch {
	case reference == "":
		p.Add(pointer, "required", "is missing or empty")
	case !referenceForm().MatchString(reference):
		p.Add(pointer, "malformed", "is not a letter followed by at most %d letters, digits and underscores", dossier.MaxReference-1)
	}
}

// noteDotted notes what can't be the reference of a parsed value: names of letters, digits, underscores and hyphens, with dots between.
func noteDotted(p *dossier.Problems, pointer, reference string) {
	switch {
	case reference == "":
		p.Add(pointer, "required", "is missing or empty")
	case len(reference) > dossier.MaxReference:
		p.Add(pointer, "tooLong", "is longer than %d characters", dossier.MaxReference)
	case !dottedForm().MatchString(reference):
		p.Add(pointer, "malformed", "is not names of letters, digits, underscores and hyphens with dots between them")
	}
}

// at is the pointer of an element of a list.
func at(list string, n int) string { return fmt.Sprintf("%s/%d", list, n) }
