package httpapi

import (
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
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
		groups []string
		want   string // in the error; empty: none
	}{
		{"OK", []route{good}, nil, ""},
		{"OK group", []route{good}, []string{GroupSettings}, ""},
		{"ErrGroup", []route{good}, []string{"setings"}, `group "setings"`},
		{"ErrNoScope", []route{with(func(r *route) { r.scope = "" })}, nil, "no scope"},
		{"ErrNoScope of a group that is not asked for", []route{with(func(r *route) { r.scope = "" })}, []string{GroupMessages}, "no scope"},
		{"ErrScope", []route{with(func(r *route) { r.scope = "settings" })}, nil, "no scope"},
		{"ErrPublicScope", []route{with(func(r *route) { r.public = true })}, nil, "public"},
		{"ErrTwice", []route{good, good}, nil, "twice"},
		{"ErrOtherName", []route{good, with(func(r *route) { r.method, r.path = "PATCH", "/x/{other}" })}, nil, "conflicts"},
		{"ErrRouteGroup", []route{with(func(r *route) { r.group = "" })}, nil, "group"},
		{"ErrMethod", []route{with(func(r *route) { r.method = "HEAD" })}, nil, "method"},
		{"ErrPath", []route{with(func(r *route) { r.path = "/x/" })}, nil, "path"},
		{"ErrHandler", []route{with(func(r *route) { r.handle = nil })}, nil, "handler"},
		{"ErrTokens", []route{with(func(r *route) { r.tokens = "candidateId" })}, nil, "parameter"},
		{"ErrTokensFilter", []route{with(func(r *route) { r.tokens = "?candidateId" })}, nil, "parameter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := (&API{}).build(Config{Groups: c.groups}, &shelf{}, c.routes)
			if c.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	message := settingsRow("GET", "/messages", dossier.ScopeMessagesRead)
	message.group = GroupMessages
	health := route{method: "GET", path: "/healthz", public: true, handle: (&API{}).health}
	b := newBench(t, Config{Groups: []string{GroupMessages}}, settingsRow("GET", "/x", dossier.ScopeSettingsRead), message, health)
	for target, want := range map[string]int{"/x": 404, "/messages": 200, "/healthz": 200} {
		if w := b.do(t, call{method: "GET", target: target}); w.Code != want {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
}

// The real table has to build: every row is checked, whatever the groups.
func TestRealRoutes(t *testing.T) {
	t.Parallel()
	a := &API{}
	if _, err := a.build(Config{}, &shelf{}, a.routes()); err != nil {
		t.Fatal(err)
	}
}
