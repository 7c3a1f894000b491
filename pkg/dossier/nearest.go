package dossier

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// maxListed bounds the closed lists that a message names in full.
const maxListed = 10

// oneOf returns the possible values in place of a wrong word: the whole list if it is short, or
// else the nearest word if it is near.
func oneOf(word string, list []string) string {
	if len(list) <= maxListed {
		return "The possible values are: " + strings.Join(list, ", ")
	}
	if near := Nearest(word, list); near != "" {
		return fmt.Sprintf("The nearest possible value is %q", near)
	}
	return "The documentation lists the possible values"
}

// DidYouMean returns a sentence with a space before it that names the nearest of a list, or "".
func DidYouMean(word string, list []string) string {
	if near := Nearest(word, list); near != "" {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return ""
}

// Nearest returns the word of a list with the fewest edits to another, "" if none is near: more
// than a third of the characters, two at least, would have to change. Case does not count.
func Nearest(word string, list []string) string {
	word = strings.ToLower(Clip(word))
	length := utf8.RuneCountInString(word)
	best, least := "", max(2, length/3)+1
	for _, candidate := range list {
		if difference := utf8.RuneCountInString(candidate) -
			length; max(difference, -difference) >= least {
			continue
		}
		if d := levenshtein.ComputeDistance(word, strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	return best
}
