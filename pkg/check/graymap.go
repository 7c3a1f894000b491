package check

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/dossierhq/dossier/pkg/check/childproto"
)

// picture is a grey picture that a child made of a page, or a strip of one.
type picture struct {
	page          int
	size          int // 0 for the first at which the page is read, 1 for the second
	whole         int // pixels of the page at the first size
	width, height int
	pixels        []byte
}

// picturesOf returns the pictures that a child wrote.
func picturesOf(made result) ([]picture, error) {
	listed := made.report.Answer.Pictures
	if len(listed) > maxReadings {
		return nil, errors.New("the part has too many pictures")
	}
	sizes, whole := map[int]int{}, map[int]int{}
	left := made.pictures
	var pictures []picture
	for _, l := range listed {
		if l.Page < 0 || l.Page >= maxReadings || l.Width <= 0 || l.Height <= 0 ||
			l.Width > len(left)/l.Height {
			return nil, errors.New("the child wrote other pictures than it says")
		}
		n := l.Width * l.Height
		if sizes[l.Page] == 0 {
			whole[l.Page] = n
		}
		pictures = append(pictures, picture{page: l.Page, size: sizes[l.Page],
			whole: whole[l.Page], width: l.Width, height: l.Height, pixels: left[:n]})
		sizes[l.Page]++
		left = left[n:]
	}
	return pictures, nil
}

// strip cuts a band out of a picture, and returns the row of the picture at which it begins.
func (p picture) strip(b childproto.Band) (strip picture, top int) {
	row := func(part float64, round func(float64) float64) int {
		return int(min(max(round(part*float64(p.height)), 0), float64(p.height)))
	}
	top = min(row(b.Top, math.Floor), p.height-1)
	foot := max(row(b.Foot, math.Ceil), top+1)
	p.pixels = p.pixels[top*p.width : foot*p.width]
	p.height = foot - top
	return p, top
}

// The tags of a TIFF that hold the form of a picture, and the types of their values.
const (
	tagWidth, tagHeight, tagBits, tagCompression   = 256, 257, 258, 259
	tagPhotometric, tagOffset, tagSamples, tagRows = 262, 273, 277, 278
	tagBytes                                       = 279
	short, long                                    = 3, 4
	blackIsZero                                    = 1
)

// tiff writes pictures as the pages of one TIFF, which is the format with pages that Tesseract
// reads. The pixels are not copied.
func tiff(pictures []picture) io.Reader {
	const entries = 9
	const directory = 2 + 12*entries + 4
	at := uint32(8)
	head := binary.LittleEndian.AppendUint32([]byte("II*\x00"), at)
	parts := []io.Reader{bytes.NewReader(head)}
	for n, p := range pictures {
		bytesOf := uint32(len(p.pixels))
		pad := bytesOf % 2
		b := binary.LittleEndian.AppendUint16(nil, entries)
		for _, e := range [entries][3]uint32{
			{tagWidth, long, uint32(p.width)}, {tagHeight, long, uint32(p.height)},
			{tagBits, short, 8}, {tagCompression, short, 1}, {tagPhotometric, short, blackIsZero},
			{tagOffset, long, at + directory}, {tagSamples, short, 1},
			{tagRows, long, uint32(p.height)}, {tagBytes, long, bytesOf},
		} {
			b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
			b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
			b = binary.LittleEndian.AppendUint32(b, 1)
			b = binary.LittleEndian.AppendUint32(b, e[2])
		}
		if at += directory + bytesOf + pad; n < len(pictures)-1 {
			b = binary.LittleEndian.AppendUint32(b, at)
		} else {
			b = binary.LittleEndian.AppendUint32(b, 0)
		}
		parts = append(parts, bytes.NewReader(b), bytes.NewReader(p.pixels),
			bytes.NewReader(make([]byte, pad)))
	}
	return io.MultiReader(parts...)
}
