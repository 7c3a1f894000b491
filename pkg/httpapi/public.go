package httpapi

import (
	"errors"
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// publicRoutes returns the routes of active registration pages, which need no key.
func (a *API) publicRoutes() []route {
	const page = "/public/{companyId}/registration-pages/{page}"
	return []route{
		{method: http.MethodGet, path: page, public: true, guests: true, handle: a.publicPage},
		{method: http.MethodPost, path: page + "/register", public: true, guests: true,
			unkept: true, handle: a.registerInPublic},
	}
}

func (a *API) publicPage(r *request) (any, error) {
	return a.store.PublicPage(r.Context(), r.param("companyId"), r.param("page"))
}

// registerInPublic creates a candidate for somebody who registers. Beside the limit of each
// address, a limit of each page applies.
func (a *API) registerInPublic(r *request) (any, error) {
	in, err := decodeValid(r, dossier.PublicRegistration.Validate, candidateServerSet...)
	if err != nil {
		return nil, err
	}
	err = a.pages.take(dossier.Principal{Kind: "page", CompanyID: r.param("companyId"),
		ID: r.param("page")}, a.cfg.Now())
	if e := (*dossier.Error)(nil); errors.As(err, &e) {
		e.Detail = "Too many people are registering on this page. Try again in a moment."
	}
	if err != nil {
		return nil, err
	}
	if in.IdempotencyKey == nil {
		return a.store.Register(r.Context(), r.param("companyId"), r.param("page"),
			in.Candidate())
	}
	return a.store.RegisterOnce(r.Context(), r.param("companyId"), r.param("page"),
		in.Candidate(), store.Idempotency{CompanyID: r.param("companyId"), PrincipalID: "guest",
			Key: *in.IdempotencyKey, BodyHash: requestHash(r)})
}
