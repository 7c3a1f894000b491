package dossier

import (
	"net/mail"
	"unicode/utf8"
)

const maxLanguage = 35 // characters: the longest language tags in practice

// CandidateText records what is wrong with a candidate's text or date field, one of TextKeys.
func (p *Problems) CandidateText(pointer, key, text string) {
	switch {
	case text == "":
		p.Say(pointer, ProblemTooShort, "is empty. Use null to remove the value")
	case utf8.RuneCountInString(text) > MaxName:
		p.Say(pointer, ProblemTooLong, "has more than %d characters", MaxName)
	case HasControl(text):
		p.Say(pointer, ProblemMalformed, "contains a control character")
	case key == "email" && !validEmail(text):
		p.Say(pointer, ProblemMalformed, "is not an email address")
	case key == "birthDate" && !ValidDate(text):
		p.Say(pointer, ProblemMalformed, "is not a date of the form YYYY-MM-DD")
	case key == "nationality" && !nationalitySyntax.matches(text):
		p.Say(pointer, ProblemMalformed,
			"is not an ISO 3166-1 country code of two or three capital letters")
	case key == "language" && (len(text) > maxLanguage || !languageSyntax.matches(text)):
		p.Say(pointer, ProblemMalformed, "is not a BCP 47 language tag")
	}
}

// validEmail reports whether the text is one address and nothing else.
func validEmail(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Name == "" && a.Address == text
}
