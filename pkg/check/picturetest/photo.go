package picturetest

import (
	"image"
	"math"
)

// photographed shows a picture as a camera sees it from below: its far edge is shorter by a part
// tilt of its length, and it lies on a table with a grain.
func photographed(m *image.Gray, tilt float64) *image.Gray {
	if tilt <= 0 {
		return m
	}
	const border = 0.06
	w, h := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	to := image.NewGray(image.Rect(0, 0, int(w*(1+2*border)), int(h*(1+2*border))))
	far := 1 - tilt
	for y := range to.Rect.Dy() {
		down := (float64(y) - border*h) / h // from the far edge, 0, to the near one, 1
		width := far + (1-far)*down
		depth := down / width // on the paper
		half := w / 2 * width
		for x := range to.Rect.Dx() {
			across := (float64(x)-w*(0.5+border))/half/2 + 0.5
			v, on := sample(m, across*w-0.5, depth*h-0.5)
			if !on {
				v = grain(float64(x), float64(y))
			}
			to.Pix[y*to.Stride+x] = byte(v)
		}
	}
	return to
}

// sample interpolates between the four pixels around a place; on is false outside the picture.
func sample(m *image.Gray, x, y float64) (v float64, on bool) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	if x < 0 || y < 0 || x >= float64(w-1) || y >= float64(h-1) {
		return 0, false
	}
	i, j := int(x), int(y)
	fx, fy := x-float64(i), y-float64(j)
	at := func(i, j int) float64 { return float64(m.Pix[j*m.Stride+i]) }
	return (at(i, j)*(1-fx)+at(i+1, j)*fx)*(1-fy) + (at(i, j+1)*(1-fx)+at(i+1, j+1)*fx)*fy, true
}

// grain is the grey of a wooden table.
func grain(x, y float64) float64 {
	return 120 + 25*math.Sin(y/9+3*math.Sin(x/130)) + 10*math.Sin(x/3+y/17)
}
