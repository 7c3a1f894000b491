// Package blobtest is the contract of a blob store, as one test suite that every store runs.
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/blob"
)

// Writer is the part of a store that changes what is stored.
type Writer interface {
	Put(ctx context.Context, key string, content []byte) (blob.Info, error)
	Keep(ctx context.Context, from blob.Ref, to string) (blob.Info, error)
	DeleteAll(ctx context.Context, prefix string) error
}

// Reader is the part of a store that reads.
type Reader interface {
	Open(ctx context.Context, ref blob.Ref) (io.ReadCloser, error)
	Stat(ctx context.Context, key string) (blob.Info, error)
}

// Sharer is the part of a store that lets others upload and download.
type Sharer interface {
	Form(ctx context.Context, key string, size int64, sha256, contentType string,
		expires time.Time) (blob.Form, error)
	Link(ctx context.Context, ref blob.Ref, fileName, contentType string,
		expires time.Time) (string, error)
}

// Store is one store, by its parts, and what the one under test cannot show.
type Store struct {
	Writer
	Reader
	Sharer
	// Emulated is set for an emulated S3 that does not compute the checksum of a posted file, and
	// knows no header that a link asks for.
	Emulated bool
}

// Run runs the suite. The keys it uses begin with the prefix, which ends with a slash; nothing is
// stored there before.
func Run(t *testing.T, s Store, prefix string) {
	t.Run("versions", func(t *testing.T) { t.Parallel(); versions(t, s, prefix+"versions/") })
	t.Run("missing", func(t *testing.T) { t.Parallel(); missing(t, s, prefix+"missing/") })
	t.Run("keep", func(t *testing.T) { t.Parallel(); keep(t, s, prefix+"keep/") })
	t.Run("concurrent", func(t *testing.T) { t.Parallel(); concurrent(t, s, prefix+"concurrent/") })
	t.Run("delete", func(t *testing.T) { t.Parallel(); deleteAll(t, s, prefix+"delete/") })
	t.Run("form", func(t *testing.T) { t.Parallel(); form(t, s, prefix+"form/") })
	t.Run("link", func(t *testing.T) { t.Parallel(); link(t, s, prefix+"link/") })
}

func versions(t *testing.T, s Store, prefix string) {
	key, first, second := prefix+"doc/front", []byte("first"), bytes.Repeat([]byte{0, 255}, 70_000)
	a, b := put(t, s, key, first), put(t, s, key, second)
	if a.Version == b.Version {
		t.Error("two versions have one name")
	}
	for _, want := range []struct {
		info    blob.Info
		content []byte
	}{{a, first}, {b, second}} {
		if diff := cmp.Diff(describe(want.info.Ref, want.content), want.info); diff != "" {
			t.Errorf("OK: Put (-want +got):\n%s", diff)
		}
		if got := read(t, s, want.info.Ref); !bytes.Equal(got, want.content) {
			t.Errorf("OK: version %s has %d bytes, want %d", want.info.Version, len(got),
				len(want.content))
		}
	}
	newest, err := s.Stat(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, newest); diff != "" {
		t.Errorf("OK: Stat of the newest (-want +got):\n%s", diff)
	}
	if same := put(t, s, key, first); same.Version == a.Version {
		t.Error("the same content again is the old version")
	}
	put(t, s, key+"/0", []byte("below"))
	put(t, s, prefix+"empty", nil)
}

func missing(t *testing.T, s Store, prefix string) {
	stored := put(t, s, prefix+"there", []byte("x"))
	if _, err := s.Stat(t.Context(), prefix+"not"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("ErrNotFound: Stat = %v", err)
	}
	elsewhere := blob.Ref{Key: prefix + "not", Version: stored.Version}
	if _, err := s.Open(t.Context(), elsewhere); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("ErrNotFound: Open = %v", err)
	}
	if _, err := s.Keep(t.Context(), elsewhere, prefix+"copy"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("ErrNotFound: Keep = %v", err)
	}
	if err := s.DeleteAll(t.Context(), prefix+"nothing/here/"); err != nil {
		t.Errorf("OK: DeleteAll of nothing = %v", err)
	}
	for _, key := range []string{"", "../up", prefix + "a//b", prefix} {
		if _, err := s.Put(t.Context(), key, nil); err == nil ||
			errors.Is(err, blob.ErrUnavailable) {
			t.Errorf("ErrKey: Put(%q) = %v", key, err)
		}
	}
	if s.DeleteAll(t.Context(), "") == nil {
		t.Error("ErrPrefix: DeleteAll of everything is accepted")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ended, prefix+"late", []byte("x")); !errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("ErrUnavailable: Put after the end = %v", err)
	}
}

func keep(t *testing.T, s Store, prefix string) {
	first := put(t, s, prefix+"from", []byte("agreed"))
	put(t, s, prefix+"from", []byte("replaced later"))
	kept, err := s.Keep(t.Context(), first.Ref, prefix+"to")
	if err != nil {
		t.Fatal(err)
	}
	want := describe(blob.Ref{Key: prefix + "to", Version: kept.Version}, []byte("agreed"))
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("OK: Keep (-want +got):\n%s", diff)
	}
	if err := s.DeleteAll(t.Context(), prefix+"from"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, s, kept.Ref); string(got) != "agreed" {
		t.Errorf("OK: the copy is %q", got)
	}
}

func concurrent(t *testing.T, s Store, prefix string) {
	const n = 20
	var infos [n]blob.Info
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { infos[i] = put(t, s, prefix+"one", bytes.Repeat([]byte{byte(i)}, 1000)) })
	}
	group.Wait()
	seen := map[string]bool{}
	for i, info := range infos {
		if seen[info.Version] {
			t.Fatalf("version %s was given twice", info.Version)
		}
		seen[info.Version] = true
		if got := read(t, s, info.Ref); !bytes.Equal(got, bytes.Repeat([]byte{byte(i)}, 1000)) {
			t.Errorf("version %s has the content of another", info.Version)
		}
	}
}

func deleteAll(t *testing.T, s Store, prefix string) {
	var gone, stay []blob.Info
	for range 2 {
		gone = append(gone, put(t, s, prefix+"co/cnd_1/a", []byte("x")),
			put(t, s, prefix+"co/cnd_1/b/c", []byte("y")))
		stay = append(stay, put(t, s, prefix+"co/cnd_10/a", []byte("z")),
			put(t, s, prefix+"co/cnd_2", []byte("z")))
	}
	if err := s.DeleteAll(t.Context(), prefix+"co/cnd_1/"); err != nil {
		t.Fatal(err)
	}
	for _, info := range gone {
		if r, err := s.Open(t.Context(), info.Ref); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s is still there: %v %v", info.Key, r, err)
		}
	}
	for _, info := range stay {
		read(t, s, info.Ref)
	}
	if err := s.DeleteAll(t.Context(), prefix+"co/cnd_1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stat(t.Context(), prefix+"co/cnd_10/a"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a prefix is not a folder: %v", err)
	}
}

func form(t *testing.T, s Store, prefix string) {
	key, content := prefix+"upload/front", bytes.Repeat([]byte("large "), 50_000)
	sum, soon := checksum(content), time.Now().Add(time.Minute)
	newForm := func(expires time.Time) blob.Form {
		f, err := s.Form(t.Context(), key, int64(len(content)), sum, "application/pdf", expires)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if got := post(t, newForm(soon), content); got != http.StatusNoContent {
		t.Fatalf("OK: form answered %d", got)
	}
	info, err := s.Stat(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(describe(blob.Ref{Key: key, Version: info.Version}, content), info); diff !=
		"" {
		t.Errorf("OK: Stat after the form (-want +got):\n%s", diff)
	}
	forged := newForm(soon)
	forged.Fields["key"] = prefix + "elsewhere"
	refused := map[string]int{
		"ErrLonger":  post(t, newForm(soon), append(bytes.Clone(content), 'x')),
		"ErrShorter": post(t, newForm(soon), content[:100]),
		"ErrForged":  post(t, forged, content),
	}
	if !s.Emulated {
		other := bytes.Clone(content)
		other[7] = '!'
		refused["ErrOtherContent"] = post(t, newForm(soon), other)
	}
	if late, err := s.Form(t.Context(), key, int64(len(content)), sum, "application/pdf",
		time.Now().Add(-time.Second)); err == nil {
		refused["ErrExpired"] = post(t, late, content)
	}
	for name, status := range refused {
		if status < 400 || status > 499 {
			t.Errorf("%s: form answered %d", name, status)
		}
	}
	if after, err := s.Stat(t.Context(), key); err != nil || after != info {
		t.Errorf("a refused form changed the newest version to %v, %v", after, err)
	}
}

func link(t *testing.T, s Store, prefix string) {
	info := put(t, s, prefix+"front", []byte("<script>alert(1)</script>"))
	put(t, s, prefix+"front", []byte("newer"))
	const name = "Führer\"schein\r\nX-Evil: 1.html"
	address, err := s.Link(t.Context(), info.Ref, name, "text/html", time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	status, header, body := get(t, address)
	if status != http.StatusOK || string(body) != "<script>alert(1)</script>" {
		t.Errorf("OK: link answered %d %q", status, body)
	}
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Disposition"))
	if !s.Emulated && (err != nil || kind != "attachment" || parameters["filename"] != name ||
		header.Get("X-Evil") != "") {
		t.Errorf("OK: Content-Disposition is %q", header.Get("Content-Disposition"))
	}
	refused := map[string]string{"ErrForged": strings.Replace(address, "front", "other", 1)}
	if late, err := s.Link(t.Context(), info.Ref, name, "text/html",
		time.Now().Add(-time.Second)); err == nil {
		refused["ErrExpired"] = late
	}
	for name, address := range refused {
		if status, _, _ := get(t, address); status != http.StatusForbidden {
			t.Errorf("%s: link answered %d", name, status)
		}
	}
}

func put(t *testing.T, s Store, key string, content []byte) blob.Info {
	t.Helper()
	info, err := s.Put(t.Context(), key, content)
	if err != nil {
		t.Errorf("Put(%q) = %v", key, err)
	}
	return info
}

func read(t *testing.T, s Store, ref blob.Ref) []byte {
	t.Helper()
	r, err := s.Open(t.Context(), ref)
	if err != nil {
		t.Errorf("Open(%v) = %v", ref, err)
		return nil
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Errorf("read %v: %v", ref, err)
	}
	return content
}

func describe(ref blob.Ref, content []byte) blob.Info {
	return blob.Info{Ref: ref, Size: int64(len(content)), SHA256: checksum(content)}
}

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func post(t *testing.T, f blob.Form, content []byte) int {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range f.Fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="f.pdf"`},
		"Content-Type":        {"application/pdf"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(f.URL, w.FormDataContentType(), &body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func get(t *testing.T, address string) (int, http.Header, []byte) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, body
}
