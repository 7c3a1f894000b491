package httpapi

import (
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// maxGivenByJWT is the longest life of a key that a sign-in by OIDC makes. The account at the
// issuer may end; the key would not.
const maxGivenByJWT = 90 * 24 * time.Hour

// givable is the latest end of a credential that the caller gives; zero is no end.
func (r *request) givable(now time.Time) dossier.Time {
	if r.external {
		return dossier.NewTime(now.Add(maxGivenByJWT))
	}
	return r.keyEnds
}

// mayGive records what the caller can't give: a kind above its own, scopes that it lacks, and an
// end after its own. It applies to keys, tokens, sessions and the first keys of companies.
func (r *request) mayGive(p *dossier.Problems, kind string, scopes []string, expiresAt dossier.Time,
	now time.Time) {
	r.mayGiveKind(p, kind)
	r.mayGiveScopes(p, "/scopes", scopes)
	r.mayGiveUntil(p, expiresAt, now)
}

func (r *request) mayGiveKind(p *dossier.Problems, kind string) {
	if slices.Index(dossier.KeyKinds, kind) > slices.Index(dossier.KeyKinds, r.principal.Kind) {
		p.Add("/kind", dossier.ProblemNotAllowed,
			"An integration's key cannot create an administrator's key.")
	}
}

func (r *request) mayGiveScopes(p *dossier.Problems, pointer string, scopes []string) {
	for n, scope := range scopes {
		if slices.Contains(dossier.Scopes, scope) && !r.principal.Has(scope) {
			p.Add(dossier.Element(pointer, n), dossier.ProblemNotAllowed,
				"You cannot grant the scope %s, because you do not have it.", scope)
		}
	}
}

func (r *request) mayGiveUntil(p *dossier.Problems, expiresAt dossier.Time, now time.Time) {
	latest := r.givable(now)
	if !latest.IsZero() && (expiresAt.IsZero() || expiresAt.After(latest.Time)) {
		p.Add("/expiresAt", dossier.ProblemNotAllowed,
			"The key cannot outlive your own access: expiresAt must not be after %s.", latest)
	}
}

// mayManage refuses to change or delete a key of a kind or with scopes that the caller lacks. Its
// end does not count: someone with temporary access may still revoke a permanent key.
func (r *request) mayManage(k dossier.Key) error {
	var p dossier.Problems
	r.mayGiveKind(&p, k.Kind)
	r.mayGiveScopes(&p, "/scopes", k.Scopes)
	if p.Len() > 0 {
		return dossier.Errorf(dossier.CodeForbidden,
			"This key can do more than yours, so you cannot change or delete it.")
	}
	return nil
}

// needs returns FORBIDDEN unless the caller has every one of the scopes.
func (r *request) needs(what string, scopes ...string) error {
	for _, scope := range scopes {
		if !r.principal.Has(scope) {
			return dossier.Errorf(dossier.CodeForbidden, "%s requires a key with the scope %s.",
				what,
				scope)
		}
	}
	return nil
}
