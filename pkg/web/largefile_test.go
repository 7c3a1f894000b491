package web_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// largePDF writes a PDF of at least a size: one of the test files with a big unused object before
// its end.
func largePDF(t *testing.T, size int) string {
	t.Helper()
	pdf, err := os.ReadFile("../check/testdata/chromium-plain.pdf")
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.LastIndex(pdf, []byte("startxref"))
	var out bytes.Buffer
	out.Write(pdf[:end])
	fmt.Fprintf(&out, "\n99999 0 obj\n<< /Length %d >>\nstream\n", size)
	out.Write(bytes.Repeat([]byte("0123456789abcde\n"), size/16))
	out.WriteString("\nendstream\nendobj\n")
	out.Write(pdf[end:])
	path := filepath.Join(t.TempDir(), "permit.pdf")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
