package parse

import (
	"errors"
	"image"
	_ "image/jpeg" // decodes JPEG
	_ "image/png"  // decodes PNG
	"io"
)

// picture decodes an image fully, after its header showed that it has no more than maxPixels pixels.
func picture(r io.ReadSeeker, maxPixels int64) error {
	header, _, err := image.DecodeConfig(r)
	if err != nil {
		return errors.New("the header of the picture is damaged")
	}
	if header.Width <= 0 || header.Height <= 0 || int64(header.Width) > maxPixels/int64(header.Height) {
		return errors.New("the picture has too many pixels")
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return errors.New("the picture can't be read")
	}
	if _, _, err := image.Decode(r); err != nil {
		return errors.New("the picture is damaged")
	}
	return nil
}
