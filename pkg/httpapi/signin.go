package httpapi

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// signInRoutes returns the routes of signing in at a company's own provider, which need no key.
// POST /sessions finishes what they begin.
func (a *API) signInRoutes() []route {
	const path = "/public/{companyId}/sign-in"
	return []route{
		{method: http.MethodGet, path: path, public: true, guests: true, handle: a.publicSignIn},
		{method: http.MethodPost, path: path, public: true, guests: true, unkept: true,
			handle: a.startSignIn},
	}
}

func (a *API) publicSignIn(r *request) (any, error) {
	return a.store.PublicSignIn(r.Context(), r.param("companyId"))
}

// startSignIn begins an attempt: the answer says where the browser has to go.
func (a *API) startSignIn(r *request) (any, error) {
	in, err := decodeValid(r, dossier.SignInStart.Validate)
	if err != nil {
		return nil, err
	}
	company := r.param("companyId")
	with, attempt, ends, err := a.store.StartSignIn(r.Context(), company, in)
	if errors.Is(err, dossier.ErrNotFound) {
		err = a.noProvider(r, in)
	}
	if err != nil {
		return nil, err
	}
	free, err := a.askProvider(company)
	if err != nil {
		return nil, err
	}
	defer free()
	url, err := a.cfg.People.Begin(r.Context(), with)
	return dossier.SignInStarted{URL: url, Attempt: attempt, ExpiresAt: ends}, err
}

// noProvider tells a company without an active provider, NOT_FOUND, from a provider that it does
// not have.
func (a *API) noProvider(r *request, in dossier.SignInStart) error {
	if _, err := a.store.PublicSignIn(r.Context(), r.param("companyId")); err != nil {
		return err
	}
	var p dossier.Problems
	p.Add("/providerId", dossier.ProblemUnknown,
		"There is no active sign-in provider with the id %q.", dossier.Clip(in.ProviderID))
	return p.Err()
}

// askProvider bounds the requests to a company's providers that are under way.
func (a *API) askProvider(company string) (free func(), err error) {
	if a.cfg.People == nil {
		return nil, errUnavailable
	}
	if free = a.providers.take(company); free == nil {
		err = &dossier.Error{Code: dossier.CodeRateLimited, RetryAfter: time.Second,
			Detail: "Too many people are signing in at this provider. Try again in a moment."}
	}
	return free, err
}

// finishSignIn exchanges the code of an attempt for a session. The attempt is used up, whatever
// comes of it.
func (a *API) finishSignIn(r *request, in dossier.SessionInput) (dossier.Session, error) {
	var none dossier.Session
	s := parseSecret(in.Attempt)
	if s == nil || s.kind != markAttempt {
		return none, errUnauthorized
	}
	state := dossier.SignInExchange{Secret: s.of}.State()
	if subtle.ConstantTimeCompare([]byte(state), []byte(in.State)) != 1 {
		return none, errUnauthorized
	}
	free, err := a.askProvider(s.companyID) // first: an attempt that has to wait is not used up
	if err != nil {
		return none, err
	}
	defer free()
	with, err := a.store.TakeSignIn(r.Context(), s.companyID, s.id, s.of)
	if err != nil {
		return none, err
	}
	if in.Issuer != "" && in.Issuer != with.Provider.Issuer {
		return none, errUnauthorized
	}
	who, err := a.cfg.People.Finish(r.Context(), with, in.Code)
	if err != nil {
		return none, err
	}
	return a.store.CreatePersonSession(r.Context(), s.companyID, with.Provider, who)
}
