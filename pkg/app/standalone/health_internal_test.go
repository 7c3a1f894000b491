package standalone

import (
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app"
)

// The process is ready while its sweeper is on time and its table can be written.
func TestReady(t *testing.T) {
	t.Parallel()
	p, err := Open(app.Config{Data: filepath.Join(t.TempDir(), "data"), URL: "http://dossier.test",
		Lease: time.Minute}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(want int, line string) {
		t.Helper()
		w := httptest.NewRecorder()
		p.Handler().ServeHTTP(w, httptest.NewRequest("GET", readyPath, nil))
		if w.Code != want || !strings.Contains(w.Body.String(), line) {
			t.Errorf("%d %q, not %d with %q", w.Code, w.Body, want, line)
		}
	}
	ask(503, "The sweeper is late")
	if err := p.sweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask(200, "ready")
	p.swept.Store(time.Now().Add(-2 * time.Minute).UnixMilli())
	ask(503, "The sweeper is late")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	ask(503, "The table can't be written.")
}
