package httpapi

import "slices"

// routes is the one table of routes and of the scope that each needs. Every resource file contributes its rows.
func (a *API) routes() []route {
	return slices.Concat(
		a.serviceRoutes(),
		a.candidateRoutes(),
		a.requestRoutes(),
		a.messageRoutes(),
		a.logRoutes(),
	)
}
