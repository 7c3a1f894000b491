// Package planted runs tests on a copy of the source in which one bug is planted, to see that they
// find it. Nothing is written to the source itself: the go command reads the changed file through
// an overlay.
package planted

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// Bug is a bug that somebody could make: one text of a file and what stands there instead. File is
// relative to pkg.
type Bug = struct{ Name, File, Before, After string }

// Check fails the test for each bug that can't be planted any more, because its text is not in its
// file exactly once. root is the folder pkg.
func Check(t *testing.T, root string, bugs []Bug) {
	t.Helper()
	for _, b := range bugs {
		source, err := os.ReadFile(filepath.Join(root, b.File))
		if err != nil {
			t.Error(err)
		}
		if n := strings.Count(string(source), b.Before); n != 1 {
			t.Errorf("%s: %s has %d times %q", b.Name, b.File, n, b.Before)
		}
	}
}

// Test runs `go test` with the arguments in the current folder, with the bug planted. It returns
// the output, and an error if the tests failed.
func Test(t *testing.T, root string, bug Bug, args ...string) (output string, err error) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, bug.File))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), bug.Before) != 1 {
		t.Fatalf("%s does not have exactly one %q: bring the bug up to date", path, bug.Before)
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	text := strings.Replace(string(source), bug.Before, bug.After, 1)
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"test", "-overlay", overlay, "-count=1"}, args...)
	out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("the tests fail: %w", err)
	}
	return string(out), err
}
