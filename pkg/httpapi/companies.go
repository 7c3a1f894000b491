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

// companyOfGroup returns the company that the request names and its revision, to an administrator
// of its group.
func (a *API) companyOfGroup(r *request) (c dossier.Company, rev store.Rev, err error) {
	group, err := a.ownGroup(r)
	if err != nil {
		return c, 0, err
	}
	if _, ok := dossier.ParseID(dossier.PrefixCompany, r.param("id"), 1); !ok {
		return c, 0, dossier.ErrNotFound
	}
	c, rev, err = a.store.CompanyAtRev(r.Context(), r.param("id"))
	if err == nil && c.GroupID != group {
		err = dossier.ErrNotFound
	}
	return c, rev, err
}

func (a *API) getCompany(r *request) (any, error) {
	return read(a.companyOfGroup(r))
}

func (a *API) renameCompany(r *request) (any, error) {
	if err := r.administrator("rename the company"); err != nil {
		return nil, err
	}
	if r.param("id") != r.company() {
		if _, _, err := a.companyOfGroup(r); err != nil {
			return nil, err
		}
		return nil, dossier.Errorf(dossier.CodeForbidden,
			"Only an administrator of this company can rename it.")
	}
	return change(r, dossier.CompanyInput.Validate,
		func(want store.Rev, patch func(dossier.CompanyInput) (dossier.CompanyInput, error)) (
			dossier.Company, store.Rev, error) {
			return a.store.RenameCompany(r.Context(), r.company(), want, patch)
		}, "groupId", "key")
}

// administrator refuses every caller that isn't an administrator.
func (r *request) administrator(to string) error {
	if r.principal.Kind != dossier.KindAdministrator {
		return dossier.Errorf(dossier.CodeForbidden, "Only an administrator can %s.", to)
	}
	return nil
}

// ownGroup returns the group of the caller's company, to an administrator.
func (a *API) ownGroup(r *request) (string, error) {
	if err := r.administrator("see the companies of the group"); err != nil {
		return "", err
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
