package standalone_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app/processtest"
)

// hangingParser is a parser service that reports each request and never answers.
func hangingParser(t *testing.T) (address string, asked <-chan time.Time) {
	t.Helper()
	requests := make(chan time.Time, 100)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// the server notices a closed connection only after the body
		_, _ = io.Copy(io.Discard, r.Body)
		requests <- time.Now()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), requests
}

// waitFor returns the next time on a channel, or fails after a minute.
func waitFor(t *testing.T, what string, c <-chan time.Time) time.Time {
	t.Helper()
	select {
	case at := <-c:
		return at
	case <-time.After(time.Minute):
		t.Fatalf("%s did not come within a minute", what)
		return time.Time{}
	}
}

// uploadOne creates a document type with this check and a candidate who uploads a document for it,
// and returns the id of the candidate document type.
func (c *client) uploadOne(check object) string {
	c.t.Helper()
	dt := c.made("/documentTypes", object{"name": "T", "check": check})
	candidate := c.made("/candidates", object{"firstName": "Ada", "documentTypeIds": []string{dt}})
	request := "cdt_" + strings.TrimPrefix(candidate, "cnd_") + strings.TrimPrefix(dt, "dty_")
	c.made("/candidateDocumentTypes/"+request+"/upload", object{"parts": []object{
		{"name": "front", "fileName": "a.json", "contentType": "application/json",
			"content": []byte(`{"a":1}`)},
	}})
	return request
}

func (c *client) made(path string, body any) string {
	c.t.Helper()
	status, _, got := c.send(http.MethodPost, path, body)
	if status != http.StatusOK {
		c.t.Fatalf("POST %s: %d %v", path, status, got)
	}
	id, _ := got.(object)["id"].(string)
	return id
}

// TestStopGivesBackClaims stops the process while a check is under way. The next start takes the
// check up at once, not after its lease of half a minute.
func TestStopGivesBackClaims(t *testing.T) {
	t.Parallel()
	data, log := t.TempDir(), slog.New(slog.DiscardHandler)
	address, asked := hangingParser(t)
	c, stop := startIn(t, data, log, address)
	request := c.uploadOne(object{"parser": "http", "decision": "automatic",
		"http": object{"url": "http://" + address}})
	key := c.key
	waitFor(t, "the first request to the parser", asked)
	if left, err := os.ReadDir(filepath.Join(data, "checks")); err != nil || len(left) != 1 {
		t.Errorf("the check works on %v below the data folder: %v", left, err)
	}
	stop()
	if left, err := os.ReadDir(filepath.Join(data, "checks")); err != nil || len(left) != 0 {
		t.Errorf("the check left %v: %v", left, err)
	}
	c, stop = startIn(t, data, log, address)
	defer stop()
	began := time.Now()
	if took := waitFor(t, "the second request to the parser", asked).Sub(began); took >
		15*time.Second {
		t.Errorf("the check was taken up after %s", took)
	}
	c.key = key
	if _, _, got := c.send(http.MethodGet, "/candidateDocumentTypes/"+request,
		nil); got.(object)["state"] != "processing" {
		t.Errorf("after the second start: %v", got)
	}
}

// TestStartEmptiesChecks starts after a kill, which leaves documents in the folder of checks.
func TestStartEmptiesChecks(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	left := filepath.Join(data, "checks", "dossier-check-1", "0")
	if err := os.MkdirAll(filepath.Dir(left), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left, []byte("somebody's passport"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stop := startIn(t, data, slog.New(slog.DiscardHandler))
	defer stop()
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the document is still there: %v", err)
	}
}

// TestOneLinePerTask holds the log of the process: one line for each task, with its ids.
func TestOneLinePerTask(t *testing.T) {
	t.Parallel()
	var text processtest.Output
	c, stop := startIn(t, t.TempDir(), slog.New(slog.NewJSONHandler(&text, nil)))
	request := c.uploadOne(object{"parser": "json", "decision": "automatic"})
	for range 600 {
		if _, _, got := c.send(http.MethodGet, "/candidateDocumentTypes/"+request,
			nil); got.(object)["state"] == "validated" {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	for _, kind := range []string{"check", "rules"} {
		if n := strings.Count(text.String(),
			`"msg":"task","kind":"`+kind+`","companyId":"com_`); n != 1 {
			t.Errorf("%d lines of %s tasks:\n%s", n, kind, text.String())
		}
	}
}
