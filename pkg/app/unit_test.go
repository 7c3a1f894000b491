package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnit checks deploy/dossier.service with systemd's own program. The test binary stands for the
// program, which systemd wants to find.
func TestUnit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs systemd-analyze: part of `make test`")
	}
	unit, err := os.ReadFile("../../deploy/dossier.service")
	if err != nil {
		t.Fatal(err)
	}
	const installed = "/usr/local/bin/dossier"
	if !strings.Contains(string(unit), "ExecStart="+installed+" serve\n") {
		t.Fatalf("the unit does not start %s serve", installed)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dossier.service")
	text := strings.ReplaceAll(string(unit), "ExecStart="+installed, "ExecStart="+self)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no",
		file).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
