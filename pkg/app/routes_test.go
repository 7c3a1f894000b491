package app_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
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

var parameter = regexp.MustCompile(`\{\w+\}`)

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

// TestRoutesOfTheTemplate holds that the API has exactly the routes of the OpenAPI document,
// without a greedy one.
func TestRoutesOfTheTemplate(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(openapi.Document, &document); err != nil {
		t.Fatal(err)
	}
	want, got := map[string]bool{}, map[string]bool{}
	for path, operations := range document.Paths {
		for method := range operations {
			if method := strings.ToUpper(method); len(operations) > 0 && method != "PARAMETERS" &&
				method != "SUMMARY" && method != "DESCRIPTION" {
				want[method+" "+parameter.ReplaceAllString(path, "{}")] = true
			}
		}
	}
	for route := range templateRoutes(t) {
		got[parameter.ReplaceAllString(route, "{}")] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-OpenAPI +template):\n%s", diff)
	}
}

// TestRoutesAnswered holds that each route leads to the function that answers it.
func TestRoutesAnswered(t *testing.T) {
	t.Parallel()
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
	apis := map[string]*httpapi.API{}
	for _, group := range httpapi.Groups() {
		if apis[group.String()], err = httpapi.New(httpapi.Config{
			Store: store.New(engine, store.Config{}), Groups: []httpapi.Group{group}, Blobs: blobs,
			Log:     slog.New(slog.DiscardHandler),
			Targets: guard, Prober: webhook.NewSender(guard, webhook.Config{}),
			NewSecret: webhook.NewSecret, OpenAPI: openapi.Document,
		}); err != nil {
			t.Fatal(err)
		}
	}
	for route, function := range templateRoutes(t) {
		method, path, _ := strings.Cut(route, " ")
		for group, api := range apis {
			w := httptest.NewRecorder()
			// Who has the address says which methods it answers, without a key.
			api.ServeHTTP(w, httptest.NewRequest(http.MethodOptions,
				parameter.ReplaceAllString(path, "x"), nil))
			answered := slices.Contains(strings.Split(w.Header().Get("Allow"), ", "), method)
			if group == function && !answered {
				t.Errorf("%s leads to %s, which answers %d", route, function, w.Code)
			}
		}
	}
}
