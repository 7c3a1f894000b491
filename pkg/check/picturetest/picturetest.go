// Package picturetest makes pictures of documents with known values, for tests: drawn with the Go
// fonts, then turned, blurred, lit from one side, made noisy and compressed, by a seed.
package picturetest

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomediumitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/f64"
	"golang.org/x/image/math/fixed"
)

// Fonts is the number of fonts.
const Fonts = 10

var fonts = [Fonts][]byte{goregular.TTF, gobold.TTF, gomono.TTF, gomedium.TTF, goitalic.TTF,
	gomonobold.TTF, gobolditalic.TTF, gomediumitalic.TTF, gomonoitalic.TTF, gosmallcaps.TTF}

// Mono is the font in which machine readable zones are drawn. It is not OCR-B.
const Mono = 2

// The layouts: a label and its value on one line, in two columns, or the labels above the values.
const (
	Lines = iota
	Columns
	Header
	Layouts
)

// Picture says how a document is drawn and what happens to it. Zero values change nothing.
type Picture struct {
	Title  string
	Rows   [][2]string // labels and values
	Strip  []string    // a machine readable zone at the foot
	Layout int
	Font   int

	DPI      float64 // dots per inch; 0 is 200
	Turn     float64 // degrees clockwise
	Quarters int     // turns of 90 degrees clockwise
	Tilt     float64 // how much shorter the far edge is on a photo, 0 to 1
	Blur     float64 // standard deviation in pixels
	Noise    float64 // standard deviation in grey values of 255
	Light    float64 // how much darker one side is than the other, 0 to 1
	Quality  int     // of JPEG, 1 to 100; 0 is 90
	Seed     uint64
}

// The size of the paper, and of its text, in points.
const (
	paperWidth, paperHeight = 340, 240
	textSize, stripSize     = 11, 10
)

// Draw makes the picture, before it is compressed.
func (p Picture) Draw() (*image.Gray, error) {
	if p.DPI == 0 {
		p.DPI = 200
	}
	paper, err := p.print()
	if err != nil {
		return nil, err
	}
	m := turned(paper, p.Turn)
	m = photographed(m, p.Tilt)
	m = blurred(m, p.Blur)
	random := rand.New(rand.NewPCG(p.Seed, 1))
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			lit := 1 - p.Light*float64(x)/float64(m.Rect.Dx())
			v := float64(m.Pix[y*m.Stride+x])*lit + random.NormFloat64()*p.Noise
			m.Pix[y*m.Stride+x] = byte(min(max(v, 0), 255))
		}
	}
	for range p.Quarters {
		m = quarter(m)
	}
	return m, nil
}

// JPEG makes the picture and compresses it.
func (p Picture) JPEG() ([]byte, error) {
	m, err := p.Draw()
	if err != nil {
		return nil, err
	}
	if p.Quality == 0 {
		p.Quality = 90
	}
	var b bytes.Buffer
	err = jpeg.Encode(&b, m, &jpeg.Options{Quality: p.Quality})
	return b.Bytes(), err
}

// print draws the document on white paper.
func (p Picture) print() (*image.Gray, error) {
	dot := p.DPI / 72
	m := image.NewGray(image.Rect(0, 0, int(paperWidth*dot), int(paperHeight*dot)))
	for i := range m.Pix {
		m.Pix[i] = 245
	}
	face, err := load(p.Font, textSize, p.DPI)
	if err != nil {
		return nil, err
	}
	write := func(face font.Face, x, y float64, text string) {
		d := font.Drawer{Dst: m, Src: image.NewUniform(color.Gray{Y: 25}), Face: face,
			Dot: fixed.P(int(x*dot), int(y*dot))}
		d.DrawString(text)
	}
	write(face, 20, 30, p.Title)
	for i, row := range p.Rows {
		y := 60 + 22*float64(i)
		switch p.Layout {
		case Lines:
			write(face, 20, y, row[0]+": "+row[1])
		case Columns:
			write(face, 20, y, row[0])
			write(face, 170, y, row[1])
		case Header:
			x := 20 + 105*float64(i)
			write(face, x, 60, row[0])
			write(face, x, 80, row[1])
		}
	}
	if len(p.Strip) == 0 {
		return m, nil
	}
	// As wide as the paper allows, 44 letters on a passport.
	strip, err := load(Mono, min(stripSize, 300/float64(len(p.Strip[0]))/0.6), p.DPI)
	if err != nil {
		return nil, err
	}
	for i, line := range p.Strip {
		write(strip, 20, 190+15*float64(i), line)
	}
	return m, nil
}

func load(n int, size, dpi float64) (font.Face, error) {
	f, err := opentype.Parse(fonts[n])
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: dpi})
}

// turned turns a picture about its middle, on a darker ground that is large enough.
func turned(m *image.Gray, degrees float64) *image.Gray {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	border := h / 20
	tw, th := w*math.Abs(cos)+h*math.Abs(sin)+2*border, w*math.Abs(sin)+h*math.Abs(cos)+2*border
	to := image.NewGray(image.Rect(0, 0, int(tw), int(th)))
	for i := range to.Pix {
		to.Pix[i] = 150
	}
	place := f64.Aff3{cos, -sin, tw/2 - cos*w/2 + sin*h/2, sin, cos, th/2 - sin*w/2 - cos*h/2}
	draw.BiLinear.Transform(to, place, m, m.Rect, draw.Over, nil)
	return to
}

// blurred averages each pixel with those around it, by a normal distribution.
func blurred(m *image.Gray, sigma float64) *image.Gray {
	if sigma <= 0 {
		return m
	}
	reach := int(math.Ceil(2.5 * sigma))
	weights := make([]float64, 2*reach+1)
	sum := 0.0
	for i := range weights {
		d := float64(i-reach) / sigma
		weights[i] = math.Exp(-d * d / 2)
		sum += weights[i]
	}
	once := func(from *image.Gray, dx, dy int) *image.Gray {
		to := image.NewGray(from.Rect)
		w, h := from.Rect.Dx(), from.Rect.Dy()
		for y := range h {
			for x := range w {
				v := 0.0
				for i, weight := range weights {
					sx := min(max(x+dx*(i-reach), 0), w-1)
					sy := min(max(y+dy*(i-reach), 0), h-1)
					v += weight * float64(from.Pix[sy*from.Stride+sx])
				}
				to.Pix[y*to.Stride+x] = byte(v / sum)
			}
		}
		return to
	}
	return once(once(m, 1, 0), 0, 1)
}

// quarter turns a picture by 90 degrees clockwise.
func quarter(m *image.Gray) *image.Gray {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	to := image.NewGray(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			to.Pix[x*to.Stride+h-1-y] = m.Pix[y*m.Stride+x]
		}
	}
	return to
}

// ValueAt returns the place of the first letter of a value in the columns layout, without turn and
// tilt: fractions of the picture's width and height, from its upper left corner.
func (p Picture) ValueAt(row int) (x, y float64) {
	const border = paperHeight / 20.0
	x = (border + 173) / (paperWidth + 2*border)
	y = (border + 57 + 22*float64(row)) / (paperHeight + 2*border)
	for range p.Quarters {
		x, y = 1-y, x
	}
	return x, y
}
