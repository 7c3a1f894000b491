package check_test

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dossierhq/dossier/pkg/check"
)

// A hidden process is marked so in the kernel, and still finds its own binary.
func TestHide(t *testing.T) {
	t.Parallel()
	if os.Getenv("HIDDEN") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestHide$")
		cmd.Env = append(os.Environ(), "HIDDEN=1")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		return
	}
	if err := check.Hide(); err != nil {
		t.Fatal(err)
	}
	if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); dumpable != 0 ||
		err != nil {
		t.Errorf("dumpable %d, %v", dumpable, err)
	}
	if _, err := os.Executable(); err != nil {
		t.Error(err)
	}
}
