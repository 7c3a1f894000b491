package check

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// patterned is the check of a permit whose number has a form.
func patterned(form string) dossier.Check {
	check := permit
	check.Fields = slices.Clone(permit.Fields)
	check.Fields[0].Pattern = form
	return check
}

// TestPattern leaves a printed number of another form to a person.
func TestPattern(t *testing.T) {
	t.Parallel()
	for form, verdict := range map[string]string{
		`NL-[0-9]{3}`: Passed, `NL-[0-9]{4}`: NeedsReview, `NL`: NeedsReview,
	} {
		out := run(t, patterned(form), file(t, "reportlab-lines.pdf", sniff.PDF))
		doubted := slices.Contains(codes(out), "LOW_CONFIDENCE permit.number")
		if out.Verdict != verdict || doubted != (verdict == NeedsReview) {
			t.Errorf("%s: %s %v", form, out.Verdict, out.Reasons)
		}
		if d := cmp.Diff(permitParsed, out.Parsed); d != "" {
			t.Error(d)
		}
	}
}

// TestPatternOfPictures validates a number with letters and digits that look alike where its form
// tells them apart, and only there.
func TestPatternOfPictures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	c, alike := reader(t), easy
	alike.Rows = [][2]string{{"Permit number", "NL-204"}, easy.Rows[1], easy.Rows[2]}
	for form, verdict := range map[string]string{
		`NL-[0-9]{3}`: Passed, `NL-[0-9A-Z]{3}`: NeedsReview, `NL-[0-9]{4}`: NeedsReview,
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			out := checkPicture(t, c, patterned(form), alike)
			if number := get(out.Parsed, "permit.number"); out.Verdict != verdict ||
				number != "NL-204" {
				t.Errorf("%s %v %v", out.Verdict, number, out.Reasons)
			}
		})
	}
}
