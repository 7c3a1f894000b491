package httpapi

import (
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// typeServerSet lists what the service sets on a document type, beside the usual members.
var typeServerSet = []string{"owner", "warnings", "parserConfirmation"}

func (a *API) documentTypeRoutes() []route {
	rows := resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.DocumentType, string, error) {
				return a.store.Types(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, a.validateType,
				func(in dossier.DocumentTypeInput) (dossier.DocumentType, error) {
					if err := r.maySendParts(in.Check, dossier.CheckInput{}); err != nil {
						return dossier.DocumentType{}, err
					}
					return a.store.CreateType(r.Context(), r.company(), in, a.cfg.NewSecret())
				}, typeServerSet...)
		},
		read: func(r *request) (any, error) {
			return read(a.store.Type(r.Context(), r.company(), r.param("id")))
		},
		change: a.changeType,
		remove: func(r *request) (any, error) {
			return nil, a.store.DeleteType(r.Context(), r.company(), r.param("id"))
		},
	}.rows("/documentTypes", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
	return append(rows, route{method: http.MethodPost,
		path: "/documentTypes/{id}/parser/confirm", scope: dossier.ScopeSettingsWrite,
		handle: a.confirmParser})
}

// confirmParser confirms the host of a shared type's parser service. Only a caller who can read
// documents may let them go there.
func (a *API) confirmParser(r *request) (any, error) {
	in, err := decodeValid(r, dossier.ParserConfirmationInput.Validate)
	if err != nil {
		return nil, err
	}
	if err := r.needs("Confirming a parser service", dossier.ScopeDocumentsRead); err != nil {
		return nil, err
	}
	return read(a.store.ConfirmParser(r.Context(), r.company(), r.param("id"), in.Host))
}

// changeType changes a document type. Only a caller who can read documents may change which parser
// service gets them.
func (a *API) changeType(r *request) (any, error) {
	return change(r, a.validateType,
		func(want store.Rev, patch func(
			dossier.DocumentTypeInput) (dossier.DocumentTypeInput, error)) (dossier.DocumentType,
			store.Rev, error) {
			allowed := func(current dossier.DocumentTypeInput) (dossier.DocumentTypeInput, error) {
				next, err := patch(current)
				if err == nil {
					err = r.maySendParts(next.Check, current.Check)
				}
				return next, err
			}
			return a.store.ChangeType(r.Context(), r.company(), r.param("id"), want,
				a.cfg.NewSecret(), allowed)
		}, typeServerSet...)
}

// maySendParts refuses a new address of a parser service to a caller who can't read documents.
func (r *request) maySendParts(in, before dossier.CheckInput) error {
	if in.HTTP == nil || before.HTTP != nil && *in.HTTP == *before.HTTP {
		return nil
	}
	return r.needs("The address of a parser service", dossier.ScopeDocumentsRead)
}

func (a *API) validateType(in dossier.DocumentTypeInput, p *dossier.Problems) {
	in.Validate(p, a.cfg.Targets.CheckURL)
}
