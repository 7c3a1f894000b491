package httpapi

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// fieldTypes are the types of form fields and custom fields.
var fieldTypes = []string{dossier.FieldText, dossier.FieldNumber, dossier.FieldBoolean, dossier.FieldDate, dossier.FieldList}

const maxFormFields = 100

func (a *API) formRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.Form, string, error) {
				return a.store.Forms(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, checkForm, func(in dossier.FormInput) (dossier.Form, error) {
				return a.store.CreateForm(r.Context(), r.company(), in)
			})
		},
		read: func(r *request) (any, error) { return read(a.store.Form(r.Context(), r.company(), r.param("id"))) },
		change: func(r *request) (any, error) {
			return change(r, checkForm, func(want store.Rev, patch func(dossier.FormInput) (dossier.FormInput, error)) (dossier.Form, store.Rev, error) {
				return a.store.ChangeForm(r.Context(), r.company(), r.param("id"), want, patch)
			})
		},
		remove: func(r *request) (any, error) { return nil, a.store.DeleteForm(r.Context(), r.company(), r.param("id")) },
	}.rows("/forms", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
}

func checkForm(p *dossier.Problems, in dossier.FormInput) {
	noteName(p, in.Name)
	for n := range noteCount(p, "/fields", len(in.Fields), maxFormFields) {
		f, pointer := in.Fields[n], at("/fields", n)
		noteReference(p, pointer+"/reference", f.Reference)
		if f.Reference != "" && slices.ContainsFunc(in.Fields[:n], func(o dossier.FormField) bool { return o.Reference == f.Reference }) {
			p.Add(pointer+"/reference", "duplicate", "is the reference of two fields")
		}
		noteText(p, pointer+"/label", f.Label, true, dossier.MaxName)
		noteWord(p, pointer+"/type", f.Type, fieldTypes)
	}
}
