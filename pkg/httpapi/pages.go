package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) pageRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.RegistrationPage, string, error) {
				return a.store.RegistrationPages(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, checkPage, func(in dossier.RegistrationPageInput) (dossier.RegistrationPage, error) {
				return a.store.CreateRegistrationPage(r.Context(), r.company(), in)
			})
		},
		read: func(r *request) (any, error) {
			return read(a.store.RegistrationPage(r.Context(), r.company(), r.param("id")))
		},
		change: func(r *request) (any, error) {
			return change(r, checkPage, func(want store.Rev, patch func(dossier.RegistrationPageInput) (dossier.RegistrationPageInput, error)) (dossier.RegistrationPage, store.Rev, error) {
				return a.store.ChangeRegistrationPage(r.Context(), r.company(), r.param("id"), want, patch)
			})
		},
		remove: func(r *request) (any, error) {
			return nil, a.store.DeleteRegistrationPage(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/registration-pages", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
}

func checkPage(p *dossier.Problems, in dossier.RegistrationPageInput) {
	noteName(p, in.Name)
	noteText(p, "/slug", in.Slug, true, dossier.MaxReference)
	if in.Slug != "" && !slugForm().MatchString(in.Slug) {
		p.Add("/slug", "malformed", "is not small letters and digits with single hyphens between them")
	}
	for n := range noteCount(p, "/documents", len(in.Documents), maxPageDocuments) {
		noteText(p, at("/documents", n)+"/documentTypeId", in.Documents[n].DocumentTypeID, true, maxParam)
	}
	noteIDs(p, "/formIds", in.FormIDs, maxPresetForms)
	if in.PresetID != nil {
		noteText(p, "/presetId", *in.PresetID, true, maxParam)
	}
}
