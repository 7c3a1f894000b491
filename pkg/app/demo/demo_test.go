package demo_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/app/demo"
	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
)

func TestDemo(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	var out bytes.Buffer
	if err := demo.Run(t.Context(), &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, line := range []string{
		`state: "processing"`, `state: "validated"`, `parsed: {"class":"CE","number":"NL-204"}`,
		"matched: true", `name: "Tachograph card"`, `"type":"candidateDocumentValidated"`,
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("does not say %s", line)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	t.Log(out.String())
}
