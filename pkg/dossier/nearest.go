package dossier

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// maxListed bounds the closed lists that a message names in full.
const maxListed = 10

// Possible returns a sentence about the possible values in place of a wrong or missing word: all of
// them if they are few, or else the nearest if it is near.
func Possible(word string, list []string) string {
	if len(list) <= maxListed {
		return "The possible values are: " + strings.Join(list, ", ") + "."
	}
	if near := Nearest(word, list); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return "The documentation lists the possible values."
}

// Hint returns a sentence with a space before it that names the nearest of the known names, or else
// all of them if they are few. what is their plural, such as members.
func Hint(name string, known []string, what string) string {
	if near := DidYouMean(name, known); near != "" || len(known) > maxListed {
		return near
	}
	if len(known) == 0 {
		return fmt.Sprintf(" There are no %s here.", what)
	}
	return fmt.Sprintf(" The possible %s are: %s.", what, strings.Join(known, ", "))
}

// DidYouMean returns a sentence with a space before it that names the nearest of a list, or "".
func DidYouMean(word string, list []string) string {
	if near := Nearest(word, list); near != "" {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return ""
}

// Nearest returns the word of a list with the fewest edits to another, "" if none is near. Near is
// one edit for up to three characters, two for up to eight, and a third of the characters of a
// longer word. Case does not count.
func Nearest(word string, list []string) string {
	word = strings.ToLower(Clip(word))
	length := utf8.RuneCountInString(word)
	limit := max(2, length/3)
	if length <= 3 {
		limit = 1
	}
	best, least := "", limit+1
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
