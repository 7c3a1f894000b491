package store

import (
	"context"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// How custom fields are named in rules, write-backs and presets: the prefix and the reference.
const (
	prefixCandidateField = "cf_"
	prefixDocumentField  = "dcf_"
)

// CreateField makes a custom field. The reference is unique in the company and entity: CONFLICT.
func (s *Store) CreateField(ctx context.Context, company string,
	in dossier.CustomFieldInput) (dossier.CustomField, error) {
	return createSetting(ctx, s, company, kindField,
		func(id string, now dossier.Time,
			others []dossier.CustomField) (f, answer dossier.CustomField, err error) {
			for _, o := range others {
				if o.Entity == in.Entity && o.Reference == in.Reference {
					return f, f, dossier.Errorf(dossier.CodeConflict,
						"Another custom field already has this reference.")
				}
			}
			f = dossier.CustomField{ID: id, Entity: in.Entity, Reference: in.Reference,
				Label: in.Label, Type: in.Type, CreatedAt: now, UpdatedAt: now}
			return f, f, nil
		})
}

// Field returns a custom field and the revision it has.
func (s *Store) Field(ctx context.Context, company, id string) (dossier.CustomField, Rev, error) {
	f, read, err := setting[dossier.CustomField](ctx, s, company, kindField, id)
	return f, Rev(read.Rev), err
}

// Fields returns a page of a company's custom fields.
func (s *Store) Fields(ctx context.Context, company, after string,
	limit int) ([]dossier.CustomField, string, error) {
	return settingsPage[dossier.CustomField](ctx, s, company, kindField, after, limit)
}

// ChangeField changes the label of a custom field.
func (s *Store) ChangeField(ctx context.Context, company, id string, want Rev,
	change func(dossier.CustomFieldUpdate) (dossier.CustomFieldUpdate, error)) (dossier.CustomField,
	Rev, error) {
	return updateSetting(ctx, s, company, kindField, id, want,
		func(f dossier.CustomField, now dossier.Time) (dossier.CustomField, dossier.CustomField,
			error) {
			in, err := change(dossier.CustomFieldUpdate{Label: f.Label})
			f.Label, f.UpdatedAt = in.Label, now
			return f, f, err
		})
}

// DeleteField deletes a custom field; IN_USE while a rule, write-back or preset names it. Values
// that exist stay.
func (s *Store) DeleteField(ctx context.Context, company, id string) error {
	return deleteSetting(ctx, s, company, kindField, id, func(f dossier.CustomField) []string {
		return []string{fieldName(f)}
	})
}

// fieldName is the custom field as rules, write-backs and presets name it.
func fieldName(f dossier.CustomField) string {
	if f.Entity == dossier.EntityDocument {
		return prefixDocumentField + f.Reference
	}
	return prefixCandidateField + f.Reference
}

// fieldTypes returns the types of a company's custom fields by cf_ or dcf_ reference.
func (s *Store) fieldTypes(ctx context.Context, company string) (map[string]string, error) {
	fields, err := settings[dossier.CustomField](ctx, s, company, kindField)
	types := make(map[string]string, len(fields))
	for _, f := range fields {
		types[fieldName(f)] = f.Type
	}
	return types, err
}

// CustomFieldTypes returns the types of a company's custom fields of an entity
// (dossier.EntityCandidate or EntityDocument), by reference.
func (s *Store) CustomFieldTypes(ctx context.Context,
	company, entity string) (map[string]string, error) {
	all, err := s.fieldTypes(ctx, company)
	if err != nil {
		return nil, err
	}
	prefix := prefixCandidateField
	if entity == dossier.EntityDocument {
		prefix = prefixDocumentField
	}
	types := map[string]string{}
	for name, fieldType := range all {
		if reference, ok := strings.CutPrefix(name, prefix); ok {
			types[reference] = fieldType
		}
	}
	return types, nil
}
