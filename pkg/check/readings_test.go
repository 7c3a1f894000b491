package check

import (
	"bytes"
	"encoding/xml"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/check/picturetest"
	"github.com/dossierhq/dossier/pkg/check/printed"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// bboxes holds the words of a PDF as pdftotext of poppler places them.
type bboxes struct {
	Pages []struct {
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Words  []struct {
			X0   float64 `xml:"xMin,attr"`
			Y0   float64 `xml:"yMin,attr"`
			X1   float64 `xml:"xMax,attr"`
			Y1   float64 `xml:"yMax,attr"`
			Text string  `xml:",chardata"`
		} `xml:"word"`
	} `xml:"body>doc>page"`
}

func popplerWords(t *testing.T, content []byte) bboxes {
	t.Helper()
	cmd := exec.Command("pdftotext", "-bbox", "-", "-")
	cmd.Stdin = bytes.NewReader(content)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pdftotext: %v: `make debian` installs it", err)
	}
	var words bboxes
	d := xml.NewDecoder(bytes.NewReader(out))
	d.Strict, d.Entity = false, xml.HTMLEntity
	if err := d.Decode(&words); err != nil {
		t.Fatal(err)
	}
	return words
}

// TestReadingBoxes compares the boxes of values in PDFs with the words that poppler finds there.
func TestReadingBoxes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs poppler: part of `make test`")
	}
	for _, name := range []string{
		"chromium-plain", "chromium-table", "chromium-header", "chromium-list", "libreoffice-plain",
		"libreoffice-table", "libreoffice-docx", "reportlab-lines", "reportlab-header",
		"reportlab-leaders", "reportlab-turned", "reportlab-letters", "fpdf2-table", "javascript",
	} {
		content, err := os.ReadFile(filepath.Join("testdata", name+".pdf"))
		if err != nil {
			t.Fatal(err)
		}
		contents := map[string][]byte{"": content}
		if at := []byte("/Rotate 0 "); bytes.Contains(content, at) {
			contents[" turned"] = bytes.ReplaceAll(content, at, []byte("/Rotate 90"))
		}
		for what, content := range contents {
			t.Run("OK "+name+what, func(t *testing.T) {
				t.Parallel()
				out := run(t, permit, written(t, string(content), sniff.PDF))
				if len(out.Readings) != len(permit.Fields) {
					t.Fatalf("readings %+v", out.Readings)
				}
				words := popplerWords(t, content)
				if what != "" { // it tells the size before the turn, and the words after it
					for n := range words.Pages {
						p := &words.Pages[n]
						p.Width, p.Height = p.Height, p.Width
					}
				}
				for _, r := range out.Readings {
					sameBox(t, words, r)
				}
			})
		}
	}
}

// sameBox fails unless the words within the box of a reading are those of its value, and fill it.
func sameBox(t *testing.T, words bboxes, r dossier.Reading) {
	t.Helper()
	if r.Box == nil || r.Page < 1 || r.Page > len(words.Pages) || r.Part != "front" {
		t.Errorf("%+v", r)
		return
	}
	page := words.Pages[r.Page-1]
	var texts []string
	left, top, right, bottom := 1.0, 1.0, 0.0, 0.0
	for _, w := range page.Words {
		x0, y0, x1, y1 := w.X0/page.Width, w.Y0/page.Height, w.X1/page.Width, w.Y1/page.Height
		x, y := (x0+x1)/2, (y0+y1)/2
		if x < r.Box.X || x > r.Box.X+r.Box.Width || y < r.Box.Y || y > r.Box.Y+r.Box.Height {
			continue
		}
		texts = append(texts, w.Text)
		left, top = min(left, x0), min(top, y0)
		right, bottom = max(right, x1), max(bottom, y1)
	}
	text := strings.Join(texts, " ")
	date, _ := printed.Date(text)
	if text != r.Value && (date != r.Value || date == "") {
		t.Errorf("%s: in the box of %v stands %q", r.Reference, r.Value, text)
	}
	const near = 0.012 // of the page
	for _, d := range []float64{left - r.Box.X, top - r.Box.Y, right - r.Box.X - r.Box.Width,
		bottom - r.Box.Y - r.Box.Height} {
		if math.Abs(d) > near {
			t.Errorf("%s: box %+v, but %v %v %v %v", r.Reference, *r.Box, left, top, right, bottom)
			break
		}
	}
}

// TestReadings holds what is noted of values from a zone, a filled form and values that are no
// date.
func TestReadings(t *testing.T) {
	t.Parallel()
	zone := run(t, dossier.Check{Parser: dossier.ParserMRZ}, file(t, "mrz-td3-wrong.pdf",
		sniff.PDF))
	confident := map[string]float64{}
	for _, r := range zone.Readings {
		confident[r.Reference] = r.Confidence
		if r.Page != 1 || r.Box == nil || r.Value != get(zone.Parsed, r.Reference) {
			t.Errorf("%+v", r)
		}
	}
	if n, has := confident["mrz.documentNumber"]; n != 0 || !has || len(confident) != 10 {
		t.Errorf("readings of a zone with a wrong check digit: %v", confident)
	}
	form := run(t, permit, file(t, "filled-form.pdf", sniff.PDF))
	want := []dossier.Reading{
		{Reference: "permit.number", Value: "NL-204", Confidence: 1, Part: "front"},
		{Reference: "permit.class", Value: "CE", Confidence: 1, Part: "front"},
		{Reference: "permit.expires", Value: "2031-05-01", Confidence: 1, Part: "front"}}
	if d := cmp.Diff(want, form.Readings); d != "" {
		t.Error(d)
	}
	wrong := permit
	wrong.Fields = []dossier.CheckField{
		{Reference: "permit.class", Label: "Class", Type: dossier.FieldDate}}
	out := run(t, wrong, file(t, "reportlab-lines.pdf", sniff.PDF))
	if len(out.Readings) != 1 || out.Readings[0].Value != "CE" {
		t.Errorf("readings of a value that is no date: %+v", out.Readings)
	}
}

// TestPictureReadings compares the boxes of values in pictures with where they were drawn.
func TestPictureReadings(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	for quarters := range 4 {
		c := reader(t)
		if quarters%2 == 0 {
			c.small = 0 // the second size in strips
		}
		p := easy
		p.Layout, p.Quarters = picturetest.Columns, quarters
		out := checkPicture(t, c, permit, p)
		if len(out.Readings) != len(p.Rows) {
			t.Fatalf("%d quarters: %+v", quarters, out)
		}
		for row, r := range out.Readings {
			x, y := p.ValueAt(row)
			if r.Box == nil || r.Page != 1 {
				t.Fatalf("%+v", r)
			}
			b := *r.Box
			if x < b.X || x > b.X+b.Width || y < b.Y || y > b.Y+b.Height ||
				min(b.Width, b.Height) > 0.06 || max(b.Width, b.Height) > 0.4 {
				t.Errorf("%d quarters: %s drawn at %.3f, %.3f: box %+v", quarters, r.Reference, x,
					y, b)
			}
		}
	}
}

// TestOrientation reads a picture that lies on its side as it is stored, and upright by its EXIF
// orientation. Boxes are those of the upright picture.
func TestOrientation(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	upright := easy
	upright.Layout = picturetest.Columns
	stored := upright
	stored.Quarters = 3
	content, err := stored.JPEG()
	if err != nil {
		t.Fatal(err)
	}
	const clockwise = 6 // a quarter of a turn, to be upright
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" +
		string(rune(clockwise)) + "\x00\x00\x00\x00\x00\x00"
	header := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	out := checkContent(t, reader(t), permit, append(header, content[2:]...))
	if len(out.Readings) != len(upright.Rows) {
		t.Fatalf("%+v", out)
	}
	for row, r := range out.Readings {
		x, y := upright.ValueAt(row)
		if r.Box == nil || x < r.Box.X || x > r.Box.X+r.Box.Width || y < r.Box.Y ||
			y > r.Box.Y+r.Box.Height {
			t.Errorf("%s drawn at %.3f, %.3f: box %+v", r.Reference, x, y, r.Box)
		}
	}
}
