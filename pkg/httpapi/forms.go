package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) formRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.Form, string, error) {
				return a.store.Forms(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, dossier.FormInput.Validate,
				func(in dossier.FormInput) (dossier.Form, error) {
					return a.store.CreateForm(r.Context(), r.company(), in)
				})
		},
		read: func(r *request) (any, error) {
			return read(a.store.Form(r.Context(), r.company(), r.param("id")))
		},
		change: func(r *request) (any, error) {
			return change(r, dossier.FormInput.Validate,
				func(want store.Rev, patch func(dossier.FormInput) (dossier.FormInput, error)) (
					dossier.Form, store.Rev, error) {
					return a.store.ChangeForm(r.Context(), r.company(), r.param("id"), want, patch)
				})
		},
		remove: func(r *request) (any, error) {
			return nil, a.store.DeleteForm(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/forms", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
}
