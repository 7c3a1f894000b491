package httpapi

import (
	"crypto/sha256"
	"errors"
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func (a *API) sessionRoutes() []route {
	const own = "/sessions/current"
	return []route{
		{method: http.MethodPost, path: "/sessions", public: true, guests: true, unkept: true,
			handle: a.createSession},
		{method: http.MethodGet, path: own, anyone: true, handle: a.currentSession},
		{method: http.MethodDelete, path: own, anyone: true, handle: a.endSession},
	}
}

var errBadSignIn = dossier.Errorf(dossier.CodeUnauthorized,
	"Signing in failed: the key or link is unknown or has expired, or the link was already used.")

// errBadAttempt is the answer for everything that is wrong with an attempt or its code.
var errBadAttempt = dossier.Errorf(dossier.CodeUnauthorized,
	"Signing in at the provider failed, or took too long, or belongs to another browser. Start again.")

// createSession signs in with a key or a sign-in link. Every bad credential gets the same response.
func (a *API) createSession(r *request) (any, error) {
	in, err := decodeValid(r, dossier.SessionInput.Validate)
	if err != nil {
		return nil, err
	}
	made, err := a.signIn(r, in)
	e, known := errors.AsType[*dossier.Error](err)
	if known && (e.Code == dossier.CodeNotFound || e.Code == dossier.CodeUnauthorized) {
		err = errBadSignIn
		if in.Attempt != "" {
			err = errBadAttempt
		}
	}
	return made, err
}

func (a *API) signIn(r *request, in dossier.SessionInput) (dossier.Session, error) {
	s := parseSecret(in.Key + in.Link)
	switch {
	case in.Attempt != "":
		return a.finishSignIn(r, in)
	case s != nil && s.kind == markLink && in.Link != "":
		return a.store.UseSignInLink(r.Context(), s.companyID, s.id, s.of)
	case s != nil && s.kind == markKey && in.Key != "":
		who, err := a.caller.authenticateKey(r.Context(), in.Key, s, true)
		if err != nil {
			return dossier.Session{}, err
		}
		return a.store.CreateSession(r.Context(), s.companyID, who.principal.ID)
	}
	return dossier.Session{}, errUnauthorized
}

// currentSession returns the caller and the end of the session.
func (a *API) currentSession(r *request) (any, error) {
	company, err := a.store.Company(r.Context(), r.company())
	if err != nil {
		return nil, err
	}
	s := dossier.Session{Company: dossier.SessionCompany{ID: company.ID, Name: company.Name},
		Principal: r.principal.Actor(), Scopes: r.principal.Scopes, ExpiresAt: r.expires}
	if s.Scopes == nil {
		s.Scopes = []string{}
	}
	return s, nil
}

// endSession signs out: it ends the session or the candidate's token that the request came with.
func (a *API) endSession(r *request) (any, error) {
	raw, _ := bearer(r.Request)
	s := parseSecret(raw)
	var err error
	switch {
	case s != nil && (s.kind == markSession || s.kind == markPerson):
		err = a.store.EndSession(r.Context(), s.companyID, s.keyID, s.id)
	case s != nil && s.kind == markToken:
		err = a.store.EndToken(r.Context(), s.companyID, s.id)
	default:
		return nil, dossier.Errorf(dossier.CodeForbidden,
			"Only a session or a candidate's token can be ended here. To revoke a key, use DELETE /keys/{id}.")
	}
	if err == nil {
		a.caller.cache.Remove(sha256.Sum256([]byte(raw)))
	}
	return nil, err
}
