package check

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dossierhq/dossier/pkg/check/sniff"
)

// BenchmarkFigurePicture compares the CPU of reading a picture of a permit with that of Tesseract
// called by itself on the same file. The target is 1.5 times as much.
func BenchmarkFigurePicture(b *testing.B) {
	path, err := FindTesseract("")
	if err != nil || path == "" {
		b.Fatalf("Tesseract is missing, %v: `make debian` installs it", err)
	}
	p := easy
	p.DPI = 240
	content, err := p.JPEG()
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "a.jpg")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		b.Fatal(err)
	}
	c := New(Config{Tesseract: path, Timeout: time.Hour, SmallTimeout: time.Hour})
	ours, alone := time.Hour, time.Hour // the least of several
	for b.Loop() {
		for range 5 {
			before := childrenCPU(b)
			if _, err := c.Check(context.Background(), Request{Check: permit, Today: today,
				Parts: []Part{{Name: "front", ContentType: sniff.JPEG, Path: file,
					Size: int64(len(content))}}}); err != nil {
				b.Fatal(err)
			}
			between := childrenCPU(b)
			plain := exec.Command(path, file, "stdout", "tsv")
			plain.Env = []string{"OMP_THREAD_LIMIT=1"}
			if err := plain.Run(); err != nil {
				b.Fatal(err)
			}
			ours = min(ours, between-before)
			alone = min(alone, childrenCPU(b)-between)
		}
	}
	b.ReportMetric(float64(ours)/float64(alone), "×tesseract")
	b.ReportMetric(ours.Seconds(), "s-CPU")
}

// childrenCPU returns the CPU time of the children that have ended.
func childrenCPU(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
