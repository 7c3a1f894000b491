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
	loads := regexp.MustCompile(`(?:src|href)\s*=\s*["']([^"']+)["']`).FindAllStringSubmatch(page, -1)
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
