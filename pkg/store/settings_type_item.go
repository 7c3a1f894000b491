package store

import (
	"cmp"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// storedType is the document type item. A company that a type is shared with has a full copy in its
// own partition, written by the same transaction, so that nobody ever reads another company's.
type storedType struct {
	dossier.DocumentType
	// counts the changes of the rules, in older items the saves; a rule run names it
	Version int64 `json:"version"`
	// of the custom fields written back to, by cf_ or dcf_ reference
	WriteTypes map[string]string `json:"writeTypes"`
	// kept for the candidates that were asked for it
	Deleted bool `json:"deleted,omitzero"`
	// in the copy of a partner: the address of the parser service as the partner confirmed it
	ConfirmedParser string `json:"confirmedParser,omitzero"`
}

// shown returns the type as responses embed it: without the secret of its parser service, and
// without the tests of its rules.
func (s storedType) shown() dossier.DocumentType {
	d := s.whole()
	d.Submission.Tests = nil
	return d
}

// whole returns the type as its own responses show it.
func (s storedType) whole() dossier.DocumentType {
	d := s.DocumentType
	d.Submission = withTests(d.Submission)
	d.RemindBefore = leadsOr(d.RemindBefore)
	d.Replaceable = cmp.Or(d.Replaceable, dossier.ReplaceableCandidate)
	if d.Check.HTTP != nil {
		d.Check.HTTP = &dossier.HTTPParser{URL: d.Check.HTTP.URL}
		d.ParserConfirmation = &dossier.ParserConfirmation{Host: d.Check.HTTP.Host(),
			Confirmed: s.ConfirmedParser == d.Check.HTTP.URL}
	}
	return d
}

// withTests returns a submission with its tests, which older items and shared types do not have.
func withTests(s dossier.Submission) dossier.Submission {
	if s.Tests == nil {
		s.Tests = []dossier.RuleTest{}
	}
	return s
}

// mayAskParser reports whether a company's documents may be sent to the parser service: its own, or
// one whose present address it has confirmed.
func (s storedType) mayAskParser(company string) bool {
	http := s.Check.HTTP
	return http != nil && (!s.sharedTo(company) || s.ConfirmedParser == http.URL)
}

// sharedTo reports whether the type belongs to another company than the one that reads it: its
// rules don't run there.
func (s storedType) sharedTo(company string) bool { return s.Owner.CompanyID != company }

// forCompany returns the copy of the type for a partner, in the place of the one before: it does
// not tell whom else it is shared with, and warns that its rules are not applied. What the partner
// confirmed ends with the address of the parser service, and with the share.
func (s storedType) forCompany(before storedType) storedType {
	c := s
	if http := s.Check.HTTP; http != nil && before.ConfirmedParser == http.URL {
		c.ConfirmedParser = http.URL
	}
	c.SharedWith, c.Submission.Tests = nil, nil
	c.Warnings = slices.DeleteFunc(slices.Clone(s.Warnings), func(w dossier.Warning) bool {
		return true
	})
	if len(s.Submission.Rules) > 0 {
		c.Warnings = append(c.Warnings, dossier.Warning{
			Code: dossier.WarningShared, Pointer: "/submission",
			Message: "The rules of a document type that another company of the group owns are not applied.",
		})
	}
	return c
}
