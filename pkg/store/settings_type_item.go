package store

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// storedType is the document type item. A company that a type is shared with has a full copy in its
// own partition, written by the same transaction, so that nobody ever reads another company's.
type storedType struct {
	dossier.DocumentType
	Version int64 `json:"version"` // counts the saves; a rule run names it
	// of the custom fields written back to, by cf_ or dcf_ reference
	WriteTypes map[string]string `json:"writeTypes"`
	// kept for the candidates that were asked for it
	Deleted bool `json:"deleted,omitzero"`
}

// shown returns the type as responses show it: without the secret of its parser service.
func (s storedType) shown() dossier.DocumentType {
	d := s.DocumentType
	if d.Check.HTTP != nil {
		d.Check.HTTP = &dossier.HTTPParser{URL: d.Check.HTTP.URL}
	}
	return d
}

// sharedTo reports whether the type belongs to another company than the one that reads it: its
// rules don't run there.
func (s storedType) sharedTo(company string) bool { return s.Owner.CompanyID != company }

// forCompany returns the copy of the type for a partner: it does not tell whom else it is shared
// with, and warns that its rules are not applied.
func (s storedType) forCompany(company string) storedType {
	c := s
	c.SharedWith = nil
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
