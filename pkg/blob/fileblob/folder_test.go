package fileblob

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/blob/blobtest"
)

const secret = "a secret of this test"

func open(t *testing.T, dir string) *Store {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s, err := New(dir, server.URL, []byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	handler = s.Handler(announced{})
	return s
}

// announced is a store in which every upload is open.
type announced struct{}

func (announced) TakesPart(context.Context, string) (bool, error) { return true, nil }

func TestContract(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	blobtest.Run(t, blobtest.Store{Writer: s, Reader: s, Sharer: s}, "contract/")
}

func TestReopen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	first, err := s.Put(t.Context(), "co/a", []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(dir, incoming, "half")
	if err := os.WriteFile(half, []byte("on"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if got, err := s.Stat(t.Context(), "co/a"); err != nil || got != first {
		t.Errorf("OK: after reopening Stat = %v, %v; want %v", got, err, first)
	}
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Errorf("a half written file stays: %v", err)
	}
	if second, err := s.Put(t.Context(), "co/a", []byte("two")); err != nil ||
		second.Version <= first.Version {
		t.Errorf("OK: the next version is %v, %v", second, err)
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	now := time.Now()
	for _, key := range []string{"pending/co/old", "pending/co/new", "co/old"} {
		if _, err := s.Put(t.Context(), key, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"pending/co/old", "co/old"} {
		info, err := s.Stat(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.root.Chtimes(key+"/@"+info.Version, now, now.Add(-25*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Expire(t.Context(), blob.Pending, now.Add(-24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stat(t.Context(), "pending/co/old"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("an old upload stays: %v", err)
	}
	for _, key := range []string{"pending/co/new", "co/old"} {
		if _, err := s.Stat(t.Context(), key); err != nil {
			t.Errorf("OK: %s: %v", key, err)
		}
	}
	if err := s.Expire(t.Context(), "never/", now); err != nil {
		t.Errorf("OK: nothing to expire: %v", err)
	}
}

func TestDownloadIsNoPage(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	info, err := s.Put(t.Context(), "co/a", []byte("<script>"))
	if err != nil {
		t.Fatal(err)
	}
	address, err := s.Link(t.Context(), info.Ref, "a.html", "text/html",
		time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	want := map[string]string{
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox",
		"Cache-Control":           "private, no-store",
		"Content-Disposition":     "attachment; filename=a.html",
	}
	for name, value := range want {
		if got := response.Header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
}

func TestErrBadForm(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	for name, request := range map[string]*http.Request{
		"ErrNotMultipart": httptest.NewRequest("POST", "/blobs", nil),
		"ErrNoSignature":  httptest.NewRequest("GET", "/blobs/co/a?version=1", nil),
		"ErrTraversal":    httptest.NewRequest("GET", "/blobs/..%2f..%2fetc/passwd", nil),
	} {
		w := httptest.NewRecorder()
		s.Handler(announced{}).ServeHTTP(w, request)
		if w.Code < 300 || w.Code > 499 {
			t.Errorf("%s: answered %d", name, w.Code)
		}
	}
}

func TestErrNew(t *testing.T) {
	t.Parallel()
	if _, err := New(t.TempDir(), "http://x", []byte("short")); err == nil {
		t.Error("ErrSecret: a short secret is accepted")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(file, "http://x", []byte(secret)); err == nil {
		t.Error("ErrFolder: a file is accepted as a folder")
	}
}
