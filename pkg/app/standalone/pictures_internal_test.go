package standalone

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/app"
)

// The first lines say how to have pictures read where they are not.
func TestTellPictures(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]string{
		"":                   "apt-get install tesseract-ocr",
		"/nowhere/tesseract": "not read: /nowhere/tesseract can't be run",
	} {
		p := &Process{cfg: app.Config{Tesseract: program}}
		var out bytes.Buffer
		if err := p.tellPictures(t.Context(), &out); err != nil ||
			!strings.Contains(out.String(), want) {
			t.Errorf("%q: %v %q", program, err, out.String())
		}
	}
}
