package blob

import (
	"strings"
	"testing"
)

func TestCheckKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"a", "co/cnd_01/doc-1=2/0", "pending/a.b",
		strings.Repeat("k", 512)} {
		if err := CheckKey(key); err != nil {
			t.Errorf("OK: CheckKey(%q) = %v", key, err)
		}
	}
	for _, key := range []string{"", "/", "a/", "/a", "a//b", ".", "..", "a/../b", "a/.b", "a b",
		"a@b", "a\\b", "ä", "a\x00", strings.Repeat("k", 513)} {
		if CheckKey(key) == nil {
			t.Errorf("ErrForm: CheckKey(%q) = nil", key)
		}
	}
}

func TestCheckPrefix(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"a", "a/", "a/b"} {
		if err := CheckPrefix(prefix); err != nil {
			t.Errorf("OK: CheckPrefix(%q) = %v", prefix, err)
		}
	}
	for _, prefix := range []string{"", "/", "a//", "../"} {
		if CheckPrefix(prefix) == nil {
			t.Errorf("ErrForm: CheckPrefix(%q) = nil", prefix)
		}
	}
}
