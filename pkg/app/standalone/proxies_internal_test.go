package standalone

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app"
)

// Behind a proxy, somebody's wrong keys hold up nobody else: addresses are those of clients.
func TestProxies(t *testing.T) {
	t.Parallel()
	p, err := Open(app.Config{Data: filepath.Join(t.TempDir(), "data"), URL: "http://dossier.test",
		Lease: time.Minute, Rate: 10, Proxies: 1}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	ask := func(forwarded string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/candidates", nil)
		r.Header.Set("Authorization", "Bearer dsr_wrong")
		r.Header.Set("X-Forwarded-For", forwarded)
		w := httptest.NewRecorder()
		p.Handler().ServeHTTP(w, r)
		return w.Code
	}
	for n := 0; ask("192.0.2.1, 203.0.113.1") != http.StatusTooManyRequests; n++ {
		if n == 100_000 {
			t.Fatal("wrong keys of one address are never too many")
		}
	}
	if got := ask("203.0.113.1, 203.0.113.2"); got != http.StatusUnauthorized {
		t.Errorf("another client behind the same proxy: %d", got)
	}
}
