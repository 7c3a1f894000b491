package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// serveUploads serves a data folder, with a document type whose documents wait for a person.
func serveUploads(t *testing.T, data string) (s *server, documentType string) {
	t.Helper()
	s, refused := serve(t, data)
	if refused != "" {
		t.Fatal(refused)
	}
	return s, s.create("/documentTypes",
		`{"name":"T","check":{"parser":"json","decision":"manual"}}`)
}

// TestBackupUnderLoad backs up a process while clients upload. What was acknowledged before a
// backup began is in what it restores, parts included.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, documentType := serveUploads(t, data)
	var mu sync.Mutex
	var uploaded []string
	var ended atomic.Bool
	var clients sync.WaitGroup
	defer clients.Wait()
	defer ended.Store(true)
	for range 3 {
		clients.Go(func() {
			for !ended.Load() {
				id := s.document(documentType)
				mu.Lock()
				uploaded = append(uploaded, id)
				mu.Unlock()
			}
		})
	}
	for n := range size(3, 20) {
		mu.Lock()
		before := uploaded
		mu.Unlock()
		dir := filepath.Join(t.TempDir(), "backup")
		succeed(t, data, "backup", dir)
		restored := filepath.Join(t.TempDir(), "restored")
		succeed(t, restored, "restore", dir)
		copied, refused := serve(t, restored)
		if refused != "" {
			t.Fatalf("backup %d: %s", n, refused)
		}
		copied.key = s.key
		for _, id := range before {
			copied.hasPart(id)
		}
		copied.stop()
		if err := errors.Join(os.RemoveAll(dir), os.RemoveAll(restored)); err != nil {
			t.Fatal(err)
		}
	}
	ended.Store(true)
	clients.Wait()
	if len(uploaded) < 10 {
		t.Errorf("%d uploads are no load", len(uploaded))
	}
}

// hasPart downloads a part.
func (s *server) hasPart(path string) {
	s.t.Helper()
	status, object := s.send(http.MethodGet, path, "")
	link, _ := object["url"].(string)
	if status != http.StatusOK || link == "" {
		s.t.Fatalf("%s: %d %v", path, status, object)
	}
	response, err := http.Get(link)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if text, err := io.ReadAll(response.Body); err != nil || string(text) != `{"a":1}` {
		s.t.Errorf("%s holds %q: %v", path, text, err)
	}
}

// TestTornBackup tears backups and copied data folders anywhere. A backup is refused, or restores
// whole; a folder is refused by a sentence, or serves.
func TestTornBackup(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, documentType := serveUploads(t, data)
	for range 5 {
		s.document(documentType)
	}
	dir := filepath.Join(t.TempDir(), "backup")
	succeed(t, data, "backup", dir)
	s.stop()
	rnd := rand.New(rand.NewPCG(7, 7))
	for n := range size(20, 100) {
		torn := filepath.Join(t.TempDir(), "torn")
		what := tear(t, rnd, 4, dir, torn)
		restored := filepath.Join(t.TempDir(), "restored")
		if code, _, errors := run(t, restored, "restore", torn); code != 1 ||
			!strings.Contains(errors, "nothing was restored: ") {
			t.Errorf("torn backup %d, %s: exit code %d: %s", n, what, code, errors)
		}
		copied := filepath.Join(t.TempDir(), "copied")
		// without sums, a flipped bit inside a value is a value
		what = tear(t, rnd, 3, data, copied)
		got, refused := serve(t, copied)
		if got == nil {
			if refused == "" || strings.Contains(refused, "panic") ||
				strings.Count(refused, "\n") != 1 {
				t.Errorf("torn folder %d, %s: refused with %q", n, what, refused)
			}
			continue
		}
		got.key = s.key
		if status, _ := got.send(http.MethodGet, "/candidates", ""); status != http.StatusOK {
			t.Errorf("torn folder %d, %s: starts and answers %d", n, what, status)
		}
		got.stop()
	}
}

// tear copies a folder with one file that is missing, shorter, partly zeros, or, as the fourth of
// ways, has a flipped bit.
func tear(t *testing.T, rnd *rand.Rand, ways int, from, to string) (what string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	var files []string
	err := filepath.WalkDir(to, func(path string, e fs.DirEntry, err error) error {
		if info, failed := e.Info(); err == nil && failed == nil && info.Mode().IsRegular() &&
			info.Size() > 0 {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	path := files[rnd.IntN(len(files))]
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := rnd.IntN(len(text))
	switch rnd.IntN(ways) {
	case 0:
		what, err = "missing", os.Remove(path)
	case 1:
		what, err = fmt.Sprintf("cut at %d", at), os.WriteFile(path, text[:at], 0o600)
	case 2:
		what = fmt.Sprintf("zeros from %d", at)
		// so that something changes
		at = bytes.LastIndexFunc(text[:at+1], func(r rune) bool { return r != 0 })
		clear(text[max(0, at):])
		err = os.WriteFile(path, text, 0o600)
	default:
		what, text[at] = fmt.Sprintf("bit of %d", at), text[at]^1<<rnd.IntN(8)
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(path, to) + " " + what
}
