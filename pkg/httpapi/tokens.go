package httpapi

import (
	"net/http"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func (a *API) tokenRoutes() []route {
	const all = "/candidates/{id}/tokens"
	return []route{
		{method: http.MethodGet, path: all, scope: dossier.ScopeCandidatesRead,
			handle: a.listTokens},
		{method: http.MethodPost, path: all, scope: dossier.ScopeCandidatesWrite,
			body: bodyOptional, credentials: true, handle: a.createToken},
		{method: http.MethodDelete, path: all + "/{tokenId}", scope: dossier.ScopeCandidatesWrite,
			credentials: true, handle: a.deleteToken},
	}
}

// tokenInput is the body of POST /candidates/{id}/tokens.
type tokenInput struct {
	ExpiresIn *int64 `json:"expiresIn"` // seconds [the longest]
}

// Validate records a lifetime that is out of its bounds.
func (in tokenInput) Validate(p *dossier.Problems) {
	const shortest, longest = dossier.MinTokenSeconds, dossier.MaxTokenSeconds
	if s := in.ExpiresIn; s != nil && (*s < shortest || *s > longest) {
		p.Say("/expiresIn", dossier.ProblemOutOfRange, "has to be from %d to %d seconds",
			shortest, longest)
	}
}

// lifetime returns how long the token is valid.
func (in tokenInput) lifetime() time.Duration {
	if in.ExpiresIn == nil {
		return dossier.MaxTokenSeconds * time.Second
	}
	return time.Duration(*in.ExpiresIn) * time.Second
}

// tokenScopes lists what a candidate's token can do in its own dossier.
var tokenScopes = []string{dossier.ScopeCandidatesWrite, dossier.ScopeDocumentsWrite,
	dossier.ScopeMessagesWrite}

// createToken creates a token for a candidate.
func (a *API) createToken(r *request) (any, error) {
	if err := r.needs("A candidate's token", tokenScopes...); err != nil {
		return nil, err
	}
	in, err := decodeValid(r, tokenInput.Validate)
	if err != nil {
		return nil, err
	}
	return a.store.CreateToken(r.Context(), r.company(), r.param("id"), in.lifetime())
}

// listTokens returns the tokens of a candidate that are valid.
func (a *API) listTokens(r *request) (any, error) {
	return a.store.Tokens(r.Context(), r.company(), r.param("id"))
}

// deleteToken ends a candidate's token before its time.
func (a *API) deleteToken(r *request) (any, error) {
	candidate := r.param("id")
	err := a.store.RevokeToken(r.Context(), r.company(), candidate, r.param("tokenId"))
	a.caller.forget(r.company(), candidate)
	return nil, err
}
