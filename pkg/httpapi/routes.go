package httpapi

import "slices"

// Group is the routes that one function on AWS answers. Only the groups that a binary names are
// linked into it.
type Group struct {
	name string
	rows func(*API) []route
}

// String is the name of the group's function.
func (g Group) String() string { return g.name }

// The groups of routes. Every resource file contributes its rows, each with the scope that it
// needs.
var (
	GroupCandidates = Group{"candidates", func(a *API) []route {
		return slices.Concat(a.candidateRoutes(), a.tokenRoutes())
	}}
	GroupMessages  = Group{"messages", (*API).messageRoutes}
	GroupDocuments = Group{"documents", func(a *API) []route {
		return slices.Concat(a.requestRoutes(), a.overviewRoutes())
	}}

	GroupDocumentTypes = Group{"documenttypes", func(a *API) []route {
		return slices.Concat(a.documentTypeRoutes(), a.simulateRoutes(),
			a.ruleVersionRoutes())
	}}
	GroupScenarios = Group{"scenarios", (*API).scenarioRoutes}

	GroupRegistrationPages = Group{"registrationpages", func(a *API) []route {
		return slices.Concat(a.pageRoutes(), a.registerRoutes(), a.publicRoutes())
	}}

	GroupIntegrations = Group{"integrations", func(a *API) []route {
		return slices.Concat(a.integrationRoutes(), a.logRoutes())
	}}
	GroupSettings = Group{"settings", func(a *API) []route {
		return slices.Concat(a.openAPIRoutes(), a.formRoutes(), a.presetRoutes(),
			a.settingsVersionRoutes(),
			a.customFieldRoutes(), a.keyRoutes(), a.companyRoutes(),
			a.sessionRoutes(), a.signInProviderRoutes(), a.signInRoutes())
	}}
)

// Groups returns all of them: what the standalone process answers.
func Groups() []Group {
	return []Group{GroupCandidates, GroupMessages, GroupDocuments, GroupDocumentTypes,
		GroupScenarios, GroupRegistrationPages,
		GroupIntegrations, GroupSettings}
}

// routes returns the routes of the groups with their scopes, and the routes that every group
// serves.
func (a *API) routes(groups []Group) []route {
	all := a.serviceRoutes()
	for _, g := range groups {
		all = append(all, g.rows(a)...)
	}
	return all
}
