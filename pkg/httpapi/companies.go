package httpapi

import (
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) companyRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/companies", scope: dossier.ScopeKeys, paging: paged,
			handle: a.listCompanies},
		{method: http.MethodPost, path: "/companies", scope: dossier.ScopeKeys,
			handle: a.createCompany},
		{method: http.MethodGet, path: "/companies/{id}", scope: dossier.ScopeKeys,
			handle: a.getCompany},
		{method: http.MethodPatch, path: "/companies/{id}", scope: dossier.ScopeKeys,
			handle: a.renameCompany},
	}
}

// ownCompany refuses the id of every other company, also of one in the group.
func (r *request) ownCompany() error {
	if r.principal.Kind != dossier.KindAdministrator {
		return dossier.Errorf(dossier.CodeForbidden,
			"Only an administrator of the company can see and rename it.")
	}
	if r.param("id") != r.company() {
		return dossier.ErrNotFound
	}
	return nil
}

func (a *API) getCompany(r *request) (any, error) {
	if err := r.ownCompany(); err != nil {
		return nil, err
	}
	return read(a.store.CompanyAtRev(r.Context(), r.company()))
}

func (a *API) renameCompany(r *request) (any, error) {
	if err := r.ownCompany(); err != nil {
		return nil, err
	}
	return change(r, dossier.CompanyInput.Validate,
		func(want store.Rev, patch func(dossier.CompanyInput) (dossier.CompanyInput, error)) (
			dossier.Company, store.Rev, error) {
			return a.store.RenameCompany(r.Context(), r.company(), want, patch)
		}, "groupId", "key")
}

// ownGroup returns the group of the caller's company, to an administrator.
func (a *API) ownGroup(r *request) (string, error) {
	if r.principal.Kind != dossier.KindAdministrator {
		return "", dossier.Errorf(dossier.CodeForbidden,
			"Only an administrator can see the companies of the group.")
	}
	own, err := a.store.Company(r.Context(), r.company())
	return own.GroupID, err
}

func (a *API) listCompanies(r *request) (any, error) {
	group, err := a.ownGroup(r)
	if err != nil {
		return nil, err
	}
	return list(r, func(after string, limit int) ([]dossier.Company, string, error) {
		return a.store.Companies(r.Context(), group, after, limit)
	})
}

func (a *API) createCompany(r *request) (any, error) {
	in, err := decodeValid(r, dossier.CompanyInput.Validate, "groupId", "key")
	if err != nil {
		return nil, err
	}
	group, err := a.ownGroup(r)
	if err != nil {
		return nil, err
	}
	// Its first key is a credential like every other that the caller gives.
	first := dossier.KeyUpdate{Name: "First administrator", Scopes: r.principal.Scopes,
		ExpiresAt: r.givable(a.cfg.Now())}
	made, err := a.store.CreateSibling(r.Context(), r.company(), group, in.Name, first)
	return made, err
}
