package client_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write api.gen.go")

// TestCurrent generates the client again: it is that of the OpenAPI document.
func TestCurrent(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make unit builds no generator")
	}
	generator := filepath.Join(t.TempDir(), "oapi-codegen")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", generator,
		"github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen")
	made := filepath.Join(t.TempDir(), "api.gen.go")
	generate := exec.CommandContext(t.Context(), generator, "-config", "config.yaml", "-o", made,
		"../../pkg/httpapi/openapi/openapi.json")
	for _, cmd := range []*exec.Cmd{build, generate} {
		cmd.Dir = "../.ci/goclient"
		cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	want, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	want = wrapped(want)
	if *update {
		if err := os.WriteFile("api.gen.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("api.gen.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("api.gen.go is not that of the document: go test ./client -run Current -update (%v)",
			err)
	}
}

// wrapped returns source whose comment lines have at most 100 columns: the generator writes each
// description of the document as one line.
func wrapped(source []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(source) {
		text := bytes.TrimLeft(line, "\t")
		tabs := line[:len(line)-len(text)]
		for limit := 100 - 4*len(tabs); len(text) > limit && bytes.HasPrefix(text, []byte("// ")); {
			cut := bytes.LastIndexByte(text[3:limit+1], ' ')
			if cut <= 0 {
				break
			}
			out.Write(tabs)
			out.Write(text[:cut+3])
			out.WriteByte('\n')
			text = append([]byte("// "), text[cut+4:]...)
		}
		out.Write(tabs)
		out.Write(text)
	}
	return out.Bytes()
}
