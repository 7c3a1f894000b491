package httpapi

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) signInProviderRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r,
				func(after string, limit int) ([]dossier.SignInProvider, string, error) {
					return a.store.SignInProviders(r.Context(), r.company(), after, limit)
				})
		},
		create: a.createSignInProvider,
		read: func(r *request) (any, error) {
			return read(a.store.SignInProvider(r.Context(), r.company(), r.param("id")))
		},
		change: a.changeSignInProvider,
		remove: a.deleteSignInProvider,
	}.rows("/signInProviders", dossier.ScopeKeys, dossier.ScopeKeys)
}

// mayGiveForever refuses a caller who can't give administrators access without an end, as a sign-in
// provider does.
func (r *request) mayGiveForever() error {
	if err := r.administrator("set up a sign-in provider"); err != nil {
		return err
	}
	if r.external || !r.keyEnds.IsZero() {
		return dossier.Errorf(dossier.CodeForbidden, "A sign-in provider gives access without an "+
			"end, so setting it up requires an administrator key that does not end.")
	}
	return nil
}

// validProvider returns the check of an input: what is wrong with it, and what the caller has not
// and so can't give.
func (a *API) validProvider(r *request) func(dossier.SignInProviderInput, *dossier.Problems) {
	return func(in dossier.SignInProviderInput, p *dossier.Problems) {
		in.Validate(p, a.cfg.Targets.CheckURL)
		r.mayGiveScopes(p, "/scopes", in.Scopes)
		for n, g := range in.Groups {
			r.mayGiveScopes(p, dossier.Element("/groups", n)+"/scopes", g.Scopes)
		}
	}
}

func (a *API) createSignInProvider(r *request) (any, error) {
	if err := r.mayGiveForever(); err != nil {
		return nil, err
	}
	return create(r, a.validProvider(r),
		func(in dossier.SignInProviderInput) (dossier.SignInProvider, error) {
			return a.store.CreateSignInProvider(r.Context(), r.company(), in)
		}, "clientSecretSet")
}

// changeSignInProvider changes a provider that gives no scope that the caller lacks.
func (a *API) changeSignInProvider(r *request) (any, error) {
	if err := r.mayGiveForever(); err != nil {
		return nil, err
	}
	type input = dossier.SignInProviderInput
	changed, err := change(r, a.validProvider(r),
		func(want store.Rev, patch func(input) (input, error)) (dossier.SignInProvider, store.Rev,
			error) {
			return a.store.ChangeSignInProvider(r.Context(), r.company(), r.param("id"), want,
				func(current input) (input, error) {
					if err := r.hasAll(current.Gives()); err != nil {
						return current, err
					}
					return patch(current)
				})
		}, "clientSecretSet")
	a.caller.forget(r.company(), r.param("id"))
	return changed, err
}

// deleteSignInProvider deletes a provider that gives no scope that the caller lacks.
func (a *API) deleteSignInProvider(r *request) (any, error) {
	if err := r.administrator("delete a sign-in provider"); err != nil {
		return nil, err
	}
	p, _, err := a.store.SignInProvider(r.Context(), r.company(), r.param("id"))
	if err != nil {
		return nil, err
	}
	gives := dossier.SignInProviderInput{Scopes: p.Scopes, Groups: p.Groups}.Gives()
	if err := r.hasAll(gives); err != nil {
		return nil, err
	}
	err = a.store.DeleteSignInProvider(r.Context(), r.company(), r.param("id"))
	a.caller.forget(r.company(), r.param("id"))
	return nil, err
}

// hasAll refuses a caller who lacks a scope that a sign-in provider gives.
func (r *request) hasAll(scopes []string) error {
	for _, scope := range scopes {
		if !r.principal.Has(scope) {
			return dossier.Errorf(dossier.CodeForbidden,
				"This sign-in provider gives the scope %s, which you do not have.", scope)
		}
	}
	return nil
}
