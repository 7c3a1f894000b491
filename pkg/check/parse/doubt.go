package parse

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// undecided is the doubt of a text with a letter or digit that some fonts draw like another.
const undecided = 0.5

// Letters and digits that are taken for another: those of alike without any doubt of the reader,
// those of similar with some, or with none in a word of letters and digits.
const (
	alike   = "0OoQ1Iil"
	similar = "5S8B2Z6GD"
)

// codeDoubt is the doubt of a text without a known form on which two readings agree. That they
// agree makes it no more certain: a letter that looks like another is misread the same way twice.
func codeDoubt(text string, one, two float64) float64 {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !character(r) }) {
		switch {
		case natural(word):
		case strings.ContainsAny(word, alike),
			strings.ContainsAny(word, similar) && (mixed(word) || !spoken(word)), small(word):
			return max(one, two, undecided)
		}
	}
	if strings.ContainsFunc(text, strange) {
		return 1
	}
	return max(one, two)
}

// looks holds, by letter and digit, those that it may be a misread picture of.
var looks = func() map[rune]string {
	looks := map[rune]string{}
	for _, group := range []string{"0OoQD", "1Iil|!", "5Ss", "8B", "2Zz", "6G"} {
		for _, r := range group {
			looks[r] = group
		}
	}
	return looks
}()

// maxSpellings bounds the texts that are tried for one that was read.
const maxSpellings = 10_000

// spelled returns the text of a form that was read, with the letters and digits that look alike as
// the form has them. It is only if exactly one such text has the form; fits is false if none has.
func spelled(text string, form *regexp.Regexp) (spelling string, only, fits bool) {
	letters, tried, found := []rune(text), 0, 0
	var try func(at int)
	try = func(at int) {
		if found > 1 || tried > maxSpellings {
			return
		}
		if at == len(letters) {
			if tried++; form.MatchString(string(letters)) {
				found, spelling = found+1, string(letters)
			}
			return
		}
		read := letters[at]
		try(at + 1)
		for _, r := range looks[read] {
			if letters[at] = r; r != read {
				try(at + 1)
			}
		}
		letters[at] = read
	}
	try(0)
	only = found == 1 && tried <= maxSpellings
	if !only {
		spelling = text
	}
	return spelling, only, found > 0 || tried > maxSpellings
}

func mixed(word string) bool {
	return strings.ContainsFunc(word, unicode.IsLetter) &&
		strings.ContainsFunc(word, unicode.IsDigit)
}

func character(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// strange reports whether a character is none that documents print in a value. Tesseract reads a
// slashed zero as @.
func strange(r rune) bool { return !character(r) && !strings.ContainsRune(" -/.,'()&", r) }

// natural reports whether a word is one of a language, by which the reader tells letters that look
// alike apart: four small letters and more, the first of which may be a capital.
func natural(word string) bool {
	letters := []rune(word)
	if len(letters) < 4 {
		return false
	}
	for i, r := range letters {
		if !unicode.IsLower(r) && (i > 0 || !unicode.IsUpper(r)) {
			return false
		}
	}
	return true
}

// spoken reports whether a word of capitals can be said, as a name or an abbreviation can. One that
// cannot is a code, in which a digit may have been taken for a letter.
func spoken(word string) bool {
	const consonants, short = 3, 3 // in a row; a word of so few letters may be any
	if utf8.RuneCountInString(word) <= short {
		return true
	}
	row, longest := 0, 0
	for _, r := range word {
		if row++; strings.ContainsRune("AEIOUYÄÖÜÅÆØÁÀÂÃÉÈÊËÍÎÏÓÔÕÚÙÛ", r) {
			row = 0
		}
		longest = max(longest, row)
	}
	return longest <= consonants
}

// small reports whether a word is a few small letters, which may be capitals.
func small(word string) bool {
	return utf8.RuneCountInString(word) < 4 && strings.ContainsFunc(word, unicode.IsLower) &&
		!strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) })
}

// likeLabel reports whether a value is a label, whole or in part, that was not recognized as one:
// the value before it was not found then.
func likeLabel(text string, fields []dossier.CheckField) bool {
	const part = 4 // letters
	text = lettersOf(text)
	return text != "" && slices.ContainsFunc(fields, func(f dossier.CheckField) bool {
		label := lettersOf(f.Label)
		return label != "" && strings.Contains(text, label) ||
			len(text) >= part && strings.Contains(label, text)
	})
}

// lettersOf returns the letters of a text, small.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
