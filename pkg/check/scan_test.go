package check

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// scans are the ways in which a PDF holds a scanned page: options of tiffcp and of tiff2pdf.
var scans = []struct {
	filter, raster, compress string
	options                  []string
}{
	{"DCTDecode", "-gray", "none", []string{"-j", "-q", "80"}},
	{"FlateDecode", "-gray", "none", []string{"-z"}},
	{"CCITTFaxDecode", "-mono", "g4", nil},
}

// scanOf prints the pages of a PDF to pictures of so many dots per inch, and makes a PDF of them.
func scanOf(t *testing.T, path, dpi string, n int) string {
	t.Helper()
	folder, how := t.TempDir(), scans[n%len(scans)]
	at := func(name string) string { return filepath.Join(folder, name) }
	call(t, "pdftoppm", "-singlefile", "-r", dpi, how.raster, "-tiff", path, at("page"))
	call(t, "tiffcp", "-c", how.compress, "-r", "100000", at("page.tif"), at("packed.tif"))
	call(t, "tiff2pdf", append(how.options, "-o", at("scan.pdf"), at("packed.tif"))...)
	content, err := os.ReadFile(at("scan.pdf"))
	if err != nil || !bytes.Contains(content, []byte(how.filter)) {
		t.Fatalf("the scan has no %s: %v", how.filter, err)
	}
	return string(content)
}

func call(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: `make debian` installs it\n%s", program, err, out)
	}
}

// TestScans prints each permit to a picture, and asserts that the scan gives what the text gave, or
// goes to review.
func TestScans(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	c := reader(t)
	read := make(chan bool, 64)
	t.Run("all", func(t *testing.T) {
		for n, name := range []string{"chromium-plain", "chromium-table", "chromium-header",
			"chromium-list", "libreoffice-plain", "libreoffice-table", "libreoffice-docx",
			"reportlab-lines", "reportlab-header", "reportlab-leaders", "reportlab-turned",
			"reportlab-letters", "fpdf2-table", "filled-form", "javascript"} {
			for m, dpi := range []string{"150", "300"} {
				t.Run(name+" "+dpi, func(t *testing.T) {
					t.Parallel()
					content := scanOf(t, filepath.Join("testdata", name+".pdf"), dpi, n+m)
					out := checkContent(t, c, permit, []byte(content))
					same := cmp.Equal(permitParsed, out.Parsed)
					if out.Verdict == NeedsResubmission || out.Verdict == Passed && !same {
						t.Errorf("%s %v %v", out.Verdict, out.Parsed, out.Reasons)
					}
					for _, r := range out.Readings {
						if want := get(permitParsed, r.Reference); r.Value != want &&
							r.Confidence >= minConfidence {
							t.Errorf("%s is %v for certain, not %v", r.Reference, r.Value, want)
						}
					}
					if !same {
						t.Logf("%v: %v %v", scans[(n+m)%len(scans)].filter, out.Parsed, out.Reasons)
					}
					read <- same
				})
			}
		}
	})
	close(read)
	right, all := 0, 0
	for same := range read {
		if all++; same {
			right++
		}
	}
	if t.Logf("%d of %d scans were read right", right, all); right*3 < all {
		t.Errorf("only %d of %d scans were read right", right, all)
	}
}

// TestScanWithText reads a page on which the labels are printed, and a picture of the values beside
// a page with text alone.
func TestScanWithText(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	scanned := scanOf(t, filepath.Join("testdata", "reportlab-lines.pdf"), "200", 0)
	c := reader(t)
	check := permit
	check.Fields = append([]dossier.CheckField{{Reference: "permit.office", Label: "Office",
		Type: dossier.FieldText}}, check.Fields...)
	out := checkContent(t, c, check, []byte(scanned))
	if out.Verdict != NeedsReview || get(out.Parsed, "permit.class") != "CE" {
		t.Errorf("%s %v %v", out.Verdict, out.Parsed, out.Reasons)
	}
	for _, r := range out.Readings {
		if r.Page != 1 || r.Box == nil || r.Box.X < 0.1 || r.Box.Y > 0.3 {
			t.Errorf("%+v %+v", r, r.Box)
		}
	}
	out = checkContent(t, newChecker(Config{}), permit, []byte(scanned))
	if d := cmp.Diff([]string{"NO_TEXT_IN_PART"}, codes(out)); d != "" {
		t.Errorf("without Tesseract: %s", d)
	}
}
