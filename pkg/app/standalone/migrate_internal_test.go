package standalone

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/store"
)

// older makes a data folder whose table has an older format, 0 for one without a number.
func older(t *testing.T, format int) app.Config {
	t.Helper()
	cfg := app.Config{Data: filepath.Join(t.TempDir(), "data"), URL: "http://dossier.test",
		Lease: time.Minute}
	p, err := Open(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.store.CreateCompany(t.Context(), "", "Company"); err != nil {
		t.Fatal(err)
	}
	items, err := p.engine.Get(t.Context(), false, kv.Key{PK: "#FORMAT", SK: "format"})
	if err != nil {
		t.Fatal(err)
	}
	write := kv.Write{If: kv.Condition{Rev: items[0].Rev}}
	if format == 0 {
		write.Delete = &items[0].Key
	} else {
		items[0].Rev, items[0].Doc = items[0].Rev+1, fmt.Appendf(nil, `{"format":%d}`, format)
		write.Put = &items[0]
	}
	if err := errors.Join(p.engine.Commit(t.Context(), write), p.Close()); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// itemsOf returns the documents of a table's file by key.
func itemsOf(t *testing.T, path string) map[kv.Key]string {
	t.Helper()
	engine, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	items := map[kv.Key]string{}
	err = engine.Each(t.Context(), func(i kv.Item) error {
		items[i.Key] = string(i.Doc)
		return nil
	})
	if err := errors.Join(err, engine.Close()); err != nil {
		t.Fatal(err)
	}
	return items
}

// TestMigrationKeepsTheTable opens tables of older formats: the table is kept as it was, once, and
// the log says so. A new table is not kept.
func TestMigrationKeepsTheTable(t *testing.T) {
	t.Parallel()
	for format := range store.Format {
		cfg := older(t, format)
		kept := filepath.Join(cfg.Data, fmt.Sprintf("dossier.db.format-%d", max(1, format)))
		before := itemsOf(t, filepath.Join(cfg.Data, tableFile))
		var log strings.Builder
		for range 2 {
			p, err := Open(cfg, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := p.store.StoredFormat(t.Context()); err != nil || got != store.Format {
				t.Errorf("format %d became %d, %v", format, got, err)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(log.String(), filepath.Base(kept)); n != 1 {
			t.Errorf("format %d: the log names the copy %d times:\n%s", format, n, log.String())
		}
		if err := bolt.Verify(kept); err != nil {
			t.Errorf("format %d: %v", format, err)
		}
		after := itemsOf(t, kept)
		if len(after) < 2 || len(after) != len(before) {
			t.Errorf("format %d: %d of %d items are kept", format, len(after), len(before))
		}
		for key, doc := range before {
			if after[key] != doc {
				t.Errorf("format %d: %v was %s and is kept as %s", format, key, doc, after[key])
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(older(t, store.Format).Data, "*.format-*"))
	if err != nil || len(files) > 0 {
		t.Errorf("a table of this format is copied: %v %v", files, err)
	}
}

// A table of an older format that can't be copied is not migrated.
func TestMigrationNeedsACopy(t *testing.T) {
	t.Parallel()
	cfg := older(t, store.Format-1)
	kept := filepath.Join(cfg.Data, fmt.Sprintf("dossier.db.format-%d", store.Format-1))
	if err := os.Mkdir(kept, 0o700); err != nil { // no file can take its name
		t.Fatal(err)
	}
	_, err := Open(cfg, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "could not be copied before it is brought to") {
		t.Fatalf("opened without a copy: %v", err)
	}
	if left, err := filepath.Glob(kept + ".part"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	p, err := Open(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := bolt.Verify(kept); err != nil {
		t.Error(err)
	}
}
