package parse

import (
	"math"

	"github.com/ledongthuc/pdf"

	"github.com/dossierhq/dossier/pkg/check/childproto"
	"github.com/dossierhq/dossier/pkg/check/layout"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// frame describes a page as it is shown: the rectangle of its coordinates, Y upwards, and the
// quarters of a turn clockwise that it then gets.
type frame struct {
	x, y, w, h float64
	quarters   int
	// parts of a font's size that letters reach below and above the baseline
	below, above float64
}

// Parts of a font's size.
const (
	fontBelow = 0.22
	fontAbove = 0.8
)

// place returns a place as a fraction of the page as it is shown, without a box where the page has
// no size.
func (f frame) place(at layout.Place) childproto.Place {
	p := childproto.Place{Page: at.Page + 1}
	if !(f.w > 0 && f.h > 0) {
		return p
	}
	sin, cos := math.Sincos(float64(at.Turn) * math.Pi / 180)
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, x := range []float64{at.X0, at.X1} {
		for _, y := range []float64{at.Y - f.below*at.Size, at.Y + f.above*at.Size} {
			across := clamp((x*cos - y*sin - f.x) / f.w)
			down := clamp(1 - (x*sin+y*cos-f.y)/f.h)
			for range f.quarters {
				across, down = 1-down, across
			}
			left, right = min(left, across), max(right, across)
			top, bottom = min(top, down), max(bottom, down)
		}
	}
	if right > left && bottom > top { // not for what is no number
		p.Box = &dossier.Box{X: round(left), Y: round(top), Width: round(right - left),
			Height: round(bottom - top)}
	}
	return p
}

// clamp bounds a fraction.
func clamp(v float64) float64 { return min(max(v, 0), 1) }

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// pageFrame is that of a page of a PDF: its crop box, or else its media box.
func pageFrame(page pdf.Value) (f frame) {
	_ = recovered(func() { // of a damaged page boxes are not known
		box := inherited(page, "CropBox")
		if box.Len() != 4 {
			box = inherited(page, "MediaBox")
		}
		if box.Len() != 4 {
			return
		}
		n := func(i int) float64 { return box.Index(i).Float64() }
		f = frame{x: min(n(0), n(2)), y: min(n(1), n(3)), w: math.Abs(n(2) - n(0)),
			h: math.Abs(n(3) - n(1)), below: fontBelow, above: fontAbove}
		turn := inherited(page, "Rotate").Int64() / 90 % 4
		f.quarters = int(turn+4) % 4
	})
	return f
}

// pictureFrame is that of a recognized picture, whose words stand on the foot of their line. The
// picture got quarters of a turn clockwise, and is shown without them.
func pictureFrame(width, height float64, quarters int) frame {
	return frame{y: -height, w: width, h: height, quarters: (4 - quarters%4) % 4, above: 1}
}

// union is the box around both.
func union(a, b *dossier.Box) *dossier.Box {
	if a == nil || b == nil {
		return nil
	}
	left, top := min(a.X, b.X), min(a.Y, b.Y)
	return &dossier.Box{X: left, Y: top, Width: round(max(a.X+a.Width, b.X+b.Width) - left),
		Height: round(max(a.Y+a.Height, b.Y+b.Height) - top)}
}
