package web

import (
	"net/http"
	"runtime"
	"testing"
)

// TestTemplates parses every page: they are parsed when they are first asked for, so that a mistake
// in one would not be found at the start.
func TestTemplates(t *testing.T) {
	t.Parallel()
	pages, err := newTemplates(&Site{})
	if err != nil || len(pages.byName) < 20 {
		t.Fatalf("%d pages, %v", len(pages.byName), err)
	}
	for name := range pages.byName {
		if _, err := pages.screen(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pages.screen("none"); err == nil {
		t.Error("a page that does not exist is parsed")
	}
}

// BenchmarkNew measures what the pages add to the start of a process, and what they keep in memory
// before the first one is asked for.
func BenchmarkNew(b *testing.B) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept, err := New(Config{API: http.NotFoundHandler()})
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(Config{API: http.NotFoundHandler()}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(after.HeapAlloc)-float64(before.HeapAlloc), "heap-bytes")
	runtime.KeepAlive(kept)
}
