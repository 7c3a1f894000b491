package parse

import (
	"errors"
	"image"
	"image/color"
	"io"

	"golang.org/x/image/draw"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// The long side, in pixels, of a picture in which text is recognized. That of an A4 page at 240 dpi
// is 2,800, that of a card at 300 dpi 1,000. Larger letters are read slower and with more doubt.
const (
	maxSide = 2800
	minSide = 1200
	maxGrow = 3 // times that a small picture is enlarged at most
)

// readings are the sizes at which a picture is read, in parts of the first. A misread letter seldom
// stays the same at another size.
var readings = []float64{1, 0.75}

// upright makes a picture grey and turns it by its EXIF orientation and then by quarters of a turn
// clockwise.
func upright(m image.Image, orientation, quarters int) *image.Gray {
	g := grey(m)
	// mirrored, then turned clockwise
	turns := [9]struct {
		mirrored bool
		quarters int
	}{{}, {}, {true, 0}, {false, 2}, {true, 2}, {true, 3}, {false, 1}, {true, 1}, {false, 3}}
	t := turns[orientation]
	if t.mirrored {
		g = mirror(g)
	}
	for range (t.quarters + quarters) % 4 {
		g = quarterTurn(g)
	}
	return g
}

// grey takes the brightness of a picture; what is transparent shows white.
func grey(m image.Image) *image.Gray {
	b := m.Bounds()
	switch m := m.(type) {
	case *image.Gray:
		return &image.Gray{Pix: m.Pix[m.PixOffset(b.Min.X, b.Min.Y):], Stride: m.Stride,
			Rect: image.Rect(0, 0, b.Dx(), b.Dy())}
	case *image.YCbCr:
		return &image.Gray{Pix: m.Y[m.YOffset(b.Min.X, b.Min.Y):], Stride: m.YStride,
			Rect: image.Rect(0, 0, b.Dx(), b.Dy())}
	}
	g := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		row := g.Pix[y*g.Stride:]
		for x := range b.Dx() {
			row[x] = onWhite(m, b.Min.X+x, b.Min.Y+y)
		}
	}
	return g
}

func onWhite(m image.Image, x, y int) byte {
	var r, g, b, a uint32
	switch m := m.(type) { // without an allocation for each pixel
	case *image.NRGBA:
		r, g, b, a = m.NRGBAAt(x, y).RGBA()
	case *image.RGBA:
		r, g, b, a = m.RGBAAt(x, y).RGBA()
	default:
		r, g, b, a = m.At(x, y).RGBA()
	}
	rest := 0xffff - a
	return color.GrayModel.Convert(color.RGBA64{R: uint16(r + rest), G: uint16(g + rest),
		B: uint16(b + rest), A: 0xffff}).(color.Gray).Y
}

func mirror(g *image.Gray) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	to := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			to.Pix[y*to.Stride+w-1-x] = g.Pix[y*g.Stride+x]
		}
	}
	return to
}

func quarterTurn(g *image.Gray) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	to := image.NewGray(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			to.Pix[x*to.Stride+h-1-y] = g.Pix[y*g.Stride+x]
		}
	}
	return to
}

// scaled returns a picture at a part of the size at which text is recognized.
func scaled(g *image.Gray, part float64) *image.Gray {
	long := float64(max(g.Rect.Dx(), g.Rect.Dy()))
	factor := part * min(max(1, minSide/long), maxSide/long, maxGrow)
	if whole := int(1 / factor); whole > 1 {
		g = shrink(g, whole)
		factor *= float64(whole)
	}
	w := max(1, int(float64(g.Rect.Dx())*factor))
	h := max(1, int(float64(g.Rect.Dy())*factor))
	if g.Rect == image.Rect(0, 0, w, h) && g.Stride == w {
		return &image.Gray{Pix: g.Pix[:w*h], Stride: w, Rect: g.Rect}
	}
	colored := image.NewRGBA(image.Rect(0, 0, w, h)) // for which the library has a fast way
	draw.ApproxBiLinear.Scale(colored, colored.Rect, g, g.Rect, draw.Src, nil)
	to := image.NewGray(colored.Rect)
	for i := range to.Pix {
		to.Pix[i] = colored.Pix[4*i]
	}
	return to
}

// shrink makes one pixel of each square of n by n.
func shrink(g *image.Gray, n int) *image.Gray {
	to := image.NewGray(image.Rect(0, 0, max(1, g.Rect.Dx()/n), max(1, g.Rect.Dy()/n)))
	for y := range to.Rect.Dy() {
		for x := range to.Rect.Dx() {
			sum, count := 0, 0
			for dy := range min(n, g.Rect.Dy()-y*n) {
				for dx := range min(n, g.Rect.Dx()-x*n) {
					sum += int(g.Pix[(y*n+dy)*g.Stride+x*n+dx])
					count++
				}
			}
			to.Pix[y*to.Stride+x] = byte(sum / count)
		}
	}
	return to
}

// writePictures writes a page at the size of each reading and lists them in the answer.
func writePictures(w io.Writer, page int, g *image.Gray, a *childproto.Answer) error {
	for _, part := range readings {
		sized := scaled(g, part)
		if _, err := w.Write(sized.Pix); err != nil {
			return errors.New("the picture cannot be written")
		}
		a.Pictures = append(a.Pictures, childproto.Picture{Page: page, Width: sized.Rect.Dx(),
			Height: sized.Rect.Dy()})
	}
	return nil
}
