package store

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

// A table without a number gets one, also from two processes at once; a newer one is refused.
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
	newer, err := item(formatKey(), read.Rev, storedFormat{Format + 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.commit(t.Context(), nil, put(newer)); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckFormat(t.Context()); !errors.Is(err, ErrNewer) ||
		!strings.Contains(err.Error(), "it has format 2, and this version reads up to 1") {
		t.Errorf("a newer table: %v", err)
	}
}
