package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) pageRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string,
				limit int) ([]dossier.RegistrationPage, string, error) {
				return a.store.RegistrationPages(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, dossier.RegistrationPageInput.Validate,
				func(in dossier.RegistrationPageInput) (dossier.RegistrationPage, error) {
					return a.store.CreateRegistrationPage(r.Context(), r.company(), in)
				})
		},
		read: func(r *request) (any, error) {
			return read(a.store.RegistrationPage(r.Context(), r.company(), r.param("id")))
		},
		change: func(r *request) (any, error) {
			return change(r, dossier.RegistrationPageInput.Validate,
				func(want store.Rev, patch func(
					dossier.RegistrationPageInput) (dossier.RegistrationPageInput,
					error)) (dossier.RegistrationPage, store.Rev, error) {
					return a.store.ChangeRegistrationPage(r.Context(), r.company(), r.param("id"),
						want,
						patch)
				})
		},
		remove: func(r *request) (any, error) {
			return nil, a.store.DeleteRegistrationPage(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/registration-pages", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
}
