package dossier

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// DocumentType is a kind of document a company asks for, how it is checked, and what follows.
type DocumentType struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	// its outcome is the candidate's pass verification
	Pass bool `json:"pass"`
	// names of parts without which a document is not complete
	RequiredParts []string    `json:"requiredParts"`
	Check         Check       `json:"check"`
	WriteBack     []WriteBack `json:"writeBack"`
	SharedWith    []string    `json:"sharedWith"` // ids of companies of the group
	// days before a validated document expires; in an item, nil stands for the default
	RemindBefore []int `json:"remindBefore,omitzero"`
	// one of the Replaceable constants; in an item, "" stands for ReplaceableCandidate
	Replaceable string     `json:"replaceable,omitzero"`
	Owner       Owner      `json:"owner"`
	Submission  Submission `json:"submission"`
	Warnings    []Warning  `json:"warnings"`
	// set where another company shares the type, and its documents go to a parser service
	ParserConfirmation *ParserConfirmation `json:"parserConfirmation,omitzero"`
	CreatedAt          Time                `json:"createdAt"`
	UpdatedAt          Time                `json:"updatedAt"`
}

// WithoutInternals returns the document type as others than the owner's administrators see it:
// without rules, warnings about them, partners and the address of the parser service.
func (t DocumentType) WithoutInternals() DocumentType {
	t.Submission, t.SharedWith, t.Check.HTTP = Submission{Rules: []Rule{}}, nil, nil
	t.ParserConfirmation = nil
	t.Warnings = slices.DeleteFunc(slices.Clone(t.Warnings), func(w Warning) bool {
		return w.Code != WarningShared
	})
	return t
}

// Owner names the company that made a document type and alone may change it.
type Owner struct {
	CompanyID string `json:"companyId"`
}

// Check defines how the parts of a document are read and the effect of a passed check.
type Check struct {
	Parser          string       `json:"parser"`   // one of the Parser constants
	Decision        string       `json:"decision"` // DecisionAutomatic or DecisionManual
	Fields          []CheckField `json:"fields"`   // for parsers with ParserType.Fields
	Required        []string     `json:"required"` // references that must not stay empty
	ExpiryReference string       `json:"expiryReference,omitzero"`
	HTTP            *HTTPParser  `json:"http,omitzero"`
}

// The effects of a passed check: the document is validated, or an administrator reviews it.
const (
	DecisionAutomatic = "automatic"
	DecisionManual    = "manual"
)

// CheckField is a value of a document. The pdf parser looks for a form field of that name, or for
// the text beside that label; with the parser none, a reviewer enters it.
type CheckField struct {
	Reference string `json:"reference"` // dotted
	Label     string `json:"label"`
	Type      string `json:"type"` // FieldText, FieldNumber or FieldDate
	// Pattern is a regular expression of Go that the whole text of a value has. It decides which of
	// the letters and digits that look alike a picture shows. "" takes every text.
	Pattern string `json:"pattern,omitzero"`
}

// Form returns the compiled pattern of the field, nil if it has none.
func (f CheckField) Form() (*regexp.Regexp, error) {
	if f.Pattern == "" {
		return nil, nil
	}
	return regexp.Compile(`\A(?:` + f.Pattern + `)\z`)
}

// HTTPParser is a parser service of the company's own. Secret (`whsec_…`) signs what is sent to it
// and is shown once.
type HTTPParser struct {
	URL    string `json:"url"`
	Secret string `json:"secret,omitzero"`
}

// WriteBack copies a parsed value onto the candidate when the document is validated.
type WriteBack struct {
	From string `json:"from"` // a parser reference, dotted
	To   string `json:"to"`   // a candidate key, cf_<reference> or dcf_<reference>
}

// DocumentTypeInput is the body that creates or changes a document type.
type DocumentTypeInput struct {
	Name          string      `json:"name"`
	Description   string      `json:"description,omitzero"`
	Pass          bool        `json:"pass"`
	RequiredParts []string    `json:"requiredParts"`
	Check         CheckInput  `json:"check"`
	WriteBack     []WriteBack `json:"writeBack"`
	SharedWith    []string    `json:"sharedWith"`
	// nil for DefaultRemindBefore; empty for no reminder
	RemindBefore []int `json:"remindBefore,omitzero"`
	// ReplaceableCandidate by default
	Replaceable *string    `json:"replaceable,omitzero"`
	Submission  Submission `json:"submission"`
}

// Who may upload a newer document while a validated one is in force.
const (
	ReplaceableCandidate     = "candidate"     // the candidate too
	ReplaceableAdministrator = "administrator" // the company only
	ReplaceableNever         = "never"         // nobody
)

// Replaceables lists them.
var Replaceables = []string{ReplaceableCandidate, ReplaceableAdministrator, ReplaceableNever}

// CheckInput is the check of a DocumentTypeInput. The parser defaults to none, the decision to
// manual.
type CheckInput struct {
	Parser          *string          `json:"parser"`
	Decision        *string          `json:"decision"`
	Fields          []CheckField     `json:"fields"`
	Required        []string         `json:"required"`
	ExpiryReference *string          `json:"expiryReference"`
	HTTP            *HTTPParserInput `json:"http"`
}

// HTTPParserInput is the address of a company's own parser service.
type HTTPParserInput struct {
	URL string `json:"url"`
}

// DefaultRemindBefore is the RemindBefore of a document type that does not say it.
var DefaultRemindBefore = []int{30, 7}

// The closed lists of a check.
var (
	Decisions       = []string{DecisionAutomatic, DecisionManual}
	CheckFieldTypes = []string{FieldText, FieldNumber, FieldDate}
)

// Validate records what is wrong with the input by itself. What the input names, such as rules'
// targets, is checked against the company's settings when it is saved.
func (in DocumentTypeInput) Validate(p *Problems, check CheckURL) {
	p.Line("/name", in.Name, MaxName)
	p.OptionalText("/description", in.Description, MaxText)
	for n := range p.Count("/requiredParts", len(in.RequiredParts), MaxParts) {
		p.PartName(Element("/requiredParts", n), in.RequiredParts[n])
	}
	p.Distinct("/requiredParts", in.RequiredParts, MaxParts)
	p.IDs("/sharedWith", in.SharedWith, MaxSharedWith)
	for n := range p.Count("/writeBack", len(in.WriteBack), MaxWriteBacks) {
		p.DottedReference(Element("/writeBack", n)+"/from", in.WriteBack[n].From)
		p.Line(Element("/writeBack", n)+"/to", in.WriteBack[n].To, MaxReference+len("dcf_"))
	}
	in.Check.validate(p, check)
	if in.Replaceable != nil {
		p.Word("/replaceable", *in.Replaceable, Replaceables)
	}
	p.Count("/remindBefore", len(in.RemindBefore), MaxReminders)
	for n, days := range in.RemindBefore {
		at := Element("/remindBefore", n)
		if days < 1 || days > MaxRemindBefore {
			p.Say(at, ProblemOutOfRange, "is not a number of days from 1 to %d", MaxRemindBefore)
		}
		if slices.Contains(in.RemindBefore[:n], days) {
			p.Say(at, ProblemDuplicate, "repeats an earlier element")
		}
	}
}

// validate records what does not go with the parser of the check.
func (in CheckInput) validate(p *Problems, check CheckURL) {
	parser := ParserNone
	if in.Parser != nil {
		parser = *in.Parser
	}
	p.Word("/check/parser", parser, ParserNames())
	if in.Decision != nil {
		p.Word("/check/decision", *in.Decision, Decisions)
	}
	if len(in.Fields) > 0 && !ParserNamed(parser).Fields {
		p.Add("/check/fields", ProblemNotAllowed, "Only the parsers pdf and none take fields.")
	}
	validateCheckFields(p, in.Fields)
	for n := range p.Count("/check/required", len(in.Required), MaxCheckFields) {
		p.DottedReference(Element("/check/required", n), in.Required[n])
	}
	p.Distinct("/check/required", in.Required, MaxCheckFields)
	if in.ExpiryReference != nil {
		p.DottedReference("/check/expiryReference", *in.ExpiryReference)
	}
	switch {
	case ParserNamed(parser).Service && in.HTTP == nil:
		p.Add("/check/http", ProblemRequired,
			"The parser http needs the address of a parser service.")
	case !ParserNamed(parser).Service && in.HTTP != nil:
		p.Add("/check/http", ProblemNotAllowed,
			"Only the parser http takes the address of a parser service.")
	case in.HTTP != nil:
		p.URL("/check/http/url", in.HTTP.URL, check)
	}
}

// validatePattern records what is wrong with the pattern of a field.
func validatePattern(p *Problems, at string, f CheckField) {
	switch {
	case f.Pattern == "":
		return
	case f.Type != FieldText:
		p.Say(at, ProblemNotAllowed, "goes with the type text only")
		return
	case utf8.RuneCountInString(f.Pattern) > MaxName:
		p.Say(at, ProblemTooLong, "has more than %d characters", MaxName)
		return
	}
	// By itself: "a)|(b" is one only inside the group that Form puts around it.
	if _, err := regexp.Compile(f.Pattern); err != nil {
		p.Say(at, ProblemMalformed, "is not a regular expression: %s", Clip(err.Error()))
	}
}

func validateCheckFields(p *Problems, fields []CheckField) {
	for n := range p.Count("/check/fields", len(fields), MaxCheckFields) {
		f, at := fields[n], Element("/check/fields", n)
		p.DottedReference(at+"/reference", f.Reference)
		p.Line(at+"/label", f.Label, MaxName)
		p.Word(at+"/type", f.Type, CheckFieldTypes)
		validatePattern(p, at+"/pattern", f)
		for _, o := range fields[:n] {
			if o.Reference == f.Reference {
				p.Say(at+"/reference", ProblemDuplicate, "repeats that of an earlier field")
				break
			}
			if strings.HasPrefix(o.Reference, f.Reference+".") ||
				strings.HasPrefix(f.Reference, o.Reference+".") {
				p.Say(at+"/reference", ProblemDuplicate,
					"and %q cannot both hold a value, because one contains the other",
					Clip(o.Reference))
				break
			}
		}
	}
}
