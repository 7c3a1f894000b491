package standalone

import (
	"errors"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
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
		p.Handler().ServeHTTP(w, httptest.NewRequest("GET", httpapi.ReadyPath, nil))
		if w.Code != want || !strings.Contains(w.Body.String(), line) {
			t.Errorf("%d %q, not %d with %q", w.Code, w.Body, want, line)
		}
	}
	ask(503, "the sweeper is late")
	if err := p.sweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask(200, "ready")
	p.swept.Store(time.Now().Add(-2 * time.Minute).UnixMilli())
	ask(503, "the sweeper is late")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	ask(503, "the table can't be written")
}

// A data folder that a newer program has written is refused with a sentence, and is left as it was.
func TestNewerFormat(t *testing.T) {
	t.Parallel()
	cfg := app.Config{Data: filepath.Join(t.TempDir(), "data"), URL: "http://dossier.test",
		Lease: time.Minute}
	p, err := Open(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	items, err := p.engine.Get(t.Context(), false, kv.Key{PK: "#FORMAT", SK: "format"})
	if err != nil || items[0].Rev == 0 {
		t.Fatalf("no format in the table: %v", err)
	}
	items[0].Rev, items[0].Doc = items[0].Rev+1, []byte(`{"format":99}`)
	if err := p.engine.Commit(t.Context(), kv.Write{Put: &items[0],
		If: kv.Condition{Rev: items[0].Rev - 1}}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(cfg, slog.New(slog.DiscardHandler)); !errors.Is(err, store.ErrNewer) ||
		!strings.Contains(err.Error(), "it has format 99") {
		t.Errorf("a newer folder: %v", err)
	}
}
