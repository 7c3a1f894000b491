package docs_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/httpapi/docs"
)

func get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	docs.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("GET %s answered %d", path, w.Code)
	}
	return w
}

// The page refers to the document and to no other host: scripts, styles and pictures are embedded.
func TestPage(t *testing.T) {
	t.Parallel()
	page := get(t, "/docs").Body.String()
	if !strings.Contains(page, "/openapi.json") {
		t.Error("the page does not name the document")
	}
	loads := regexp.MustCompile(`(?:src|href)\s*=\s*["']([^"']+)["']`).FindAllStringSubmatch(
		page, -1)
	if len(loads) < 3 {
		t.Fatalf("the page loads %d things only", len(loads))
	}
	for _, load := range loads {
		address := load[1]
		if !strings.HasPrefix(address, "/docs/") {
			t.Errorf("the page loads %s", address)
			continue
		}
		if w := get(t, address); w.Body.Len() == 0 {
			t.Errorf("%s is empty", address)
		}
	}
	if other := regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+`).FindString(page); other != "" {
		t.Errorf("the page names another host: %s", other)
	}
}

// The page may run its own scripts only, and no other page may frame it.
func TestPolicy(t *testing.T) {
	t.Parallel()
	w := get(t, "/docs")
	policy := w.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'",
		"script-src 'self' 'sha256-"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy lacks %s: %s", part, policy)
		}
	}
	if inline := strings.Count(w.Body.String(), "<script>"); inline == 0 ||
		strings.Count(policy, "'sha256-") != inline {
		t.Errorf("%d scripts in the page, and the policy is %s", inline, policy)
	}
	if _, scripts, _ := strings.Cut(policy,
		"script-src"); strings.Contains(strings.Split(scripts, ";")[0], "unsafe") {
		t.Errorf("any script may run: %s", policy)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff",
		"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if !strings.Contains(w.Body.String(), `docExpansion: "none"`) {
		t.Error("the groups are open")
	}
}
