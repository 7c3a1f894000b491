package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// TestLogLevel holds what a request that fails writes to the log: a crowd on one candidate raises
// no alarm on errors, and the value of a panic, which may be a client's own, is left out.
func TestLogLevel(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		handle func(*request) (any, error)
		status int
		level  string
	}{
		"a conflict that did not end": {func(*request) (any, error) {
			return nil, fmt.Errorf("commit: %w", kv.ErrUnavailable)
		}, 503, "WARN"},
		"a blob store that does not answer": {func(*request) (any, error) {
			return nil, fmt.Errorf("read: %w", blob.ErrUnavailable)
		}, 503, "WARN"},
		"an unknown error": {func(*request) (any, error) {
			return nil, errors.New("an unknown error")
		}, 500, "ERROR"},
		"a panic": {func(*request) (any, error) { panic("ada@example.com") }, 500, "ERROR"},
		"a mistake of the client": {func(*request) (any, error) {
			return nil, dossier.ErrNotFound
		}, 404, "INFO"},
	} {
		row := settingsRow("GET", "/x", dossier.ScopeSettingsRead)
		row.handle = tt.handle
		b := newTestAPI(t, withRoutes(Config{}, row))
		w := b.do(t, call{method: "GET", target: "/x"})
		var line struct {
			Level, RequestID, Error string
		}
		if err := json.Unmarshal([]byte(strings.TrimSpace(b.log.String())), &line); err != nil {
			t.Errorf("%s: one line of log: %v in %s", name, err, b.log)
			continue
		}
		if w.Code != tt.status || line.Level != tt.level {
			t.Errorf("%s: %d, logged as %s", name, w.Code, line.Level)
		}
		if strings.Contains(b.log.String()+w.Body.String(), "ada@example.com") {
			t.Errorf("%s: the value of the panic is shown: %s", name, b.log)
		}
		id := w.Result().Header.Get("X-Request-Id")
		if body := w.Body.String(); tt.status == 500 && (line.Error == "" ||
			strings.Contains(body, "unknown error") || !strings.Contains(body, id)) {
			t.Errorf("%s: %s, log: %s", name, w.Body, b.log)
		}
	}
}
