package httpapi

import "net/http"

// routes is the one table of routes and of the scope that each needs. Every resource file contributes its rows.
func (a *API) routes() []route {
	return []route{
		{method: http.MethodGet, path: "/healthz", public: true, handle: healthz},
	}
}

// health is the answer of /healthz.
type health struct {
	Status string `json:"status"`
}

func healthz(*request) (any, error) { return health{Status: "ok"}, nil }
