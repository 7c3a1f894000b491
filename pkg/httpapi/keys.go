package httpapi

import (
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
				r.mayGive(p, in.Kind, in.Scopes, in.ExpiresAt, a.cfg.Now())
			}
			return create(r, validate, func(in dossier.KeyInput) (dossier.Key, error) {
				return a.store.CreateKey(r.Context(), r.company(), in)
			}, "secret")
		},
		read: func(r *request) (any, error) {
			return read(a.store.AccessKey(r.Context(), r.company(), r.param("id")))
		},
		change: a.changeKey,
		remove: a.deleteKey,
	}.rows("/keys", dossier.ScopeKeys, dossier.ScopeKeys)
}

// changeKey changes a key that can do no more than the caller's. An end that stays is not checked:
// an expired key can be renamed.
func (a *API) changeKey(r *request) (any, error) {
	id := r.param("id")
	var before dossier.Key
	validate := func(in dossier.KeyUpdate, p *dossier.Problems) {
		in.Validate(p, before.ExpiresAt, a.cfg.Now())
		r.mayGiveScopes(p, "/scopes", in.Scopes)
		if !in.ExpiresAt.Equal(before.ExpiresAt) {
			r.mayGiveUntil(p, in.ExpiresAt, a.cfg.Now())
		}
	}
	changed, err := change(r, validate,
		func(want store.Rev, patch func(dossier.KeyUpdate) (dossier.KeyUpdate, error)) (dossier.Key,
			store.Rev, error) {
			return a.store.ChangeKey(r.Context(), r.company(), id, want,
				func(k dossier.Key) (dossier.KeyUpdate, error) {
					before = k
					current := dossier.KeyUpdate{Name: k.Name, Scopes: k.Scopes,
						ExpiresAt: k.ExpiresAt}
					if err := r.mayManage(k); err != nil {
						return current, err
					}
					return patch(current)
				})
		}, "kind", "secret")
	a.caller.forget(r.company(), id)
	return changed, err
}

// deleteKey revokes a key that can do no more than the caller's.
func (a *API) deleteKey(r *request) (any, error) {
	err := a.store.DeleteKey(r.Context(), r.company(), r.param("id"), r.mayManage)
	a.caller.forget(r.company(), r.param("id"))
	return nil, err
}
