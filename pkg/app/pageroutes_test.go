package app_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/web"
)

// TestRoutesOfThePages holds that the stack has a route for each path that the site answers in the
// standalone process.
func TestRoutesOfThePages(t *testing.T) {
	t.Parallel()
	want, got := map[string]bool{}, map[string]bool{}
	for _, prefix := range web.Prefixes() {
		if !strings.HasSuffix(prefix, "/") {
			want["GET "+prefix] = true
			continue
		}
		want["GET "+prefix+"{proxy+}"] = true
		if prefix != "/assets/" {
			want["POST "+prefix+"{proxy+}"] = true
		}
	}
	for route, function := range templateRoutes(t) {
		if function == "web" {
			got[route] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-pages +template):\n%s", diff)
	}
}
