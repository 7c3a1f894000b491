package standalone_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/standalone"
)

// TestBackupHoldsTheSealKey restores a backup into another folder: its integration still signs with
// the sealed secret. A folder without its key, or with another one, does not open.
func TestBackupHoldsTheSealKey(t *testing.T) {
	t.Parallel()
	signed := make(chan string, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		signed <- r.Header.Get("Webhook-Signature")
	}))
	t.Cleanup(receiver.Close)
	data := filepath.Join(t.TempDir(), "data")
	c, stop := startIn(t, data, slog.New(slog.DiscardHandler),
		strings.TrimPrefix(receiver.URL, "http://"))
	key := c.key
	id := c.made("/integrations", object{"name": "HR", "triggerEvent": "candidateCreated",
		"target": object{"type": "webhook", "url": receiver.URL}})
	stop()

	unpacked, restored := filepath.Join(t.TempDir(), "backup"),
		filepath.Join(t.TempDir(), "restored")
	backUp(t, data, unpacked)
	if err := standalone.Restore(unpacked, restored); err != nil {
		t.Fatal(err)
	}
	c, stop = startIn(t, restored, slog.New(slog.DiscardHandler),
		strings.TrimPrefix(receiver.URL, "http://"))
	c.key = key
	body, _ := json.Marshal(object{"integrationId": id, "triggerEvent": "candidateCreated"})
	if status, _, got := c.send(http.MethodPost, "/integrations/send-init-request",
		json.RawMessage(body)); status != http.StatusOK {
		t.Fatalf("the restored integration does not send: %d %v", status, got)
	}
	if signature := <-signed; !strings.HasPrefix(signature, "v1,") {
		t.Errorf("the restored integration signs with %q", signature)
	}
	stop()

	for name, content := range map[string]string{"is missing": "",
		"is not the one": strings.Repeat("00", 32)} {
		if err := os.Remove(restored + ".key"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if content != "" {
			if err := os.WriteFile(restored+".key", []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cfg := app.Config{Data: restored, Lease: time.Minute, Sweep: time.Second}
		if _, err := standalone.Open(cfg, slog.New(slog.DiscardHandler)); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("a folder whose key %s opens with %v", name, err)
		}
	}
}

// backUp writes a backup of a stopped process into a folder.
func backUp(t *testing.T, data, to string) {
	t.Helper()
	cfg := app.Config{Data: data, Lease: time.Minute, Sweep: time.Second}
	err := standalone.Operate(cfg, slog.New(slog.DiscardHandler),
		func(operator *http.Client) error {
			answer, err := operator.Get("http://dossier/backup")
			if err != nil {
				return err
			}
			return errors.Join(standalone.Unpack(answer.Body, to), answer.Body.Close())
		})
	if err != nil {
		t.Fatal(err)
	}
}
