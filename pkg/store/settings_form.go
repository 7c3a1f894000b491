package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// CreateForm makes a form.
func (s *Store) CreateForm(ctx context.Context, company string,
	in dossier.FormInput) (dossier.Form, error) {
	return createSetting(ctx, s, company, kindForm,
		func(id string, now dossier.Time, _ []dossier.Form) (dossier.Form, dossier.Form, error) {
			f := dossier.Form{ID: id, Name: in.Name, Fields: in.Fields, CreatedAt: now,
				UpdatedAt: now}
			return f, f, nil
		})
}

// Form returns a form and the revision it has.
func (s *Store) Form(ctx context.Context, company, id string) (dossier.Form, Rev, error) {
	f, read, err := setting[dossier.Form](ctx, s, company, kindForm, id)
	return f, Rev(read.Rev), err
}

// Forms returns a page of a company's forms.
func (s *Store) Forms(ctx context.Context, company, after string,
	limit int) ([]dossier.Form, string, error) {
	return settingsPage[dossier.Form](ctx, s, company, kindForm, after, limit)
}

// ChangeForm changes a form. Candidates that have it keep the name it had.
func (s *Store) ChangeForm(ctx context.Context, company, id string, want Rev,
	change func(dossier.FormInput) (dossier.FormInput, error)) (dossier.Form, Rev, error) {
	return updateSetting(ctx, s, company, kindForm, id, want,
		func(f dossier.Form, now dossier.Time) (dossier.Form, dossier.Form, error) {
			in, err := change(dossier.FormInput{Name: f.Name, Fields: f.Fields})
			f.Name, f.Fields, f.UpdatedAt = in.Name, in.Fields, now
			return f, f, err
		})
}

// DeleteForm deletes a form; IN_USE while a rule, preset or registration page names it.
func (s *Store) DeleteForm(ctx context.Context, company, id string) error {
	return deleteSetting(ctx, s, company, kindForm, id, func(f dossier.Form) []string {
		return []string{f.ID}
	})
}
