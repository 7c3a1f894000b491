package kv_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
)

// Every text is either no cursor, with the one error for that, or the cursor of exactly one place.
func FuzzCursor(f *testing.F) {
	for _, p := range []kv.Place{{Sort: "a", Key: kv.Key{PK: "p", SK: "s"}},
		{Key: kv.Key{PK: "é#~", SK: "\x00"}}, {}} {
		f.Add(p.Cursor())
	}
	f.Add("AAAA")
	f.Add("_w")
	f.Add(strings.Repeat("A", 6000))
	f.Fuzz(func(t *testing.T, text string) {
		place, err := kv.ParseCursor(text)
		if err != nil {
			if !errors.Is(err, kv.ErrCursor) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if place.PK == "" || place.SK == "" {
			t.Fatalf("%q is the cursor of %+v", text, place)
		}
		if again, err := kv.ParseCursor(place.Cursor()); err != nil || again != place {
			t.Fatalf("%q: %+v, again %+v, %v", text, place, again, err)
		}
	})
}
