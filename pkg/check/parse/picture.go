package parse

import (
	"errors"
	"image"
	_ "image/jpeg" // decodes JPEG
	_ "image/png"  // decodes PNG
	"io"

	"github.com/bep/imagemeta"
	"github.com/gen2brain/heic"

	"github.com/dossierhq/dossier/pkg/check/sniff"
)

// pictureOf decodes a picture of a content type as picture does.
func pictureOf(contentType string, r io.ReadSeeker, maxPixels int64) (image.Image, int, error) {
	if contentType != sniff.HEIC {
		return picture(r, maxPixels)
	}
	m, err := heicPicture(r, maxPixels)
	return m, 1, err
}

var (
	errHeader = errors.New("the header of the picture is damaged")
	errPixels = errors.New("the picture has too many pixels")
	errSeek   = errors.New("the picture cannot be read")
	errBroken = errors.New("the picture is damaged")
)

// heicPicture decodes the first picture of a HEIC file, as it is shown: its turns stand in boxes of
// the file, and the decoder does them. Its WebAssembly is compiled for the first picture of a
// process.
func heicPicture(r io.ReadSeeker, maxPixels int64) (m image.Image, err error) {
	damaged := errHeader
	failed := recovered(func() {
		var header image.Config
		if header, err = heic.DecodeConfig(r); err != nil {
			return
		}
		if damaged = errBroken; tooLarge(header, maxPixels) {
			damaged, err = errPixels, errPixels
			return
		}
		if _, err = r.Seek(0, io.SeekStart); err == nil {
			m, err = heic.Decode(r)
		}
	})
	if err != nil || failed != nil {
		return nil, damaged
	}
	return m, nil
}

func tooLarge(header image.Config, maxPixels int64) bool {
	return header.Width <= 0 || header.Height <= 0 ||
		int64(header.Width) > maxPixels/int64(header.Height)
}

// picture decodes an image fully, after its header showed that it has no more than maxPixels
// pixels. It returns it as it is stored, and the EXIF orientation by which it is shown, 1 to 8.
func picture(r io.ReadSeeker, maxPixels int64) (image.Image, int, error) {
	header, format, err := image.DecodeConfig(r)
	if err != nil {
		return nil, 0, errHeader
	}
	if tooLarge(header, maxPixels) {
		return nil, 0, errPixels
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, 0, errSeek
	}
	if scans, err := countScans(r); format == "jpeg" && (err != nil || scans > maxScans) {
		return nil, 0, errors.New("the picture has too many scans")
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, 0, errSeek
	}
	m, _, err := image.Decode(r)
	if err != nil {
		return nil, 0, errBroken
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
