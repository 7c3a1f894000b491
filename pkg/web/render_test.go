package web

import "testing"

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
