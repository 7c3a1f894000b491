package web

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rsc.io/qr"
)

// TestCodeOf holds that the drawing has the black squares of the code, inside its white margin.
func TestCodeOf(t *testing.T) {
	t.Parallel()
	link := "https://dossier.example.com/c#dst_" + strings.Repeat("0123456789", 10)
	want, err := qr.Encode(link, qr.M)
	if err != nil {
		t.Fatal(err)
	}
	got := codeOf(link)
	if got.Size != want.Size+2*quiet {
		t.Fatalf("OK: %d units for %d modules", got.Size, want.Size)
	}
	black := map[[2]int]bool{}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h1v1h-1z`).FindAllStringSubmatch(got.Path,
		-1) {
		x, _ := strconv.Atoi(m[1])
		y, _ := strconv.Atoi(m[2])
		black[[2]int{x - quiet, y - quiet}] = true
	}
	for y := -quiet; y < want.Size+quiet; y++ {
		for x := -quiet; x < want.Size+quiet; x++ {
			if black[[2]int{x, y}] != want.Black(x, y) {
				t.Fatalf("OK: the square %d, %d is wrong", x, y)
			}
		}
	}
	if codeOf(strings.Repeat("x", 5000)) != nil {
		t.Error("ErrTooLong: a code that holds nothing")
	}
}
