package check

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
	"github.com/dossierhq/dossier/pkg/check/sniff"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// permit is the check of the main job.
var permit = dossier.Check{
	Parser: dossier.ParserPDF, Decision: dossier.DecisionAutomatic,
	Required: []string{"permit.number", "permit.class"}, ExpiryReference: "permit.expires",
	Fields: []dossier.CheckField{
		{Reference: "permit.number", Label: "Permit number", Type: dossier.FieldText},
		{Reference: "permit.class", Label: "Class", Type: dossier.FieldText},
		{Reference: "permit.expires", Label: "Valid until", Type: dossier.FieldDate},
	},
}

// permitParsed holds the values of every work permit in testdata.
var permitParsed = map[string]any{
	"permit": map[string]any{"number": "NL-204", "class": "CE", "expires": "2031-05-01"},
}

const today = "2026-11-21"

// file is the part "front" with a file of testdata.
func file(t *testing.T, name, contentType string) Part {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return partAt(t, path, contentType)
}

func partAt(t *testing.T, path, contentType string) Part {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return Part{Name: "front", FileName: filepath.Base(path), ContentType: contentType,
		Size: info.Size(), Path: path}
}

// newChecker returns a Checker with the child of the tests, unless the configuration names another.
func newChecker(cfg Config) *Checker {
	if cfg.Executable == "" {
		cfg.Executable = executable
	}
	return New(cfg)
}

func run(t *testing.T, c dossier.Check, parts ...Part) Outcome {
	t.Helper()
	out, err := newChecker(Config{}).Check(context.Background(), Request{
		Check: c, RequiredParts: []string{"front"}, Parts: parts, Today: today,
		DocumentID: "doc_1", CandidateID: "cnd_1", DocumentTypeID: "dty_1",
	})
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	return out
}

// codes lists the codes and references of the reasons.
func codes(out Outcome) []string {
	list := []string{}
	for _, r := range out.Reasons {
		code := r.Code
		if r.Reference != "" {
			code += " " + r.Reference
		}
		list = append(list, code)
	}
	return list
}

func TestPermits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"chromium-plain", "chromium-table", "chromium-header", "chromium-list", "libreoffice-plain",
		"libreoffice-table",
		"libreoffice-docx", "reportlab-lines", "reportlab-header", "reportlab-leaders",
		"reportlab-turned", "reportlab-letters",
		"fpdf2-table", "filled-form", "restricted", "javascript",
	} {
		t.Run("OK "+name, func(t *testing.T) {
			t.Parallel()
			out := run(t, permit, file(t, name+".pdf", sniff.PDF))
			want := Outcome{Verdict: Passed, Parsed: permitParsed}
			if d := cmp.Diff(want, out, cmpopts.IgnoreFields(Outcome{}, "Confidence",
				"Readings")); d != "" {
				t.Errorf("outcome (-want +got):\n%s", d)
			}
			if out.Confidence < 0.7 || out.Confidence > 1 {
				t.Errorf("confidence %v", out.Confidence)
			}
		})
	}
}
