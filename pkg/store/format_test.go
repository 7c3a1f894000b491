package store

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

// A table without a number gets one, also from two processes at once; one of an older format gets
// that of this version; a newer one is refused.
func TestCheckFormat(t *testing.T) {
	t.Parallel()
	s := New(kvtest.NewMemory(), Config{})
	var starts sync.WaitGroup
	for range 4 {
		starts.Go(func() {
			if err := s.CheckFormat(t.Context()); err != nil {
				t.Errorf("a new table: %v", err)
			}
		})
	}
	starts.Wait()
	stored, read, err := get[storedFormat](t.Context(), s, formatKey())
	if err != nil || stored.Format != Format || read.Rev != 1 {
		t.Fatalf("stored %+v at revision %d, %v", stored, read.Rev, err)
	}
	writeFormat(t, s, read.Rev, Format-1)
	for range 2 {
		if err := s.CheckFormat(t.Context()); err != nil {
			t.Errorf("an older table: %v", err)
		}
	}
	stored, read, err = get[storedFormat](t.Context(), s, formatKey())
	if err != nil || stored.Format != Format || read.Rev != 3 {
		t.Errorf("of an older table: %+v at revision %d, %v", stored, read.Rev, err)
	}
	writeFormat(t, s, read.Rev, Format+1)
	if err := s.CheckFormat(t.Context()); !errors.Is(err, ErrNewer) ||
		!strings.Contains(err.Error(), "it has format 5, and this version reads up to 4") {
		t.Errorf("a newer table: %v", err)
	}
}

// A newer program that starts between the read and the write of this one is noticed.
func TestCheckFormatAtOnce(t *testing.T) {
	t.Parallel()
	memory := kvtest.NewMemory()
	writeFormat(t, New(memory, Config{}), 0, Format+1)
	s := New(&lateEngine{Engine: memory}, Config{})
	if err := s.CheckFormat(t.Context()); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer table: %v", err)
	}
}

// lateEngine finds nothing in its first read.
type lateEngine struct {
	kv.Engine
	asked bool
}

// Get implements kv.Engine.
func (e *lateEngine) Get(ctx context.Context, eventual bool, keys ...kv.Key) ([]kv.Item, error) {
	if !e.asked {
		e.asked = true
		return make([]kv.Item, len(keys)), nil
	}
	return e.Engine.Get(ctx, eventual, keys...)
}

func writeFormat(t *testing.T, s *Store, rev int64, format int) {
	t.Helper()
	i, err := item(formatKey(), rev, storedFormat{format})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.commit(t.Context(), nil, put(i)); err != nil {
		t.Fatal(err)
	}
}
