package parse

import (
	"errors"
	"image"
	_ "image/jpeg" // decodes JPEG
	_ "image/png"  // decodes PNG
	"io"
)

// picture decodes an image fully, after its header showed that it has no more than maxPixels
// pixels.
func picture(r io.ReadSeeker, maxPixels int64) error {
	header, format, err := image.DecodeConfig(r)
	if err != nil {
		return errors.New("the header of the picture is damaged")
	}
	if header.Width <= 0 || header.Height <= 0 ||
		int64(header.Width) > maxPixels/int64(header.Height) {
		return errors.New("the picture has too many pixels")
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return errors.New("the picture cannot be read")
	}
	if scans, err := countScans(r); format == "jpeg" && (err != nil || scans > maxScans) {
		return errors.New("the picture has too many scans")
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return errors.New("the picture cannot be read")
	}
	if _, _, err := image.Decode(r); err != nil {
		return errors.New("the picture is damaged")
	}
	return nil
}

// maxScans bounds the passes over a progressive JPEG; encoders make some ten.
const maxScans = 64

// countScans counts the markers that start a scan of a JPEG. Within the data of a scan such bytes
// don't occur; within metadata they are rare.
func countScans(r io.Reader) (int, error) {
	count, last := 0, byte(0)
	chunk := make([]byte, 32<<10)
	for {
		n, err := r.Read(chunk)
		for _, c := range chunk[:n] {
			if last == 0xff && c == 0xda {
				count++
			}
			last = c
		}
		if errors.Is(err, io.EOF) {
			return count, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
