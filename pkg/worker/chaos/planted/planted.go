// Package planted runs tests on a copy of the source in which one bug is planted, to see that they
// find it. Nothing is written to the source itself: the go command reads the changed file through
// an overlay.
package planted

import (
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
)

// Bug is a bug that somebody could make: one piece of the code of a file and what stands there
// instead. File is relative to pkg. Before is compared token by token, so that line breaks, indents
// and comments do not count.
type Bug = struct{ Name, File, Before, After string }

// plant returns a source with the bug at a place.
func plant(b Bug, source []byte, at piece) []byte {
	return slices.Concat(source[:at.from], []byte(b.After), source[at.to:])
}

// Check fails the test for each bug that can't be planted any more, because its code is not in its
// file exactly once. root is the folder pkg.
func Check(t *testing.T, root string, bugs []Bug) {
	t.Helper()
	for _, b := range bugs {
		source, err := os.ReadFile(filepath.Join(root, b.File))
		if err != nil {
			t.Error(err)
		}
		if at := places(string(source), b.Before); len(at) != 1 {
			t.Errorf("%s: %s has %d times %q", b.Name, b.File, len(at), b.Before)
		} else if _, err := format.Source(plant(b, source, at[0])); err != nil {
			t.Errorf("%s: %s does not parse with the bug: %v", b.Name, b.File, err)
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
	at := places(string(source), bug.Before)
	if len(at) != 1 {
		t.Fatalf("%s does not have exactly one %q: bring the bug up to date", path, bug.Before)
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, plant(bug, source, at[0]), 0o600); err != nil {
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

// piece is a token of Go source with its place, in bytes; or a run of them.
type piece struct {
	text     string
	from, to int
}

// places returns where a piece of code stands in a source.
func places(source, code string) []piece {
	all, wanted := pieces(source), pieces(code)
	var found []piece
	for n := range len(all) - len(wanted) + 1 {
		run := all[n : n+len(wanted)]
		if len(run) > 0 && slices.EqualFunc(run, wanted, func(a, b piece) bool {
			return a.text == b.text
		}) {
			found = append(found, piece{code, run[0].from, run[len(run)-1].to})
		}
	}
	return found
}

// pieces returns the tokens of a source, without the commas that only a line break makes necessary.
func pieces(source string) []piece {
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	s.Init(file, []byte(source), func(token.Position, string) {}, 0)
	var all []piece
	for {
		pos, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return all
		case kind == token.SEMICOLON && text == "\n":
			continue
		case text == "":
			text = kind.String()
		}
		closes := kind == token.RPAREN || kind == token.RBRACE || kind == token.RBRACK
		if last := len(all) - 1; closes && last >= 0 && all[last].text == "," {
			all = all[:last]
		}
		from := file.Offset(pos)
		all = append(all, piece{text, from, from + len(text)})
	}
}
