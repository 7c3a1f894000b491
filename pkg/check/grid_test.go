package check

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/check/picturetest"
)

var grid = flag.Int("grid", 8, "how many made pictures TestGrid reads")

// The conditions of the grid. Blur is in pixels at 200 dpi.
var (
	resolutions = []float64{75, 100, 150, 200, 300}
	blurs       = []float64{0, 0.5, 0.9, 1.3}
	turns       = []float64{0, 1, 2, 4, 8}
	lights      = []float64{0, 0.25, 0.5}
)

// tally counts the pictures of one condition by what became of them.
type tally struct{ passed, reviewed, wrong int }

// TestGrid reads made permits with known values at random points of a grid, and asserts that none
// passes with a wrong value. With -v it prints the share that passes under each condition.
func TestGrid(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	c := reader(t)
	tallies := map[string]*tally{}
	for n := range *grid {
		r := rand.New(rand.NewPCG(uint64(n), 20))
		p, want := madePermit(r, uint64(n))
		out := checkPicture(t, c, permit, p)
		right := cmp.Equal(want, out.Parsed)
		if out.Verdict == Passed && !right {
			t.Errorf("picture %d passed with %v instead of %v: %+v", n, out.Parsed, want, p)
		}
		if out.Verdict == NeedsResubmission {
			t.Errorf("picture %d was sent back: %v", n, out.Reasons)
		}
		for _, condition := range []string{"all", fmt.Sprintf("dpi %03v", p.DPI),
			fmt.Sprintf("blur %.1f", p.Blur*200/p.DPI), fmt.Sprintf("turn %v", p.Turn),
			fmt.Sprintf("light %.2f", p.Light), fmt.Sprintf("layout %d", p.Layout),
			fmt.Sprintf("font %d", p.Font)} {
			if tallies[condition] == nil {
				tallies[condition] = &tally{}
			}
			tallies[condition].add(out, right)
		}
	}
	lines := make([]string, 0, len(tallies))
	for condition, a := range tallies {
		lines = append(lines, fmt.Sprintf("%-12s passed %4d, reviewed %4d, passed wrong %d",
			condition,
			a.passed, a.reviewed, a.wrong))
	}
	slices.Sort(lines)
	t.Log("\n" + strings.Join(lines, "\n"))
}

func (a *tally) add(out Outcome, right bool) {
	switch {
	case out.Verdict != Passed:
		a.reviewed++
	case right:
		a.passed++
	default:
		a.wrong++
	}
}

// madePermit is a permit at a random point of the grid, and the values on it.
func madePermit(r *rand.Rand, seed uint64) (picturetest.Picture, map[string]any) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	number := fmt.Sprintf("NL-%03d", r.IntN(1000))
	switch r.IntN(4) {
	case 0:
		number = fmt.Sprintf("%d%c%d", 100+r.IntN(9000), letters[r.IntN(26)], r.IntN(900))
	case 1:
		code := make([]byte, 9)
		for i := range code {
			code[i] = (letters + "0123456789")[r.IntN(36)]
		}
		number = string(code)
	case 2:
		number = fmt.Sprintf("%08d", r.IntN(1e8))
	}
	class := one(r, []string{"B", "CE", "C1E", "D", "A2", "BE", "C1", "D1E"})
	expires := fmt.Sprintf("20%02d-%02d-%02d", 27+r.IntN(70), 1+r.IntN(12), 1+r.IntN(28))
	dpi := one(r, resolutions)
	return picturetest.Picture{
			Title: "WORK PERMIT", Layout: r.IntN(picturetest.Layouts),
			Font: r.IntN(picturetest.Fonts), Rows: [][2]string{{"Permit number", number},
				{"Class", class}, {"Valid until", expires}},
			DPI: dpi, Blur: one(r, blurs) * dpi / 200, Turn: one(r, turns), Light: one(r, lights),
			Noise: 10 * r.Float64(), Quality: 50 + r.IntN(46), Seed: seed,
		}, map[string]any{
			"permit": map[string]any{"number": number, "class": class, "expires": expires},
		}
}

func one[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
