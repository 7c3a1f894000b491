package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// typeServerSet lists what the service sets on a document type, beside the usual members.
var typeServerSet = []string{"owner", "warnings"}

func (a *API) documentTypeRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.DocumentType, string, error) {
				return a.store.Types(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, a.validateType, func(in dossier.DocumentTypeInput) (dossier.DocumentType, error) {
				return a.store.CreateType(r.Context(), r.company(), in, a.cfg.NewSecret())
			}, typeServerSet...)
		},
		read: func(r *request) (any, error) { return read(a.store.Type(r.Context(), r.company(), r.param("id"))) },
		change: func(r *request) (any, error) {
			return change(r, a.validateType, func(want store.Rev, patch func(dossier.DocumentTypeInput) (dossier.DocumentTypeInput, error)) (dossier.DocumentType, store.Rev, error) {
				return a.store.ChangeType(r.Context(), r.company(), r.param("id"), want, a.cfg.NewSecret(), patch)
			}, typeServerSet...)
		},
		remove: func(r *request) (any, error) { return nil, a.store.DeleteType(r.Context(), r.company(), r.param("id")) },
	}.rows("/documentTypes", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
}

func (a *API) validateType(in dossier.DocumentTypeInput, p *dossier.Problems) {
	in.Validate(p, a.cfg.Targets.CheckURL)
}
