package dossier_test

import (
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// A text of exactly as many characters as are allowed is allowed, and is repeated whole.
func TestLimitsAreInclusive(t *testing.T) {
	t.Parallel()
	var p dossier.Problems
	p.OptionalText("/a", "four", 4)
	if p.OptionalText("/b", "five.", 4); p.Len() != 1 || p.List()[0].Pointer != "/b" {
		t.Errorf("%v", p.List())
	}
	whole := strings.Repeat("a", 100)
	if got := dossier.Clip(whole); got != whole {
		t.Errorf("clipped to %q", got)
	}
	if got := dossier.Clip(whole + "a"); got != whole+"…" {
		t.Errorf("clipped to %q", got)
	}
}
