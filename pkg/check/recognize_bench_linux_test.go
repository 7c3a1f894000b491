package check

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dossierhq/dossier/pkg/check/picturetest"
	"github.com/dossierhq/dossier/pkg/check/sniff"
)

// BenchmarkFigurePicture compares the CPU of reading a picture with that of Tesseract called by
// itself on the same file: a small picture of a permit, a photo of it of 12 million pixels, and a
// printed A4 page at 300 dpi. The target is 1.5 times as much.
func BenchmarkFigurePicture(b *testing.B) {
	photo, small := easy, easy
	small.DPI = 240
	photo.DPI, photo.Noise, photo.Tilt = 706, 4, 0.03
	for name, content := range map[string][]byte{"permit": jpegOf(b, small),
		"photo": jpegOf(b, photo), "A4": pageOf(b, "testdata/chromium-table.pdf")} {
		b.Run(name, func(b *testing.B) { comparePicture(b, content) })
	}
}

func jpegOf(b *testing.B, p picturetest.Picture) []byte {
	b.Helper()
	content, err := p.JPEG()
	if err != nil {
		b.Fatal(err)
	}
	return content
}

// pageOf prints the first page of a PDF to a picture.
func pageOf(b *testing.B, path string) []byte {
	b.Helper()
	content, err := exec.Command("pdftoppm", "-r", "300", "-gray", "-jpeg", "-singlefile",
		path).Output()
	if err != nil {
		b.Fatalf("pdftoppm: %v: `make debian` installs it", err)
	}
	return content
}

func comparePicture(b *testing.B, content []byte) {
	b.Helper()
	path, err := FindTesseract("")
	if err != nil || path == "" {
		b.Fatalf("Tesseract is missing, %v: `make debian` installs it", err)
	}
	file := filepath.Join(b.TempDir(), "a.jpg")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		b.Fatal(err)
	}
	c := newChecker(Config{Tesseract: path, Timeout: time.Hour, SmallTimeout: time.Hour})
	var ratios, ours []float64 // of pairs: other load on the machine slows both of a pair
	for b.Loop() {
		for range 9 {
			before := childrenCPU(b)
			out, err := c.Check(context.Background(), Request{Check: permit, Today: today,
				Company: "company", Parts: []Part{{Name: "front", ContentType: sniff.JPEG,
					Path: file, Size: int64(len(content))}}})
			if err != nil || len(out.Readings) != len(permit.Fields) {
				b.Fatal(err, out)
			}
			for _, waiting := range c.children.idle { // which no check uses
				c.children.drop(waiting)
				<-waiting.ended
			}
			between := childrenCPU(b)
			plain := exec.Command(path, file, "stdout", "tsv")
			plain.Env = []string{"OMP_THREAD_LIMIT=1"}
			if err := plain.Run(); err != nil {
				b.Fatal(err)
			}
			ours = append(ours, (between - before).Seconds())
			ratios = append(ratios, float64(between-before)/float64(childrenCPU(b)-between))
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "×tesseract")
	b.ReportMetric(slices.Min(ours), "s-CPU")
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
