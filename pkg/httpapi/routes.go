package httpapi

import "slices"

// routes is the one table of routes and of the scope that each needs. Every resource file contributes its rows.
func (a *API) routes() []route {
	return slices.Concat(
		a.serviceRoutes(),
		a.documentTypeRoutes(),
		a.simulateRoutes(),
		a.formRoutes(),
		a.presetRoutes(),
		a.customFieldRoutes(),
		a.scenarioRoutes(),
		a.pageRoutes(),
		a.integrationRoutes(),
		a.keyRoutes(),
		a.tokenRoutes(),
		a.companyRoutes(),
		a.candidateRoutes(),
		a.requestRoutes(),
		a.messageRoutes(),
		a.logRoutes(),
	)
}
