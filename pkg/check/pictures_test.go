package check

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/check/picturetest"
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// reader is a Checker that reads pictures, with time for a slow machine.
func reader(t *testing.T) *Checker {
	t.Helper()
	path, err := FindTesseract("")
	if err != nil || path == "" {
		t.Fatalf("Tesseract is missing, %v: `make debian` installs it", err)
	}
	return newChecker(Config{Tesseract: path, Timeout: 3 * time.Minute, SmallTimeout: time.Minute})
}

// checkPicture checks a made picture as the only part of a document.
func checkPicture(t *testing.T, c *Checker, check dossier.Check, p picturetest.Picture) Outcome {
	t.Helper()
	content, err := p.JPEG()
	if err != nil {
		t.Fatal(err)
	}
	return checkContent(t, c, check, content)
}

func checkContent(t *testing.T, c *Checker, check dossier.Check, content []byte) Outcome {
	t.Helper()
	out, err := c.Check(context.Background(), Request{Check: check, Today: today,
		Parts: []Part{written(t, string(content), sniff.ContentType(content))}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// easy is a sharp picture of a permit whose number has no letter that looks like another.
var easy = picturetest.Picture{Title: "WORK PERMIT", Font: 1, DPI: 200, Quality: 95,
	Rows: [][2]string{
		{"Permit number", "NL-734"}, {"Class", "CE"}, {"Valid until", "7 September 2034"}}}

var easyParsed = map[string]any{
	"permit": map[string]any{"number": "NL-734", "class": "CE", "expires": "2034-09-07"},
}

func TestPictures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	c := reader(t)
	turned, alike, blurred, short, expired, blank := easy, easy, easy, easy, easy, easy
	turned.Quarters = 3
	alike.Rows = [][2]string{{"Permit number", "NL-204"}, easy.Rows[1], easy.Rows[2]}
	blurred.Blur, blurred.DPI = 2.5, 75
	short.Rows = easy.Rows[:2]
	expired.Rows = [][2]string{easy.Rows[0], easy.Rows[1], {"Valid until", "7 September 2014"}}
	blank.Title, blank.Rows = "", nil
	for name, test := range map[string]struct {
		picture picturetest.Picture
		verdict string
		codes   []string
	}{
		"OK":            {easy, Passed, []string{}},
		"OK turned":     {turned, Passed, []string{}},
		"Err alike":     {alike, NeedsReview, []string{"LOW_CONFIDENCE permit.number"}},
		"Err not there": {short, NeedsReview, []string{"LOW_CONFIDENCE permit.expires"}},
		"Err expired": {expired, NeedsResubmission,
			[]string{"DOCUMENT_EXPIRED permit.expires"}},
		"Err blank":       {blank, NeedsReview, []string{"NO_TEXT_IN_PART"}},
		"Err blurred out": {blurred, NeedsReview, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := checkPicture(t, c, permit, test.picture)
			if out.Verdict != test.verdict {
				t.Errorf("verdict %s %v %v", out.Verdict, out.Parsed, out.Reasons)
			}
			for _, code := range test.codes {
				if !slices.Contains(codes(out), code) {
					t.Errorf("%v lack %s", codes(out), code)
				}
			}
			if d := cmp.Diff(easyParsed, out.Parsed); d != "" && test.verdict == Passed {
				t.Error(d)
			}
			if out.Verdict == Passed && out.Confidence < minConfidence {
				t.Errorf("confidence %v", out.Confidence)
			}
		})
	}
}

// specimen is the passport of Utopia in Doc 9303, part 4.
var specimen = []string{"P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
	"L898902C36UTO7408122F1204159ZE184226B<<<<<10"}

// TestPictureMRZ reads a machine readable zone from pictures, with right and wrong check digits.
func TestPictureMRZ(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	c, check := reader(t), dossier.Check{Parser: dossier.ParserMRZ,
		Required: []string{"mrz.documentNumber"}}
	wrong := []string{specimen[0], "L898902C46" + specimen[1][10:]}
	for name, strip := range map[string][]string{"OK": specimen, "ErrCheckDigit": wrong} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := checkPicture(t, c, check, picturetest.Picture{Title: "PASSPORT", DPI: 300,
				Strip: strip})
			number := get(out.Parsed, "mrz.documentNumber")
			if out.Verdict == Passed && (name != "OK" || number != "L898902C3") {
				t.Errorf("passed with %v", out.Parsed)
			}
			if out.Verdict == NeedsResubmission || number == nil {
				t.Errorf("%s %v %v", out.Verdict, out.Parsed, out.Reasons)
			}
			t.Logf("%s %v %.2f", out.Verdict, out.Parsed, out.Confidence)
		})
	}
}
