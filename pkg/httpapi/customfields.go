package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) customFieldRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.CustomField, string, error) {
				return a.store.Fields(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, dossier.CustomFieldInput.Validate,
				func(in dossier.CustomFieldInput) (dossier.CustomField, error) {
					return a.store.CreateField(r.Context(), r.company(), in)
				})
		},
		read: func(r *request) (any, error) {
			return read(a.store.Field(r.Context(), r.company(), r.param("id")))
		},
		change: func(r *request) (any, error) {
			return change(r, dossier.CustomFieldUpdate.Validate,
				func(want store.Rev, patch func(
					dossier.CustomFieldUpdate) (dossier.CustomFieldUpdate,
					error)) (dossier.CustomField, store.Rev, error) {
					return a.store.ChangeField(r.Context(), r.company(), r.param("id"), want, patch)
				}, "entity", "reference", "type")
		},
		remove: func(r *request) (any, error) {
			return nil, a.store.DeleteField(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/customFields", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
}
