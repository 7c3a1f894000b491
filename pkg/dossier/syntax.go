package dossier

import (
	"regexp"
	"sync"
)

// syntax is a regular expression that is compiled at its first use. A function on AWS needs few
// of them, and compiling all would be a good part of its start.
type syntax func() *regexp.Regexp

func newSyntax(text string) syntax {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

func (s syntax) matches(text string) bool { return s().MatchString(text) }

var (
	referenceSyntax   = newSyntax(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)
	dottedSyntax      = newSyntax(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	slugSyntax        = newSyntax(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	partNameSyntax    = newSyntax(`^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$`)
	sha256Syntax      = newSyntax(`^[0-9a-f]{64}$`)
	nationalitySyntax = newSyntax(`^[A-Z]{2,3}$`)
	languageSyntax    = newSyntax(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)
)

// Reference records what can't be the reference of a custom field or form field.
func (p *Problems) Reference(pointer, reference string) {
	switch {
	case reference == "":
		p.Say(pointer, ProblemRequired, "is missing")
	case len(reference) > MaxReference:
		p.Say(pointer, ProblemTooLong, "has more than %d characters", MaxReference)
	case !referenceSyntax.matches(reference):
		p.Say(pointer, ProblemMalformed,
			"must begin with a letter and consist of letters, digits and underscores")
	}
}

// DottedReference records what can't be the reference of a parsed value, such as permit.number.
func (p *Problems) DottedReference(pointer, reference string) {
	switch {
	case reference == "":
		p.Say(pointer, ProblemRequired, "is missing")
	case len(reference) > MaxReference:
		p.Say(pointer, ProblemTooLong, "has more than %d characters", MaxReference)
	case !dottedSyntax.matches(reference):
		p.Say(pointer, ProblemMalformed,
			"must consist of names of letters, digits, underscores and hyphens, separated by dots")
	}
}

// PartName records what can't be the name of a part. It reports whether the name is good.
func (p *Problems) PartName(pointer, name string) bool {
	good := partNameSyntax.matches(name)
	switch {
	case name == "":
		p.Say(pointer, ProblemRequired, "is missing")
	case !good:
		p.Say(pointer, ProblemMalformed,
			"must be 1 to 50 letters, digits, hyphens and underscores, beginning with a letter or digit")
	}
	return good
}

// SHA256 records what is no SHA-256 in lower-case hexadecimal.
func (p *Problems) SHA256(pointer, sum string) {
	if !sha256Syntax.matches(sum) {
		p.Say(pointer, ProblemMalformed, "is not a SHA-256 in lower-case hexadecimal")
	}
}
