package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
)

// fill commits items with a secret, deletes every other one, and returns what is left.
func fill(t *testing.T, e *Engine, secret string) map[kv.Key]string {
	t.Helper()
	left := map[kv.Key]string{}
	for n := range 200 {
		k := kv.Key{PK: "p", SK: fmt.Sprintf("%03d", n)}
		doc := fmt.Sprintf("%d kept", n)
		if n%2 == 0 {
			doc = strings.Repeat(secret, 1+n*20)
		} else {
			left[k] = doc
		}
		put := kv.Write{Put: &kv.Item{Key: k, Rev: 1, Doc: []byte(doc)},
			If: kv.Condition{Absent: true}}
		if err := e.Commit(t.Context(), put); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; n < 200; n += 2 {
		k := kv.Key{PK: "p", SK: fmt.Sprintf("%03d", n)}
		gone := kv.Write{Delete: &k, If: kv.Condition{Rev: 1}}
		if err := e.Commit(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
	}
	return left
}

func holds(t *testing.T, e *Engine, want map[kv.Key]string) {
	t.Helper()
	page, err := e.Query(t.Context(), kv.Query{Partition: "p"})
	if err != nil || len(page.Items) != len(want) {
		t.Fatalf("%d items, not %d: %v", len(page.Items), len(want), err)
	}
	for _, i := range page.Items {
		if string(i.Doc) != want[i.Key] {
			t.Errorf("%s holds %q", i.SK, i.Doc)
		}
	}
}

// Nothing that was deleted is in the file after Overwrite, and what is stored is whole in both
// states that a crash could leave: each meta page alone opens it.
func TestOverwrite(t *testing.T) {
	t.Parallel()
	const secret = "a secret of the test "
	path := filepath.Join(t.TempDir(), "db")
	e, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	left := fill(t, e, secret)
	if done, err := e.Overwrite(t.Context()); done || err != nil {
		t.Errorf("nothing was erased: %v %v", done, err)
	}
	if err := e.NoteErasure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(contentOf(t, path), []byte(secret)) {
		t.Fatal("nothing is left in free pages: the test proves nothing")
	}
	if done, err := e.Overwrite(t.Context()); !done || err != nil {
		t.Fatalf("%v %v", done, err)
	}
	if bytes.Contains(contentOf(t, path), []byte(secret)) {
		t.Error("the secret is in the file")
	}
	holds(t, e, left)
	if done, err := e.Overwrite(t.Context()); done || err != nil {
		t.Errorf("a second time: %v %v", done, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	content := contentOf(t, path)
	for slot := range 2 {
		copied := filepath.Join(t.TempDir(), "db")
		torn := bytes.Clone(content)
		copy(torn[slot*os.Getpagesize():], make([]byte, os.Getpagesize()))
		if slot == 0 {
			copy(torn, content[:pageHeader]) // bbolt reads the page size behind it
		}
		if err := os.WriteFile(copied, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		other, err := Open(copied)
		if err != nil {
			t.Fatalf("without meta page %d: %v", slot, err)
		}
		holds(t, other, left)
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A read that began before keeps its state, and the note stays until it has ended.
func TestOverwriteWaitsForReaders(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	e, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	left := fill(t, e, "secret")
	err = e.Snapshot(t.Context(), func(_ int64, write func(io.Writer) error) error {
		if err := e.NoteErasure(context.Background()); err != nil {
			return err
		}
		if _, err := e.Overwrite(context.Background()); !errors.Is(err, kv.ErrUnavailable) {
			t.Errorf("overwritten under a read: %v", err)
		}
		var copied bytes.Buffer
		if err := write(&copied); err != nil {
			return err
		}
		return os.WriteFile(path+".copy", copied.Bytes(), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(path + ".copy"); err != nil {
		t.Errorf("the read state: %v", err)
	}
	if done, err := e.Overwrite(t.Context()); !done || err != nil {
		t.Errorf("after the read: %v %v", done, err)
	}
	holds(t, e, left)
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
