package seal_test

import (
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/seal"
)

func newBox(t *testing.T) *seal.Box {
	b, err := seal.New([]byte(seal.NewKey()))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBox(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	sealed := b.Seal("whsec_secret", "int_1")
	if strings.Contains(sealed, "secret") || sealed == b.Seal("whsec_secret", "int_1") {
		t.Errorf("sealed is %q", sealed)
	}
	if again := b.Seal(sealed, "int_1"); again != sealed {
		t.Errorf("sealed again it is %q", again)
	}
	for name, c := range map[string]struct {
		box           *seal.Box
		sealed, owner string
		want          string
	}{
		"OK":       {b, sealed, "int_1", "whsec_secret"},
		"OKPlain":  {b, "whsec_old", "int_1", "whsec_old"},
		"ErrOwner": {b, sealed, "int_2", ""}, "ErrKey": {newBox(t), sealed, "int_1", ""},
		"ErrCut":  {b, sealed[:len(sealed)-2], "int_1", ""},
		"ErrText": {b, "sealed:1:!", "int_1", ""},
	} {
		got, err := c.box.Open(c.sealed, c.owner)
		if got != c.want || (err != nil) != strings.HasPrefix(name, "Err") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := seal.New(make([]byte, 32)); err != nil {
		t.Errorf("the shortest key: %v", err)
	}
	if _, err := seal.New([]byte("too short")); err == nil {
		t.Error("a key of nine bytes is taken")
	}
}
