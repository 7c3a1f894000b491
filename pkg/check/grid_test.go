package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/check/picturetest"
	"github.com/dossierhq/dossier/pkg/dossier"
)

var (
	grid      = flag.Int("grid", 8, "how many made pictures TestGrid reads")
	gridFirst = flag.Int("first", 0, "the number of the first picture of TestGrid")
	gridKept  = flag.String("kept", "",
		"a folder that keeps what Tesseract read, so that TestGrid goes on where it stopped")
	gridTime   = flag.Duration("for", 24*time.Hour, "after which TestGrid reads no other picture")
	gridStrips = flag.Bool("strips", false,
		"reads strips alone at the second size of small pictures, too")
	gridFigure = flag.String("figure", "", "where TestGrid draws its curve, an SVG file")
)

// The conditions of the grid. Blur is in pixels at 200 dpi.
var (
	resolutions = []float64{75, 100, 150, 200, 300}
	blurs       = []float64{0, 0.5, 0.9, 1.3}
	turns       = []float64{0, 1, 2, 4, 8}
	lights      = []float64{0, 0.25, 0.5}
	quarters    = []int{0, 0, 0, 0, 0, 0, 1, 2, 3}
	tilts       = []float64{0, 0, 0, 0.05, 0.1}
)

// seen is the fate of one made picture, and of its values by reference one of the fates.
type seen struct {
	N         int
	Picture   picturetest.Picture
	Verdict   string
	Validates string // the fate of the document
	Values    map[string]string
}

// The fates of a value: certain and right, for a person to look at, certain and wrong.
const (
	fateRight  = "right"
	fateReview = "review"
	fateWrong  = "wrong"
)

// TestGrid reads made permits with known values at random points of a grid, with patterns and
// without, and asserts that none passes with a wrong value. With -v it prints the share that passes
// under each condition, and each wrong value that is certain though its document goes to review for
// another.
func TestGrid(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	c := reader(t)
	c.cfg.Timeout, c.cfg.SmallTimeout = time.Hour, time.Hour
	if *gridStrips {
		c.small = 0
	}
	remember(t, c)
	var all, bare []seen
	begun := time.Now()
	for n := range *grid {
		if time.Since(begun) > *gridTime {
			break
		}
		s, without := gridPicture(t, c, *gridFirst+n)
		all, bare = append(all, s), append(bare, without)
		for _, s := range []seen{s, without} {
			if s.Verdict == NeedsResubmission {
				t.Errorf("picture %d was sent back", s.N)
			}
			if s.Validates == fateWrong {
				t.Errorf("picture %d passed with a wrong value: %+v", s.N, s.Picture)
			}
		}
	}
	t.Log("without patterns:\n" + gridTable(bare))
	t.Log("with patterns:\n" + gridTable(all))
	if *gridFigure != "" {
		if err := os.WriteFile(*gridFigure, gridSVG(all), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// gridPicture makes one picture, and reads it with the patterns of its number and class, and
// without.
func gridPicture(t *testing.T, c *Checker, n int) (with, without seen) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 20))
	p, want, check := madePermit(r, uint64(n))
	content, err := p.JPEG()
	if err != nil {
		t.Fatal(err)
	}
	with = seen{N: n, Picture: p}
	without = with
	with.judge(t, want, checkContent(t, c, check, content))
	without.judge(t, want, checkContent(t, c, permit, content))
	return with, without
}

// judge compares what was read of a picture with what stands on it.
func (s *seen) judge(t *testing.T, want map[string]any, out Outcome) {
	t.Helper()
	s.Verdict, s.Validates, s.Values = out.Verdict, fateReview, map[string]string{}
	if out.Verdict == Passed {
		s.Validates = fateRight
	}
	for _, f := range permit.Fields {
		doubted := slices.ContainsFunc(out.Reasons, func(r dossier.Reason) bool {
			return r.Reference == f.Reference || r.Reference == ""
		})
		switch v := get(out.Parsed, f.Reference); {
		case doubted && out.Verdict != Passed:
			s.Values[f.Reference] = fateReview
		case v == get(want, f.Reference):
			s.Values[f.Reference] = fateRight
		default:
			s.Values[f.Reference] = fateWrong
			if out.Verdict == Passed {
				s.Validates = fateWrong
			}
			t.Logf("picture %d: %s is %v, not %v", s.N, f.Reference, v, get(want, f.Reference))
		}
	}
}

// remember keeps what Tesseract says of a picture in the folder of -kept, and asks it once only.
// What is read is judged anew each time, so that a changed rule is tried on all pictures soon.
func remember(t *testing.T, c *Checker) {
	t.Helper()
	if *gridKept == "" {
		return
	}
	if err := os.MkdirAll(*gridKept, 0o755); err != nil {
		t.Fatal(err)
	}
	ask := c.tesseract
	c.tesseract = func(ctx context.Context, timeout time.Duration, pictures []picture,
		args ...string) ([][]byte, error) {
		texts, paths := make([][]byte, len(pictures)), make([]string, len(pictures))
		var missing []picture
		for n, p := range pictures {
			h := sha256.New()
			fmt.Fprintf(h, "P5\n%d %d\n255\n%s%s", p.width, p.height, p.pixels,
				strings.Join(args, " "))
			paths[n] = filepath.Join(*gridKept, hex.EncodeToString(h.Sum(nil)))
			if tsv, err := os.ReadFile(paths[n]); err == nil {
				texts[n] = tsv
			} else {
				missing = append(missing, p)
			}
		}
		if len(missing) == 0 {
			return texts, nil
		}
		asked, err := ask(ctx, timeout, missing, args...)
		if err != nil {
			return nil, err
		}
		for n, path := range paths {
			if texts[n] != nil {
				continue
			}
			texts[n], asked = asked[0], asked[1:]
			if err := os.WriteFile(path+".part", texts[n], 0o644); err != nil {
				return nil, err
			}
			if err := os.Rename(path+".part", path); err != nil {
				return nil, err
			}
		}
		return texts, nil
	}
}

// categories is the pattern of the categories of driving licences in the European Union.
const categories = `AM|A1|A2|A|B1|BE|B|C1E|C1|CE|C|D1E|D1|DE|D|T`

// madePermit is a permit at a random point of the grid, the values on it, and how it is checked:
// each issuer has numbers of one form.
func madePermit(r *rand.Rand, seed uint64) (picturetest.Picture, map[string]any, dossier.Check) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	number, form := fmt.Sprintf("NL-%03d", r.IntN(1000)), `NL-[0-9]{3}`
	switch r.IntN(4) {
	case 0:
		form = `[0-9]{3,4}[A-Z][0-9]{1,3}`
		number = fmt.Sprintf("%d%c%d", 100+r.IntN(9000), letters[r.IntN(26)], r.IntN(900))
	case 1:
		code := make([]byte, 9)
		for i := range code {
			code[i] = (letters + "0123456789")[r.IntN(36)]
		}
		number, form = string(code), `[A-Z0-9]{9}`
	case 2:
		form = `[0-9]{8}`
		number = fmt.Sprintf("%08d", r.IntN(1e8))
	}
	class := one(r, []string{"B", "CE", "C1E", "D", "A2", "BE", "C1", "D1E"})
	expires := fmt.Sprintf("20%02d-%02d-%02d", 27+r.IntN(70), 1+r.IntN(12), 1+r.IntN(28))
	dpi := one(r, resolutions)
	check := permit
	check.Fields = slices.Clone(permit.Fields)
	check.Fields[0].Pattern, check.Fields[1].Pattern = form, categories
	return picturetest.Picture{
			Title: "WORK PERMIT", Layout: r.IntN(picturetest.Layouts),
			Font: r.IntN(picturetest.Fonts), Rows: [][2]string{{"Permit number", number},
				{"Class", class}, {"Valid until", expires}},
			DPI: dpi, Blur: one(r, blurs) * dpi / 200, Turn: one(r, turns), Light: one(r, lights),
			Noise: 10 * r.Float64(), Quality: 50 + r.IntN(46), Seed: seed,
			Quarters: one(r, quarters), Tilt: one(r, tilts),
		}, map[string]any{
			"permit": map[string]any{"number": number, "class": class, "expires": expires},
		}, check
}

func one[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
