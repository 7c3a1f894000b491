package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVersionStamp holds that the Makefile links the version into the function that answers
// /healthz, and into no other: it reads what make would run, and links a program the same way.
func TestVersionStamp(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("links a program: part of `make test`")
	}
	stamp := regexp.MustCompile(`-X \S+=v9\.8\.7`).FindString(planned(t, "build-SettingsFunction"))
	if stamp == "" {
		t.Fatal("the Makefile links no version into the settings function")
	}
	if other := planned(t, "build-CandidatesFunction"); strings.Contains(other, "v9.8.7") {
		t.Errorf("a function would change with every version:\n%s", other)
	}
	program := filepath.Join(t.TempDir(), "dossier")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", stamp, "-o", program, "./functions/standalone")
	build.Dir, build.Env = "../..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program, "--version").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "v9.8.7" {
		t.Errorf("--version of a program linked with %s: %q %v", stamp, out, err)
	}
}

// planned returns the commands of a target of the Makefile.
func planned(t *testing.T, target string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-n", target,
		"ARTIFACTS_DIR=/nowhere", "VERSION=v9.8.7")
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("make -n %s: %v\n%s", target, err, out)
	}
	return string(out)
}
