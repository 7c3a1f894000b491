package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
)

func item(sk string) kv.Item {
	return kv.Item{Key: kv.Key{PK: "company", SK: sk}, Rev: 1, Doc: []byte(`"` + sk + `"`),
		List: "company#list", ListSort: sk}
}

func create(i kv.Item) kv.Write {
	return kv.Write{Put: &i, If: kv.Condition{Absent: true}}
}

func put(t *testing.T, e *bolt.Engine, items ...kv.Item) {
	t.Helper()
	for _, i := range items {
		if err := e.Commit(t.Context(), create(i)); err != nil {
			t.Fatal(err)
		}
	}
}

func has(t *testing.T, e *bolt.Engine, want ...kv.Item) {
	t.Helper()
	for _, q := range []kv.Query{{Partition: "company"},
		{Index: kv.IndexList, Partition: "company#list"}} {
		page, err := e.Query(t.Context(), q)
		if diff := cmp.Diff(want, page.Items); err != nil || diff != "" {
			t.Fatalf("%v (-want +got)\n%s", err, diff)
		}
	}
}

func closed(t *testing.T, e *bolt.Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	t.Run("OKAgain", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "table")
		e := open(t, path)
		put(t, e, item("a"), item("b"))
		closed(t, e)
		e = open(t, path)
		has(t, e, item("a"), item("b"))
		put(t, e, item("c"))
	})
	t.Run("ErrInUse", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "table")
		open(t, path)
		if _, err := bolt.Open(path); err == nil ||
			!strings.Contains(err.Error(), "another process has it open") {
			t.Fatalf("got %v, want to be told that it is in use", err)
		}
	})
	t.Run("ErrNoTable", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(path, bytes.Repeat([]byte("no table "), 10_000), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := bolt.Open(path); err == nil {
			t.Fatal("opened what is no table")
		}
	})
	t.Run("ErrNoFolder", func(t *testing.T) {
		t.Parallel()
		if _, err := bolt.Open(filepath.Join(t.TempDir(), "no", "table")); err == nil {
			t.Fatal("opened a file in a folder that is not there")
		}
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	e, err := bolt.Open(filepath.Join(t.TempDir(), "table"))
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan error, 100)
	for n := range cap(results) {
		go func() { results <- e.Commit(t.Context(), create(item(fmt.Sprint(n)))) }()
	}
	closed(t, e)
	closed(t, e)
	for range cap(results) {
		if err := <-results; err != nil && !errors.Is(err, kv.ErrUnavailable) {
			t.Errorf("commit at the end: %v", err)
		}
	}
	if _, err := e.Get(t.Context(), false, item("a").Key); !errors.Is(err, kv.ErrUnavailable) {
		t.Errorf("get after the end: got %v, want ErrUnavailable", err)
	}
	if err := e.Commit(t.Context(), create(item("a"))); !errors.Is(err, kv.ErrUnavailable) {
		t.Errorf("commit after the end: got %v, want ErrUnavailable", err)
	}
}

// TestTorn stops the last commit in the middle of its writes to the file: the state before it, or
// after it, is there, and whole.
func TestTorn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "table")
	before, after := twoStates(t, path)
	page := os.Getpagesize()
	if len(before) < len(after) { // the file grew: what was not written is zeros
		before = append(before, make([]byte, len(after)-len(before))...)
	}
	slot := newestMeta(after, page)
	meta := func(state []byte) []byte { return state[slot*page : (slot+1)*page] }
	const half = 16 + 32 // of the page: its header and half of the meta

	garbled := bytes.Clone(after)
	for i := slot*page + half; i < (slot+1)*page; i++ {
		garbled[i] = 0xA5
	}
	torn := bytes.Clone(after)
	copy(meta(torn)[half:], meta(before)[half:])
	dataOnly := bytes.Clone(after)
	copy(meta(dataOnly), meta(before))
	halfData := bytes.Clone(before)
	copy(halfData[2*page:], after[2*page:2*page+(len(after)-2*page)/2])
	tailCut := bytes.Clone(dataOnly)
	clear(tailCut[len(tailCut)-page:])
	old, newer := []kv.Item{item("a"), item("b")}, []kv.Item{item("a"), item("b"), item("c")}
	for name, c := range map[string]struct {
		state []byte
		want  []kv.Item
	}{
		"OKWhole": {after, newer}, "OKMetaGarbled": {garbled, old}, "OKMetaTorn": {torn, old},
		"OKNoMeta":   {dataOnly, old},
		"OKHalfData": {halfData, old}, "OKLastPageGone": {tailCut, old},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "table")
			if err := os.WriteFile(path, c.state, 0o600); err != nil {
				t.Fatal(err)
			}
			e := open(t, path)
			has(t, e, c.want...)
			put(t, e, item("d"))
			closed(t, e)
			sound(t, path)
			has(t, open(t, path), append(c.want, item("d"))...)
		})
	}
}

// twoStates returns the file before and after its last commit, which puts item c.
func twoStates(t *testing.T, path string) (before, after []byte) {
	t.Helper()
	read := func(items ...kv.Item) []byte {
		e := open(t, path)
		put(t, e, items...)
		closed(t, e)
		state, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	return read(item("a"), item("b")), read(item("c"))
}

// newestMeta is the page, 0 or 1, whose meta has the higher transaction id.
func newestMeta(state []byte, page int) int {
	const transaction = 16 + 48
	if binary.NativeEndian.Uint64(state[transaction:]) >
		binary.NativeEndian.Uint64(state[page+transaction:]) {
		return 0
	}
	return 1
}

// sound asks bbolt itself whether every page of the file is in its place.
func sound(t *testing.T, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600,
		&bbolt.Options{Timeout: time.Second, NoFreelistSync: true, ReadOnly: true,
			PreLoadFreelist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Error(err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	e := open(t, filepath.Join(t.TempDir(), "table"))
	at := func(sk string, expires int64) kv.Item {
		i := item(sk)
		i.Expires = expires
		return i
	}
	kept, never, moved := at("kept", 101), item("never"), at("moved", 50)
	put(t, e, at("a", 99), at("b", 98), at("c", 100), kept, never, moved)
	moved.Rev, moved.Expires = 2, 200
	if err := e.Commit(t.Context(), kv.Write{Put: &moved, If: kv.Condition{Rev: 1}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want int
		left []kv.Item
	}{
		{2, []kv.Item{at("c", 100), kept, moved, never}}, {1, []kv.Item{kept, moved, never}},
		{0, []kv.Item{kept, moved, never}},
	} {
		if got, err := e.Expire(t.Context(), time.Unix(100, 0), 2); err != nil || got != c.want {
			t.Fatalf("expired %d, %v, want %d", got, err, c.want)
		}
		has(t, e, c.left...)
	}
}
