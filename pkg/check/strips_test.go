package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// tsvOf is Tesseract's table of a picture with the lines, all of whose words are certain.
func tsvOf(p picture, top int, lines ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "1\t1\t0\t0\t0\t0\t0\t0\t%d\t%d\t-1\t\n", p.width, p.height)
	for n, line := range lines {
		y := top + 40*n
		fmt.Fprintf(&b, "4\t1\t1\t1\t%d\t0\t50\t%d\t500\t20\t-1\t\n", n, y)
		for m, word := range strings.Fields(line) {
			fmt.Fprintf(&b, "5\t1\t1\t1\t%d\t%d\t%d\t%d\t%d\t20\t99\t%s\n", n, m, 50+120*m, y,
				110, word)
		}
	}
	return []byte(b.String())
}

// TestStrips has a large picture read once as a whole, and again where its values stand. Its values
// count only if the second reading is the same.
func TestStrips(t *testing.T) {
	t.Parallel()
	right := []string{"Permit number: NL-734", "Class: CE", "Valid until: 2034-09-07"}
	large := easy
	large.DPI = 300
	for name, test := range map[string]struct {
		again   []string
		fails   error
		verdict string
		codes   []string
	}{
		"OK": {right, nil, Passed, nil},
		"Err other digit": {[]string{right[0], right[1], "Valid until: 2034-09-01"}, nil,
			NeedsReview,
			[]string{"LOW_CONFIDENCE permit.expires"}},
		"Err line lost": {right[1:], nil, NeedsReview, []string{"LOW_CONFIDENCE permit.number"}},
		"Err nothing": {nil, nil, NeedsReview, []string{"LOW_CONFIDENCE permit.number",
			"LOW_CONFIDENCE permit.class", "LOW_CONFIDENCE permit.expires"}},
		"Err failed": {nil, errors.New("it crashed"), NeedsReview,
			[]string{"LOW_CONFIDENCE permit.number", "LOW_CONFIDENCE permit.class",
				"LOW_CONFIDENCE permit.expires"}},
		"Err time": {nil, errTime, NeedsReview, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChecker(Config{Tesseract: "/bin/true", Timeout: time.Hour,
				SmallTimeout: time.Hour})
			calls := 0
			c.tesseract = func(_ context.Context, _ time.Duration, pictures []picture,
				_ ...string) ([][]byte, error) {
				calls++
				if calls == 1 && len(pictures) == 1 && pictures[0].size == 0 {
					return [][]byte{tsvOf(pictures[0], 400, append([]string{"WORK PERMIT OF UTOPIA",
						"A line of no interest"}, right...)...)}, nil
				}
				if calls != 2 || len(pictures) != 1 || pictures[0].size != 1 ||
					pictures[0].height > 200 {
					t.Errorf("call %d reads %d pictures %d high", calls, len(pictures),
						pictures[0].height)
				}
				return [][]byte{tsvOf(pictures[0], 10, test.again...)}, test.fails
			}
			out := checkPicture(t, c, permit, large)
			if out.Verdict != test.verdict || out.Slow != errors.Is(test.fails, errTime) {
				t.Errorf("%s %v %v", out.Verdict, out.Parsed, out.Reasons)
			}
			if got := strings.Join(codes(out), ","); test.codes != nil &&
				got != strings.Join(test.codes, ",") {
				t.Errorf("codes %s", got)
			}
		})
	}
}

// TestStrip cuts bands out of a picture of four rows, and writes them as a TIFF.
func TestStrip(t *testing.T) {
	t.Parallel()
	p := picture{width: 3, height: 4, pixels: []byte("aaabbbcccddd")}
	for _, test := range []struct {
		top, foot float64
		pixels    string
		row       int
	}{{0, 1, "aaabbbcccddd", 0}, {0.3, 0.5, "bbb", 1}, {0.26, 0.74, "bbbccc", 1},
		{1, 1, "ddd", 3}, {-3, 9, "aaabbbcccddd", 0}, {0.9, 0.1, "ddd", 3}} {
		s, top := p.strip(childproto.Band{Top: test.top, Foot: test.foot})
		if string(s.pixels) != test.pixels || top != test.row || s.height*3 != len(s.pixels) {
			t.Errorf("%v to %v: %q from row %d", test.top, test.foot, s.pixels, top)
		}
	}
	one, _ := p.strip(childproto.Band{Top: 0.3, Foot: 0.5})
	b, err := io.ReadAll(tiff([]picture{one, p}))
	if err != nil || len(b) != 8+2*(2+9*12+4)+3+1+12 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// TestPicturesOf refuses what a child that was taken over could say of its pictures.
func TestPicturesOf(t *testing.T) {
	t.Parallel()
	for _, l := range []childproto.Picture{{Width: 0, Height: 1}, {Width: 1, Height: -1},
		{Width: 3, Height: 4}, {Width: 1 << 62, Height: 4}, {Width: 4, Height: 1 << 62},
		{Page: -1, Width: 1, Height: 1}, {Page: maxReadings, Width: 1, Height: 1}} {
		made := result{pictures: make([]byte, 10)}
		made.report.Answer.Pictures = []childproto.Picture{l}
		if _, err := picturesOf(made); err == nil {
			t.Errorf("%+v was taken", l)
		}
	}
}
