package httpapi

import (
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func (a *API) overviewRoutes() []route {
	return []route{{method: http.MethodGet, path: "/overview", scope: dossier.ScopeDocumentsRead,
		handle: a.overview}}
}

// overview answers what waits in the company.
func (a *API) overview(r *request) (any, error) {
	return a.store.Overview(r.Context(), r.company())
}
