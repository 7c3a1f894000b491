package httpapi

import (
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
)

const healthPath = "/healthz"

// serviceRoutes are about the service itself and need no key.
func (a *API) serviceRoutes() []route {
	return []route{
		{method: http.MethodGet, path: healthPath, public: true, handle: a.health},
	}
}

func (a *API) openAPIRoutes() []route {
	return []route{{method: http.MethodGet, path: "/openapi.json", public: true, handle: a.openAPI}}
}

// health is the response of /healthz.
type health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

func (a *API) health(*request) (any, error) {
	return health{Status: "ok", Version: a.cfg.Version}, nil
}

func (a *API) openAPI(r *request) (any, error) {
	if len(a.cfg.OpenAPI) == 0 {
		return nil, dossier.ErrNotFound
	}
	return a.document().negotiate(r.Header), nil
}
