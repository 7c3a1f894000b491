//go:build race

package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// executable is the child of the tests, built without the race detector: with it a child takes
// fifteen times the CPU, and there is one goroutine in it.
var executable string

func TestMain(m *testing.M) { os.Exit(withChild(m)) }

// withChild runs the tests with a child that is built for them, and returns their exit code.
func withChild(m *testing.M) int {
	dir, err := os.MkdirTemp("", "child")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	executable = filepath.Join(dir, "parser")
	build := exec.Command("go", "build", "-trimpath", "-o", executable, "./child/parser")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the child: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
