package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// checkAskedFields checks that the custom fields exist that a registration page asks for.
func (s *Store) checkAskedFields(ctx context.Context, company string,
	asked []dossier.AskedField) error {
	if len(asked) == 0 {
		return nil
	}
	types, err := s.CustomFieldTypes(ctx, company, dossier.EntityCandidate)
	if err != nil {
		return err
	}
	var p dossier.Problems
	for n, f := range asked {
		if _, ok := types[f.Reference]; !ok {
			p.Add(dossier.Element("/customFields", n)+"/reference", dossier.ProblemUnknown,
				"There is no custom field of candidates with the reference %q.%s",
				dossier.Clip(f.Reference),
				dossier.Hint(f.Reference, sortedKeys(types), "references"))
		}
	}
	return p.Err()
}

// askedFields returns the custom fields that a registration page asks for, as candidates see them.
func (s *Store) askedFields(ctx context.Context, company string,
	asked []dossier.AskedField) ([]dossier.FormField, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	fields, err := settings[dossier.CustomField](ctx, s, company, kindField)
	if err != nil {
		return nil, err
	}
	byName := map[string]dossier.CustomField{}
	for _, f := range fields {
		byName[fieldName(f)] = f
	}
	var all []dossier.FormField
	for _, a := range asked {
		if f, ok := byName[prefixCandidateField+a.Reference]; ok {
			all = append(all, dossier.FormField{Reference: a.Reference, Label: f.Label,
				Type: f.Type, Required: a.Required})
		}
	}
	return all, nil
}

// checkRegistered checks the custom fields of a registration: only those that the page asks for,
// with values that they can have, and none missing that is required. An empty text is no value.
func (s *Store) checkRegistered(ctx context.Context, company string, asked []dossier.AskedField,
	in *dossier.CandidateInput) error {
	given := cloneMap(in.CustomFields)
	for reference, value := range given {
		if value == "" || value == nil {
			delete(given, reference)
		}
	}
	in.CustomFields = given
	fields, err := s.askedFields(ctx, company, asked)
	if err != nil {
		return err
	}
	var p dossier.Problems
	types := map[string]string{}
	for _, f := range fields {
		types[f.Reference] = f.Type
		if _, ok := given[f.Reference]; f.Required && !ok {
			p.Say(dossier.Member("/customFields", f.Reference), dossier.ProblemRequired,
				"is missing")
		}
	}
	p.FieldValues("/customFields", types, given, sortedKeys(given))
	return p.Err()
}
