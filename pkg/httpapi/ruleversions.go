package httpapi

import (
	"net/http"
	"strconv"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func (a *API) ruleVersionRoutes() []route {
	const path, read = "/documentTypes/{id}/submission/versions", dossier.ScopeSettingsRead
	return []route{
		{method: http.MethodGet, path: path, scope: read, paging: paged,
			handle: func(r *request) (any, error) {
				return list(r,
					func(after string, limit int) ([]dossier.SubmissionVersion, string, error) {
						return a.store.RuleVersions(r.Context(), r.company(), r.param("id"), after,
							limit)
					})
			}},
		{method: http.MethodGet, path: path + "/{version}", scope: read, handle: a.ruleVersion},
		{method: http.MethodGet, path: path + "/{version}/diff/{other}", scope: read,
			handle: a.compareRules},
		{method: http.MethodPost, path: path + "/{version}/restore",
			scope: dossier.ScopeSettingsWrite, body: bodyNone, conditional: true,
			handle: a.restoreRules},
	}
}

func (a *API) ruleVersion(r *request) (any, error) {
	n, err := r.version("version")
	if err != nil {
		return nil, err
	}
	return a.store.RuleVersion(r.Context(), r.company(), r.param("id"), n)
}

func (a *API) compareRules(r *request) (any, error) {
	from, err := r.version("version")
	if err != nil {
		return nil, err
	}
	to, err := r.version("other")
	if err != nil {
		return nil, err
	}
	return a.store.CompareRules(r.Context(), r.company(), r.param("id"), from, to)
}

func (a *API) restoreRules(r *request) (any, error) {
	want, _, err := r.ifMatch()
	if err != nil {
		return nil, err
	}
	n, err := r.version("version")
	if err != nil {
		return nil, err
	}
	return read(a.store.RestoreRules(r.Context(), r.company(), r.param("id"), store.Rev(want), n))
}

// keepAsTest adds a rule run to the tests of its document type. The test shows values of a
// candidate's document.
func (a *API) keepAsTest(r *request) (any, error) {
	in, err := decodeValid(r, dossier.RuleTestInput.Validate)
	if err != nil {
		return nil, err
	}
	if err := r.needs("Keeping a rule run as a test", dossier.ScopeCandidatesRead,
		dossier.ScopeDocumentsRead); err != nil {
		return nil, err
	}
	want, _, err := r.ifMatch()
	if err != nil {
		return nil, err
	}
	return read(a.store.KeepAsTest(r.Context(), r.company(), r.param("id"), r.param("runId"),
		in.Name, store.Rev(want)))
}

// version returns the number of a version in the path. Other text is the number of none.
func (r *request) version(name string) (int64, error) {
	n, err := strconv.ParseInt(r.param(name), 10, 32)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != r.param(name) {
		return 0, dossier.ErrNotFound
	}
	return n, nil
}
