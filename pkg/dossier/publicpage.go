package dossier

import (
	"strings"
	"unicode/utf8"
)

// PublicPage is a registration page as a candidate sees it, without a key.
type PublicPage struct {
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Slug      string           `json:"slug"`
	Company   SessionCompany   `json:"company"`
	Documents []PublicDocument `json:"documents"`
	Forms     []PublicForm     `json:"forms"`
	// custom fields that the candidate fills in to register; absent where the page asks for none
	CustomFields []FormField `json:"customFields,omitzero"`
}

// PublicDocument is a document type that a page asks for. How it is checked, and its rules, are not
// shown.
type PublicDocument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	Required    bool   `json:"required"`
}

// PublicForm is a form that a page asks for.
type PublicForm struct {
	Name   string      `json:"name"`
	Fields []FormField `json:"fields"`
}

// MinRegistrationKey and MaxRegistrationKey bound the characters of an IdempotencyKey of a
// registration. It has to be hard to guess: with the same registration it gives access to the
// dossier.
const (
	MinRegistrationKey = 16
	MaxRegistrationKey = 255
)

// PublicRegistration is the body of a registration at a public page.
type PublicRegistration struct {
	FirstName   *string `json:"firstName,omitzero"`
	LastName    *string `json:"lastName,omitzero"`
	Email       *string `json:"email,omitzero"`
	Phone       *string `json:"phone,omitzero"`
	BirthDate   *string `json:"birthDate,omitzero"`
	Nationality *string `json:"nationality,omitzero"`
	Language    *string `json:"language,omitzero"`
	// of those that the page asks for, by reference
	CustomFields map[string]any `json:"customFields,omitzero"`
	// IdempotencyKey is a random text of the page: sent twice, it registers one candidate.
	IdempotencyKey *string `json:"idempotencyKey,omitzero"`
	Website        string  `json:"website,omitzero"` // a trap for programs that fill in every field
}

// Candidate returns the values as those of a candidate.
func (in PublicRegistration) Candidate() CandidateInput {
	return CandidateInput{FirstName: in.FirstName, LastName: in.LastName, Email: in.Email,
		Phone:     in.Phone,
		BirthDate: in.BirthDate, Nationality: in.Nationality, Language: in.Language,
		CustomFields: in.CustomFields}
}

// Validate records values that are wrong, and a name or e-mail address that is missing.
func (in PublicRegistration) Validate(p *Problems) {
	c := in.Candidate()
	c.Validate(p, CandidateInput{})
	if blank(in.FirstName) && blank(in.LastName) {
		p.Add("/firstName", ProblemRequired, "A first name or a last name is required.")
	}
	if blank(in.Email) {
		p.Say("/email", ProblemRequired, "is missing")
	}
	if in.IdempotencyKey != nil {
		p.Line("/idempotencyKey", *in.IdempotencyKey, MaxRegistrationKey)
		if n := utf8.RuneCountInString(*in.IdempotencyKey); n > 0 && n < MinRegistrationKey {
			p.Say("/idempotencyKey", ProblemTooShort, "has fewer than %d characters",
				MinRegistrationKey)
		}
	}
	if in.Website != "" {
		p.Say("/website", ProblemNotAllowed, "must be empty")
	}
}

func blank(text *string) bool { return text == nil || strings.TrimSpace(*text) == "" }

// PublicRegistered is the response to a public registration. Its token gives access to the new
// dossier.
type PublicRegistered struct {
	CandidateID string `json:"candidateId"`
	Token       string `json:"token"`
	ExpiresAt   Time   `json:"expiresAt"`
}
