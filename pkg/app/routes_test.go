package app_test

import (
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/app/templatetest"
	"github.com/dossierhq/dossier/pkg/blob/fileblob"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
)

var (
	update    = flag.Bool("update", false, "write the routes of template.yaml")
	parameter = regexp.MustCompile(`\{\w+\}`)
)

// nameless returns a route without the names of its parameters.
func nameless(route string) string { return parameter.ReplaceAllString(route, "{}") }

// templateRoutes maps every route of the template to its function.
func templateRoutes(t *testing.T) map[string]string {
	t.Helper()
	routes := map[string]string{}
	for name, f := range templatetest.Functions(t, templatetest.Read(t)) {
		events, _ := f.Properties["Events"].(map[string]any)
		for _, e := range events {
			event := e.(map[string]any)
			if event["Type"] != "HttpApi" {
				continue
			}
			p := event["Properties"].(map[string]any)
			route := p["Method"].(string) + " " + p["Path"].(string)
			if other, taken := routes[route]; taken {
				t.Errorf("%s leads to %s and %s", route, name, other)
			}
			routes[route] = name
		}
	}
	return routes
}

// documentRoutes lists every route of the OpenAPI document.
func documentRoutes(t *testing.T) []string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(openapi.Document, &document); err != nil {
		t.Fatal(err)
	}
	var routes []string
	for path, operations := range document.Paths {
		for method := range operations {
			if method := strings.ToUpper(method); method != "PARAMETERS" && method != "SUMMARY" &&
				method != "DESCRIPTION" {
				routes = append(routes, method+" "+path)
			}
		}
	}
	slices.Sort(routes)
	return routes
}

// apis returns an API for each group of routes, by the name of its function.
func apis(t *testing.T) map[string]*httpapi.API {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "dossier.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	blobs, err := fileblob.New(t.TempDir(), "http://127.0.0.1", []byte("a secret of this test"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	guard := webhook.NewGuard(nil)
	all := map[string]*httpapi.API{}
	for _, group := range httpapi.Groups() {
		if all[group.String()], err = httpapi.New(httpapi.Config{
			Store:  store.New(engine, store.Config{}),
			Groups: []httpapi.Group{group}, Blobs: blobs, Log: slog.New(slog.DiscardHandler),
			Targets: guard, Prober: webhook.NewSender(guard, webhook.Config{}),
			NewSecret: webhook.NewSecret,
			OpenAPI:   openapi.Document,
		}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// answers reports whether an API answers a route. OPTIONS says which methods an address answers,
// without a key.
func answers(api *httpapi.API, route string) bool {
	method, path, _ := strings.Cut(route, " ")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest(http.MethodOptions,
		parameter.ReplaceAllString(path, "x"), nil))
	return slices.Contains(strings.Split(w.Header().Get("Allow"), ", "), method)
}

// TestRoutesOfTheTemplate holds that the API has exactly the routes of the OpenAPI document,
// without a greedy one. With -update it writes the routes that are missing into the template, each
// to the function that answers it, and takes away those that are gone.
func TestRoutesOfTheTemplate(t *testing.T) {
	t.Parallel()
	routes := documentRoutes(t)
	if *update {
		updateTemplate(t, routes)
		return
	}
	want, got := map[string]bool{}, map[string]bool{}
	for _, route := range routes {
		want[nameless(route)] = true
	}
	for route, function := range templateRoutes(t) {
		if function != "web" { // TestRoutesOfThePages
			got[nameless(route)] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-OpenAPI +template):\n%s\n"+
			"Run go test ./pkg/app -run TestRoutesOfTheTemplate -update", diff)
	}
}

var (
	functionLine = regexp.MustCompile(`^  (\w+)Function:$`)
	routeLine    = regexp.MustCompile(
		`^        \w+: .*Type: HttpApi.*Method: (\w+), Path: "([^"]+)"`)
	word = regexp.MustCompile(`\w+`)
)

// updateTemplate writes the lines of the template that lead routes to functions. A line that is
// there stays where it is.
func updateTemplate(t *testing.T, routes []string) {
	t.Helper()
	missing := map[string][]string{} // by function
	have, want := map[string]bool{}, map[string]bool{}
	for route := range templateRoutes(t) {
		have[nameless(route)] = true
	}
	for _, route := range routes {
		want[nameless(route)] = true
		if have[nameless(route)] {
			continue
		}
		for function, api := range apis(t) {
			if answers(api, route) {
				missing[function] = append(missing[function], route)
			}
		}
	}
	path := filepath.Join(templatetest.Root(t), "template.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	function, inRoutes := "", false
	for line := range strings.SplitSeq(string(text), "\n") {
		if m := functionLine.FindStringSubmatch(line); m != nil {
			function = strings.ToLower(m[1])
		}
		m := routeLine.FindStringSubmatch(line)
		if inRoutes && m == nil {
			for _, route := range missing[function] {
				lines = append(lines, lineOf(route))
			}
			delete(missing, function)
		}
		if inRoutes = m != nil; !inRoutes || function == "web" || want[nameless(m[1]+" "+m[2])] {
			lines = append(lines, line)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no function of the template has a place for %v", missing)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lineOf returns the line of the template for a route.
func lineOf(route string) string {
	method, path, _ := strings.Cut(route, " ")
	name := method[:1] + strings.ToLower(method[1:])
	for _, part := range word.FindAllString(path, -1) {
		name += strings.ToUpper(part[:1]) + part[1:]
	}
	return fmt.Sprintf(
		"        %s: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: %s, Path: %q } }",
		name, method, path)
}

// TestRoutesAnswered holds that each route leads to the function that answers it.
func TestRoutesAnswered(t *testing.T) {
	t.Parallel()
	all := apis(t)
	for route, function := range templateRoutes(t) {
		if api, ok := all[function]; ok && !answers(api, route) {
			t.Errorf("%s leads to %s, which does not answer it", route, function)
		}
	}
}
