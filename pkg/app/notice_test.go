package app_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNotice holds NOTICE: it lists the modules that are linked into the programs, each at its
// version, and has a licence of each. What stands in for a module is ours.
func TestNotice(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
		"{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}}{{end}}{{end}}",
		"./functions/...", "./pkg/check/child/parser")
	list.Dir, list.Env = "../..", append(os.Environ(), "GOOS=linux", "GOARCH=amd64",
		"CGO_ENABLED=0", "GOFLAGS=")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(linked)
	linked = slices.Compact(linked)
	notice, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.SplitN(string(notice), "\n\n", 3)
	if len(sections) < 3 {
		t.Fatal("NOTICE has no list of modules")
	}
	if diff := cmp.Diff(linked, strings.Split(sections[1], "\n")); diff != "" {
		t.Errorf("modules of NOTICE (-linked +NOTICE):\n%s\nRun make notice", diff)
	}
	for _, module := range append(linked, "std") {
		path, _, _ := strings.Cut(module, " ")
		if !strings.Contains(sections[2], "\n"+path+"/") {
			t.Errorf("NOTICE has no licence of %s", path)
		}
	}
}
