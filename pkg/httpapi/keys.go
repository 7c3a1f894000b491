package httpapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) keyRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.Key, string, error) {
				return a.store.AccessKeys(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			validate := func(in dossier.KeyInput, p *dossier.Problems) {
				in.Validate(p, a.cfg.Now())
				ownScopes(p, r.principal, in.Scopes)
			}
			return create(r, validate, func(in dossier.KeyInput) (dossier.Key, error) {
				return a.store.CreateKey(r.Context(), r.company(), in)
			}, "secret")
		},
		read: func(r *request) (any, error) {
			return read(a.store.AccessKey(r.Context(), r.company(), r.param("id")))
		},
		change: a.changeKey,
		remove: func(r *request) (any, error) { return nil, a.store.DeleteKey(r.Context(), r.company(), r.param("id")) },
	}.rows("/keys", dossier.ScopeKeys, dossier.ScopeKeys)
}

// changeKey changes a key. A moment in the past is refused only where the request names it: an expired key can still be renamed.
func (a *API) changeKey(r *request) (any, error) {
	var before dossier.Time
	validate := func(in dossier.KeyUpdate, p *dossier.Problems) {
		in.Validate(p, before, a.cfg.Now())
		ownScopes(p, r.principal, in.Scopes)
	}
	return change(r, validate, func(want store.Rev, patch func(dossier.KeyUpdate) (dossier.KeyUpdate, error)) (dossier.Key, store.Rev, error) {
		return a.store.ChangeKey(r.Context(), r.company(), r.param("id"), want, func(current dossier.KeyUpdate) (dossier.KeyUpdate, error) {
			before = current.ExpiresAt
			return patch(current)
		})
	}, "kind", "secret")
}

// ownScopes notes the scopes that the caller does not have: nobody gives more than they have.
func ownScopes(p *dossier.Problems, principal dossier.Principal, scopes []string) {
	for n, scope := range scopes {
		if slices.Contains(dossier.Scopes, scope) && !principal.Has(scope) {
			p.Add(dossier.Element("/scopes", n), dossier.ProblemNotAllowed, "You can't give a scope that you don't have.")
		}
	}
}

func (a *API) tokenRoutes() []route {
	return []route{{method: http.MethodPost, path: "/candidates/{id}/tokens", scope: dossier.ScopeCandidatesWrite,
		body: bodyNone, handle: a.createToken}}
}

// tokenFor is how long a candidate's token is valid.
const tokenFor = 24 * time.Hour

// createToken makes a token of a candidate.
func (a *API) createToken(r *request) (any, error) {
	return a.store.CreateToken(r.Context(), r.company(), r.param("id"), tokenFor)
}
