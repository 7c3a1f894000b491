package httpapi

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func TestRouteTable(t *testing.T) {
	t.Parallel()
	good := settingsRow("GET", "/x/{id}", dossier.ScopeSettingsRead)
	with := func(change func(*route)) route {
		r := good
		change(&r)
		return r
	}
	for _, c := range []struct {
		name   string
		routes []route
		want   string // in the error; empty: none
	}{
		{"OK", []route{good}, ""},
		{"ErrNoScope", []route{with(func(r *route) { r.scope = "" })}, "no scope"},
		{"ErrScope", []route{with(func(r *route) { r.scope = "settings" })}, "no scope"},
		{"ErrPublicScope", []route{with(func(r *route) { r.public = true })}, "public"},
		{"ErrTwice", []route{good, good}, "twice"},
		{"ErrOtherName", []route{good, with(func(r *route) {
			r.method, r.path = "PATCH", "/x/{other}"
		})}, "conflicts"},
		{"ErrMethod", []route{with(func(r *route) { r.method = "HEAD" })}, "method"},
		{"ErrPath", []route{with(func(r *route) { r.path = "/x/" })}, "path"},
		{"ErrHandler", []route{with(func(r *route) { r.handle = nil })}, "handler"},
		{"ErrTokens", []route{with(func(r *route) { r.tokens = "candidateId" })}, "parameter"},
		{"ErrTokensFilter", []route{with(func(r *route) { r.tokens = "?candidateId" })},
			"parameter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := (&API{}).build(Config{}, &fakeResponses{}, c.routes)
			if c.want == "" != (err == nil) ||
				err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

// A group answers its own routes and what every group answers, and nothing else.
func TestGroups(t *testing.T) {
	t.Parallel()
	a, err := New(Config{Store: &store.Store{}, Groups: []Group{GroupMessages},
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]int{"/forms": 404, "/candidates/x/messages": 401,
		"/healthz": 200} {
		w := httptest.NewRecorder()
		a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if w.Code != want {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
}

// The real table has to build: every row is checked.
func TestRealRoutes(t *testing.T) {
	t.Parallel()
	a := &API{}
	if _, err := a.build(Config{}, &fakeResponses{}, a.routes(Groups())); err != nil {
		t.Fatal(err)
	}
}
