package web

import (
	"strings"
	"unicode"
)

// partLabel names a part of a document as people call it: "front" is the front, "page-2" or "page2"
// is page 2. What a company named otherwise keeps its words.
func partLabel(lang, name string) string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words, word = append(words, string(word)), nil
		}
	}
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end()
			continue
		case len(word) > 0 && (unicode.IsDigit(c) != unicode.IsDigit(word[len(word)-1]) ||
			unicode.IsUpper(c) && unicode.IsLower(word[len(word)-1])):
			end()
		}
		word = append(word, c)
	}
	end()
	if len(words) == 0 {
		return name
	}
	for i, w := range words {
		if !unicode.IsUpper([]rune(w)[len([]rune(w))-1]) {
			words[i] = strings.ToLower(w)
		}
	}
	if known := portalWords["part "+words[0]]; known != nil {
		words[0] = say(lang, "part "+words[0])
	}
	first := []rune(words[0])
	first[0] = unicode.ToUpper(first[0])
	words[0] = string(first)
	return strings.Join(words, " ")
}
