package parse

import (
	"errors"
	"image"
	_ "image/jpeg" // decodes JPEG
	_ "image/png"  // decodes PNG
	"io"

	"github.com/bep/imagemeta"
)

// picture decodes an image fully, after its header showed that it has no more than maxPixels
// pixels. It returns it as it is stored, and the EXIF orientation by which it is shown, 1 to 8.
func picture(r io.ReadSeeker, maxPixels int64) (image.Image, int, error) {
	header, format, err := image.DecodeConfig(r)
	if err != nil {
		return nil, 0, errors.New("the header of the picture is damaged")
	}
	if header.Width <= 0 || header.Height <= 0 ||
		int64(header.Width) > maxPixels/int64(header.Height) {
		return nil, 0, errors.New("the picture has too many pixels")
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, 0, errors.New("the picture cannot be read")
	}
	if scans, err := countScans(r); format == "jpeg" && (err != nil || scans > maxScans) {
		return nil, 0, errors.New("the picture has too many scans")
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, 0, errors.New("the picture cannot be read")
	}
	m, _, err := image.Decode(r)
	if err != nil {
		return nil, 0, errors.New("the picture is damaged")
	}
	return m, orientation(r, format), nil
}

// exifFormats holds the formats whose EXIF data is read, by the names of package image.
var exifFormats = map[string]imagemeta.ImageFormat{
	"jpeg": imagemeta.JPEG, "png": imagemeta.PNG,
}

// orientation reads the EXIF orientation of a picture. Without one, or with damaged metadata, the
// picture is upright as it is stored: 1.
func orientation(r io.ReadSeeker, format string) int {
	found := 1
	_ = recovered(func() { // damaged metadata is no reason to refuse the picture
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return
		}
		_, _ = imagemeta.Decode(imagemeta.Options{
			R: r, ImageFormat: exifFormats[format], Sources: imagemeta.EXIF,
			ShouldHandleTag: func(tag imagemeta.TagInfo) bool { return tag.Tag == "Orientation" },
			HandleTag: func(tag imagemeta.TagInfo) error {
				if n, ok := tag.Value.(uint16); ok && n >= 1 && n <= 8 {
					found = int(n)
				}
				return nil
			},
		})
	})
	return found
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
