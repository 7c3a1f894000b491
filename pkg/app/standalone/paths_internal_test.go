package standalone

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A path that is not tidy is a 404 of the API, never a redirect of the mux.
func TestUntidyPaths(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
	})
	mux.HandleFunc("/docs/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
	})
	handler := exactPaths(mux, http.NotFoundHandler())
	for target, want := range map[string]int{
		"/healthz": 200, "/docs/": 200, "/docs/a": 200, "//healthz": 404, "/x/../healthz": 404,
		"/docs//a": 404, "/./healthz": 404,
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if w.Code != want {
			t.Errorf("%s: %d, not %d", target, w.Code, want)
		}
	}
}
