package check

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"
	"golang.org/x/image/draw"

	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// code is a barcode of a test, at a place of a picture.
type code struct {
	writer gozxing.Writer
	format gozxing.BarcodeFormat
	text   string
	at     image.Point
	w, h   int
}

// picturedCodes is a JPEG with barcodes, in quarters of a turn.
func picturedCodes(t *testing.T, quarters int, codes ...code) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 1200, 900))
	draw.Draw(m, m.Rect, image.NewUniform(color.Gray{Y: 240}), image.Point{}, draw.Src)
	for _, c := range codes {
		bits, err := c.writer.Encode(c.text, c.format, c.w, c.h, nil)
		if err != nil {
			t.Fatal(err)
		}
		for y := range bits.GetHeight() {
			for x := range bits.GetWidth() {
				if bits.Get(x, y) {
					m.SetGray(c.at.X+x, c.at.Y+y, color.Gray{Y: 20})
				}
			}
		}
	}
	for range quarters {
		to := image.NewGray(image.Rect(0, 0, m.Rect.Dy(), m.Rect.Dx()))
		for y := range m.Rect.Dy() {
			for x := range m.Rect.Dx() {
				to.SetGray(m.Rect.Dy()-1-y, x, m.GrayAt(x, y))
			}
		}
		m = to
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 80}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// aamva is the text of a driving licence.
const aamva = "@\n\x1e\rANSI 636026080102DL00410288ZA03290015DLDAQD12345678\nDCSPUBLIC\n" +
	"DDEN\nDACJOHN\nDBB01311970\nDBA02292036\nDBD02292024\nDBC1\nDAJAZ\nDCGUSA\nDCAD\n\r"

// patient waits long for its children: the race detector makes them ten times slower.
func patient() *Checker {
	return newChecker(Config{Timeout: 5 * time.Minute, SmallTimeout: 5 * time.Minute})
}

// TestBarcodes reads barcodes of each kind, upright and turned, and leaves to a person what has
// none, several, or lacks a value.
func TestBarcodes(t *testing.T) {
	t.Parallel()
	qr := code{qrcode.NewQRCodeWriter(), gozxing.BarcodeFormat_QR_CODE, "NL-204",
		image.Pt(100, 100), 250, 250}
	matrix := code{datamatrix.NewDataMatrixWriter(), gozxing.BarcodeFormat_DATA_MATRIX, "M-7",
		image.Pt(800, 150), 160, 160}
	line := code{oned.NewCode128Writer(), gozxing.BarcodeFormat_CODE_128, "A0O1I-5S8B",
		image.Pt(300, 600), 500, 90}
	other, licence := qr, qr
	other.text, other.at = "NL-205", image.Pt(800, 500)
	licence.text, licence.w, licence.h = aamva, 500, 500
	needs := func(references ...string) dossier.Check {
		return dossier.Check{Parser: dossier.ParserBarcode, Required: references}
	}
	texts := map[string]any{"qrCode": "NL-204", "code128": "A0O1I-5S8B"}
	for name, test := range map[string]struct {
		content []byte
		check   dossier.Check
		verdict string
		parsed  map[string]any
	}{
		"OK":        {picturedCodes(t, 0, qr, line), needs("barcode.qrCode"), Passed, texts},
		"OK turned": {picturedCodes(t, 1, qr, line), needs("barcode.code128"), Passed, texts},
		"OK matrix": {picturedCodes(t, 0, matrix), needs("barcode.dataMatrix"), Passed,
			map[string]any{"dataMatrix": "M-7"}},
		"OK same twice": {picturedCodes(t, 0, qr, code{qr.writer, qr.format, qr.text,
			other.at, 250, 250}), needs("barcode.qrCode"), Passed,
			map[string]any{"qrCode": "NL-204"}},
		"Err several": {picturedCodes(t, 0, qr, other), needs("barcode.qrCode"), NeedsReview, nil},
		"Err none":    {picturedCodes(t, 0), needs(), NeedsReview, nil},
		"Err value missing": {picturedCodes(t, 0, qr), needs("barcode.expiryDate"), NeedsReview,
			map[string]any{"qrCode": "NL-204"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := checkContent(t, patient(), test.check, test.content)
			parsed, _ := out.Parsed["barcode"].(map[string]any)
			if d := cmp.Diff(test.parsed, parsed); d != "" || out.Verdict != test.verdict {
				t.Errorf("%s %v %s", out.Verdict, out.Reasons, d)
			}
		})
	}
	expiring := needs("barcode.documentNumber")
	expiring.ExpiryReference = "barcode.expiryDate"
	out := checkContent(t, patient(), expiring, picturedCodes(t, 0, licence))
	for reference, want := range map[string]string{"documentNumber": "D12345678",
		"surname": "PUBLIC", "givenNames": "JOHN", "birthDate": "1970-01-31", "sex": "M",
		"expiryDate": "2036-02-29", "issueDate": "2024-02-29", "state": "AZ", "country": "USA",
		"vehicleClass": "D"} {
		if got := get(out.Parsed, "barcode."+reference); got != want || out.Verdict != Passed {
			t.Errorf("%s %s is %v, not %s", out.Verdict, reference, got, want)
		}
	}
	pdf := run(t, needs(), file(t, "reportlab-lines.pdf", sniff.PDF))
	if pdf.Verdict != NeedsReview {
		t.Errorf("a PDF: %s %v", pdf.Verdict, pdf.Reasons)
	}
}
