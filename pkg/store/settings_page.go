package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// storedPage is the registration page item. Document types are kept as ids.
type storedPage struct {
	dossier.RegistrationPage
	Related []dossier.RelatedDocumentInput `json:"related"`
}

func (p *storedPage) set(in dossier.RegistrationPageInput, now dossier.Time) {
	p.Name, p.Slug, p.Related, p.FormIDs, p.PresetID, p.UpdatedAt = in.Name, in.Slug, in.Documents,
		in.FormIDs, valueOr(in.PresetID, ""), now
	p.Active = in.Active == nil || *in.Active
	p.CustomFields = nil
	if len(in.CustomFields) > 0 {
		p.CustomFields = in.CustomFields
	}
}

func (p *storedPage) content() dossier.RegistrationPageInput {
	return dossier.RegistrationPageInput{Name: p.Name, Slug: p.Slug, Active: &p.Active,
		Documents: p.Related, FormIDs: p.FormIDs,
		PresetID: optional(p.PresetID), CustomFields: p.CustomFields}
}

func (p storedPage) documentTypeIDs() []string {
	ids := make([]string, len(p.Related))
	for n, d := range p.Related {
		ids[n] = d.DocumentTypeID
	}
	return ids
}

// shown returns the page as responses show it.
func (p storedPage) shown(types map[string]storedType) dossier.RegistrationPage {
	shown := p.RegistrationPage
	shown.Documents = []dossier.RelatedDocument{}
	for _, d := range p.Related {
		if dt, ok := types[d.DocumentTypeID]; ok {
			shown.Documents = append(shown.Documents,
				dossier.RelatedDocument{DocumentType: dt.shown(), Required: d.IsRequired()})
		}
	}
	return shown
}

// checkPage checks that the slug is free and that what the page names exists, and returns its
// document types.
func (s *Store) checkPage(ctx context.Context, company string, p storedPage,
	others []storedPage) (map[string]storedType, error) {
	for _, o := range others {
		if o.ID != p.ID && o.Slug == p.Slug {
			return nil, dossier.Errorf(dossier.CodeConflict,
				"Another registration page already has this slug.")
		}
	}
	if err := requireEntities(ctx, s, company, kindForm, "/formIds/%d", p.FormIDs); err != nil {
		return nil, err
	}
	if p.PresetID != "" {
		if err := requireEntities(ctx, s, company, kindPreset, "/presetId",
			[]string{p.PresetID}); err != nil {
			return nil, err
		}
	}
	if err := s.checkAskedFields(ctx, company, p.CustomFields); err != nil {
		return nil, err
	}
	return s.requireTypes(ctx, company, "/documents/%d/documentTypeId", p.documentTypeIDs())
}

// CreateRegistrationPage creates a registration page. The slug is unique in the company: CONFLICT.
func (s *Store) CreateRegistrationPage(ctx context.Context, company string,
	in dossier.RegistrationPageInput) (dossier.RegistrationPage, error) {
	return createSetting(ctx, s, company, kindPage,
		func(id string, now dossier.Time,
			others []storedPage) (p storedPage, answer dossier.RegistrationPage, err error) {
			p.ID, p.CreatedAt = id, now
			p.set(in, now)
			types, err := s.checkPage(ctx, company, p, others)
			return p, p.shown(types), err
		})
}

// RegistrationPage returns a registration page and the revision it has.
func (s *Store) RegistrationPage(ctx context.Context,
	company, id string) (dossier.RegistrationPage, Rev, error) {
	p, read, err := setting[storedPage](ctx, s, company, kindPage, id)
	if err != nil {
		return dossier.RegistrationPage{}, 0, err
	}
	types, err := s.types(ctx, company, p.documentTypeIDs())
	return p.shown(types), Rev(read.Rev), err
}

// PageRequest returns the additions of a registration page to a candidate who registers there.
// INVALID_TRANSITION for a page that is not active.
func (s *Store) PageRequest(ctx context.Context, company, id string) (NewCandidate, error) {
	p, _, err := setting[storedPage](ctx, s, company, kindPage, id)
	if err == nil && !p.Active {
		err = dossier.Errorf(dossier.CodeTransition, "The registration page is not active.")
	}
	n := NewCandidate{FormIDs: p.FormIDs, PresetID: p.PresetID, Page: true}
	for _, d := range p.Related {
		n.Documents = append(n.Documents,
			DocumentRequest{DocumentTypeID: d.DocumentTypeID, Optional: !d.IsRequired()})
	}
	return n, err
}

// RegistrationPages returns a page of a company's registration pages. Their document types are one
// more request.
func (s *Store) RegistrationPages(ctx context.Context, company, after string,
	limit int) ([]dossier.RegistrationPage, string, error) {
	stored, next, err := settingsPage[storedPage](ctx, s, company, kindPage, after, limit)
	if err != nil {
		return nil, "", err
	}
	types, err := typesOf(ctx, s, company, stored, storedPage.documentTypeIDs)
	list := make([]dossier.RegistrationPage, len(stored))
	for n, p := range stored {
		list[n] = p.shown(types)
	}
	return list, next, err
}

// ChangeRegistrationPage changes a registration page.
func (s *Store) ChangeRegistrationPage(ctx context.Context, company, id string, want Rev,
	change func(dossier.RegistrationPageInput) (dossier.RegistrationPageInput,
		error)) (dossier.RegistrationPage, Rev, error) {
	return updateSetting(ctx, s, company, kindPage, id, want,
		func(p storedPage, now dossier.Time) (after storedPage, answer dossier.RegistrationPage,
			err error) {
			in, err := change(p.content())
			if err != nil {
				return p, answer, err
			}
			p.set(in, now)
			others, err := settings[storedPage](ctx, s, company, kindPage)
			if err != nil {
				return p, answer, err
			}
			types, err := s.checkPage(ctx, company, p, others)
			return p, p.shown(types), err
		})
}

// DeleteRegistrationPage deletes a registration page.
func (s *Store) DeleteRegistrationPage(ctx context.Context, company, id string) error {
	return deleteSetting(ctx, s, company, kindPage, id, func(storedPage) []string { return nil })
}
