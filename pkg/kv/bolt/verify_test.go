package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
)

// TestVerifyTorn tears copies of a table at random places: shorter, with a part of zeros, with
// pages of an older state, with a flipped bit. Each is refused as torn, or opens and can be read.
func TestVerifyTorn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table")
	e := open(t, path)
	fill := func(from int) {
		for n := range 30 {
			i := item(fmt.Sprint(from + n))
			i.Doc = bytes.Repeat([]byte{byte(n)}, 1+n*300)
			put(t, e, i)
		}
	}
	fill(0)
	old := snapshot(t, e)
	fill(30)
	whole := snapshot(t, e)
	closed(t, e)
	rnd := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for n := range 400 {
		torn := tear(rnd, whole, old)
		copied := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(copied, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := bolt.Open(copied)
		switch {
		case errors.Is(err, bolt.ErrTorn):
			refused++
		case err != nil:
			t.Errorf("copy %d: %v", n, err)
		default:
			if err := got.Each(t.Context(), func(kv.Item) error { return nil }); err != nil {
				t.Errorf("copy %d opens and cannot be read: %v", n, err)
			}
			closed(t, got)
		}
	}
	if refused == 0 || refused == 400 {
		t.Errorf("%d of 400 torn copies were refused", refused)
	}
}

// TestVerifyRoot has the pages that only some tears make: each is refused.
func TestVerifyRoot(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table")
	e := open(t, path)
	for n := range 30 {
		i := item(fmt.Sprint(n))
		i.Doc = bytes.Repeat([]byte{byte(n)}, 3000)
		put(t, e, i)
	}
	whole := snapshot(t, e)
	closed(t, e)
	size := os.Getpagesize()
	page := func(of []byte, id uint64) []byte { return of[int(id)*size : (int(id)+1)*size] }
	root := binary.NativeEndian.Uint64(whole[16+16:]) // of the first meta page
	at := bytes.Index(page(whole, root), []byte("items"))
	items := binary.NativeEndian.Uint64(page(whole, root)[at+len("items"):])
	for name, tear := range map[string]func([]byte){
		"the root of an older state in place of the items": func(b []byte) {
			copy(page(b, items)[8:], page(b, root)[8:]) // all but its number
		},
		"another name of a bucket": func(b []byte) { page(b, root)[at] ^= 1 },
		"a key before that of its ancestor": func(b []byte) {
			p := page(b, items)
			first := 16 + binary.NativeEndian.Uint32(p[16:]) // of the first element's key
			p[int(first)+len("company")+2]++
		},
	} {
		torn := bytes.Clone(whole)
		tear(torn)
		copied := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(copied, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := bolt.Verify(copied); !errors.Is(err, bolt.ErrTorn) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func snapshot(t *testing.T, e *bolt.Engine) []byte {
	t.Helper()
	var b bytes.Buffer
	err := e.Snapshot(t.Context(), func(_ int64, write func(io.Writer) error) error {
		return write(&b)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tear(rnd *rand.Rand, whole, old []byte) []byte {
	torn := bytes.Clone(whole)
	at := rnd.IntN(len(torn))
	page := os.Getpagesize()
	switch rnd.IntN(5) {
	case 0:
		return torn[:at]
	case 1:
		clear(torn[at:min(len(torn), at+rnd.IntN(20_000))])
	case 2: // a copy that met a writer: its pages are of two states
		for p := 0; p+page <= min(len(old), len(torn)); p += page {
			if rnd.IntN(2) == 0 {
				copy(torn[p:p+page], old[p:p+page])
			}
		}
	case 3:
		torn[at] ^= 1 << rnd.IntN(8)
	case 4:
		copy(torn, old[:min(len(old), len(torn), at)])
	}
	return torn
}
