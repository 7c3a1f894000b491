//go:build !race

// The race detector makes pictures ten times slower to read, and larger in memory: `make test` runs
// this file without it.

package check

import (
	"archive/zip"
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"strings"
	"testing"
	"time"

	imagetiff "golang.org/x/image/tiff"

	"github.com/dossierhq/dossier/pkg/check/sniff"
)

// encoded is a plain picture in the format of an encoder.
func encoded(t *testing.T, encode func(*bytes.Buffer, *image.Paletted) error) []byte {
	t.Helper()
	var b bytes.Buffer
	m := image.NewPaletted(image.Rect(0, 0, 90, 90), color.Palette{color.Black, color.White})
	if err := encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// huge says in the header of a JPEG that it has 65,500 by 65,500 pixels.
func huge(t *testing.T) []byte {
	t.Helper()
	content := encoded(t, func(b *bytes.Buffer, m *image.Paletted) error {
		return jpeg.Encode(b, m, nil)
	})
	frame := bytes.Index(content, []byte("\xff\xc0\x00\x11\x08"))
	copy(content[frame+5:], "\xff\xdc\xff\xdc")
	return content
}

// noise is a picture of grains that look like no letter, as big as a scanned page.
func noise(t *testing.T) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 1600, 1200))
	state := uint32(1)
	for n := range m.Pix {
		state = state*1664525 + 1013904223
		m.Pix[n] = uint8(state >> 24)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 60}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hostilePicture is a file, and the reason for which it is not read.
type hostilePicture struct {
	contentType string
	content     []byte
	code, says  string // of the reason, and a part of its message
}

func hostilePictures(t *testing.T) map[string]hostilePicture {
	t.Helper()
	photo, pic := testdata(t, "photo.jpg"), testdata(t, "photo.png")
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	if _, err := z.Create("permit.pdf"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	tif := encoded(t, func(b *bytes.Buffer, m *image.Paletted) error {
		return imagetiff.Encode(b, m, nil)
	})
	animated := encoded(t, func(b *bytes.Buffer, m *image.Paletted) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{m, m}, Delay: []int{1, 1}})
	})
	const unreadable, textless = "UNREADABLE_PART", "NO_TEXT_IN_PART"
	return map[string]hostilePicture{
		"PNG of 64,000 squared": {sniff.PNG, pngOf(64000, 64000, nil), unreadable, "pixels"},
		"PNG bomb of 4 gigapixels": {sniff.PNG, pngOf(64000, 64000, make([]byte, 512<<20)),
			unreadable, "pixels"},
		"PNG bomb within the limit": {sniff.PNG, pngOf(4000, 4000, make([]byte, 4000*(1+4*4000))),
			textless, ""},
		"JPEG of 65,500 squared": {sniff.JPEG, huge(t), unreadable, "pixels"},
		"JPEG of many scans":     {sniff.JPEG, manyScans(1000), unreadable, "scans"},
		"truncated JPEG":         {sniff.JPEG, photo[:len(photo)/2], unreadable, "damaged"},
		"truncated PNG":          {sniff.PNG, pic[:len(pic)/2], unreadable, "damaged"},
		"JPEG and PDF": {sniff.JPEG, append(bytes.Clone(photo),
			testdata(t, "reportlab-lines.pdf")...), textless, ""},
		"PNG and zip":  {sniff.PNG, append(bytes.Clone(pic), packed.Bytes()...), textless, ""},
		"TIFF as JPEG": {sniff.JPEG, tif, unreadable, ""},
		"GIF as PNG":   {sniff.PNG, animated, unreadable, ""},
		"JPEG as PNG":  {sniff.PNG, photo, unreadable, ""},
		"noise":        {sniff.JPEG, noise(t), textless, ""},
	}
}

// TestHostilePictures reads hostile JPEG and PNG files, with Tesseract: each goes back to the
// uploader with a reason, or to a person, and the Checker reads a sound picture afterwards.
func TestHostilePictures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	c := reader(t)
	c.cfg.Timeout, c.cfg.SmallTimeout = 10*time.Minute, 10*time.Minute // on a slow machine
	t.Run("all", func(t *testing.T) {
		for name, test := range hostilePictures(t) {
			t.Run("Err "+name, func(t *testing.T) {
				t.Parallel()
				out, err := c.Check(t.Context(), Request{Check: permit, Today: today,
					Parts: []Part{written(t, string(test.content), test.contentType)}})
				if err != nil || out.Verdict == Passed || len(out.Reasons) != 1 ||
					out.Reasons[0].Code != test.code ||
					!strings.Contains(out.Reasons[0].Message, test.says) || len(out.Parsed) > 0 {
					t.Errorf("%s %v %v, %v", out.Verdict, out.Parsed, out.Reasons, err)
				}
				t.Logf("%s %v", out.Verdict, out.Reasons)
			})
		}
	})
	after := checkPicture(t, c, permit, easy)
	if get(after.Parsed, "permit.expires") != "2034-09-07" {
		t.Errorf("a sound picture afterwards: %s %v %v", after.Verdict, after.Parsed, after.Reasons)
	}
}
