package httpapi

import (
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) settingsVersionRoutes() []route {
	const path, read = "/settings/{id}/versions", dossier.ScopeSettingsRead
	return []route{
		{method: http.MethodGet, path: path, scope: read, paging: paged,
			handle: func(r *request) (any, error) {
				return list(r,
					func(after string, limit int) ([]dossier.SettingsVersion, string, error) {
						return a.store.SettingsVersions(r.Context(), r.company(), r.param("id"),
							after, limit)
					})
			}},
		{method: http.MethodGet, path: path + "/{version}", scope: read,
			handle: a.settingsVersion},
		{method: http.MethodGet, path: path + "/{version}/diff/{other}", scope: read,
			handle: a.compareSettings},
		{method: http.MethodPost, path: path + "/{version}/restore",
			scope: dossier.ScopeSettingsWrite, body: bodyNone, conditional: true,
			handle: a.restoreSettings},
	}
}

func (a *API) settingsVersion(r *request) (any, error) {
	n, err := r.version("version")
	if err != nil {
		return nil, err
	}
	return a.store.SettingsVersion(r.Context(), r.company(), r.param("id"), n)
}

func (a *API) compareSettings(r *request) (any, error) {
	from, err := r.version("version")
	if err != nil {
		return nil, err
	}
	to, err := r.version("other")
	if err != nil {
		return nil, err
	}
	return a.store.CompareSettings(r.Context(), r.company(), r.param("id"), from, to)
}

// restoreSettings restores a version. The address of an integration was allowed when the version
// was saved, and is checked again whenever something is sent there.
func (a *API) restoreSettings(r *request) (any, error) {
	want, _, err := r.ifMatch()
	if err != nil {
		return nil, err
	}
	n, err := r.version("version")
	if err != nil {
		return nil, err
	}
	return read(a.store.RestoreSettings(r.Context(), r.company(), r.param("id"), store.Rev(want),
		n, r.maySendElsewhere))
}
