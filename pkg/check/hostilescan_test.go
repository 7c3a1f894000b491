package check

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/check/sniff"
)

// scanPDF is a PDF of one page that draws a picture with the content stream.
func scanPDF(content, picture string) []byte {
	return pdfOf(catalog, onePage, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R"+
		"/Resources<</XObject<</X 5 0 R>>>>>>", stream([]byte(content), 1), picture)
}

// raw is an image object whose stream holds the data as it is.
func raw(width, height int, filter, more string, data []byte) string {
	return fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8"+
		"/ColorSpace/DeviceGray/Filter %s%s/Length %d>>stream\n%s\nendstream", width, height, filter,
		more, len(data), data)
}

// deflated is the data of a stream object, deflated so many times.
func deflated(data []byte, times int) []byte {
	s := stream(data, times)
	s = s[strings.Index(s, "stream\n")+len("stream\n"):]
	return []byte(strings.TrimSuffix(s, "\nendstream"))
}

// TestHostileScans reads PDFs with hostile pictures, with Tesseract: each goes to a person, or back
// to the uploader, and never ends as a failure of the machine.
func TestHostileScans(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	const draw = "q 400 0 0 400 0 0 cm /X Do Q"
	photo := testdata(t, "photo.jpg")
	pages := strings.Repeat("3 0 R ", 10_000)
	tiff := append([]byte("II*\x00\x08\x00\x00\x00"), bytes.Repeat([]byte{1, 0xff}, 5000)...)
	twice := "[/FlateDecode/FlateDecode]"
	jpeg := raw(90, 90, "/DCTDecode", "", photo)
	c := reader(t)
	for name, content := range map[string][]byte{
		"64,000 squared": scanPDF(draw, raw(64000, 64000, "/FlateDecode", "",
			deflated(make([]byte, 1<<20), 1))),
		"bomb": scanPDF(draw, raw(7000, 7000, twice, "", deflated(make([]byte, 600<<20), 2))),
		"JPEG of 65,500 squared": scanPDF(draw, raw(90, 90, "/DCTDecode", "",
			[]byte("\xff\xd8\xff\xc0\x00\x0b\x08\xff\xdc\xff\xdc\x01\x01\x11\x00"))),
		"truncated JPEG": scanPDF(draw, raw(90, 90, "/DCTDecode", "", photo[:len(photo)/2])),
		"TIFF":           scanPDF(draw, raw(90, 90, "/DCTDecode", "", tiff)),
		"PNG": scanPDF(draw, raw(90, 90, "/DCTDecode", "",
			pngOf(60000, 60000, nil))),
		"CCITT noise": scanPDF(draw, raw(9000, 7000, "/CCITTFaxDecode",
			"/DecodeParms<</K -1/Columns 9000/Rows 7000>>",
			bytes.Repeat([]byte{0x35, 0x9a}, 9000))),
		"mask of itself":      scanPDF(draw, raw(90, 90, "/DCTDecode", "/SMask 5 0 R", photo)),
		"drawn 100,000 times": scanPDF(strings.Repeat(draw+"\n", 100_000), jpeg),
		"no room":             scanPDF("q 0 0 0 0 0 0 cm /X Do Q", jpeg),
		"far away":            scanPDF("q 1e30 0 0 1e30 1e30 1e30 cm /X Do Q", jpeg),
		"10,000 pages": pdfOf(catalog, "<</Type/Pages/Count 10000/Kids["+pages+"]>>",
			"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R"+
				"/Resources<</XObject<</X 5 0 R>>>>>>", stream([]byte(draw), 1),
			raw(90, 90, "/DCTDecode", "", photo)),
	} {
		t.Run("Err "+name, func(t *testing.T) {
			t.Parallel()
			out := checkContent(t, c, permit, content)
			want := "NO_TEXT_IN_PART"
			if name == "10,000 pages" {
				want = "UNREADABLE_PART"
			}
			if got := codes(out); out.Verdict == Passed || len(got) != 1 || got[0] != want {
				t.Errorf("%s %v", out.Verdict, out.Reasons)
			}
		})
	}
	both := append(bytes.Clone(photo), testdata(t, "reportlab-lines.pdf")...)
	if out := checkContent(t, c, permit, both); sniff.ContentType(both) != sniff.JPEG ||
		out.Verdict == Passed {
		t.Errorf("a picture that is a PDF, too: %+v", out)
	}
}
