package dossier

import (
	"fmt"
	"net/mail"
	"regexp"
	"sync"
	"unicode/utf8"
)

// The forms of a nationality and of a language are compiled when they are first asked for.
var (
	nationalityForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z]{2,3}$`) })
	languageForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`) })
)

const maxLanguage = 35 // characters: as long as a language tag gets in practice

// WrongText says what is wrong with a value of a candidate's text or date field (one of TextKeys), as the code and message of a
// FieldError; both are empty where it is good.
func ValidateText(key, text string) (code, message string) {
	switch {
	case text == "":
		return "tooShort", "is empty; null is no value"
	case utf8.RuneCountInString(text) > MaxName:
		return "tooLong", fmt.Sprintf("is longer than %d characters", MaxName)
	case key == "email" && !validEmail(text):
		return "invalid", "is not an e-mail address"
	case key == "birthDate" && !ValidDate(text):
		return "invalid", "is not a date as YYYY-MM-DD"
	case key == "nationality" && !nationalityForm().MatchString(text):
		return "invalid", "is not a country code of ISO 3166-1: two or three capital letters"
	case key == "language" && (len(text) > maxLanguage || !languageForm().MatchString(text)):
		return "invalid", "is not a language tag of BCP 47"
	}
	return "", ""
}

// validEmail reports whether the text is one address and nothing beside it.
func validEmail(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Name == "" && a.Address == text
}
