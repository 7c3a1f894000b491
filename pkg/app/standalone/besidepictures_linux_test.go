package standalone_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/check/picturetest"
)

// slowTesseract computes until a check takes the time from it.
const slowTesseract = `#!/bin/sh
if [ "$1" = --version ]; then echo tesseract 5.slow; exit; fi
cat > /dev/null
while :; do :; done
`

// slowPictures is the number of pictures that are read two at a time while other documents are
// measured.
const slowPictures = 12

// TestBesidePictures checks documents of the company whose slow pictures are under way, and of
// another one. They don't wait for a picture to end, and take about as long as alone.
func TestBesidePictures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long: part of `make test`")
	}
	program := filepath.Join(t.TempDir(), "bin", "tesseract")
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte(slowTesseract), 0o700); err != nil {
		t.Fatal(err)
	}
	one, _ := startReading(t, program)
	partner := one.ok(http.MethodPost, "/companies", object{"name": "Another company"})
	two := &client{t: t, base: one.base, key: at(t, partner, "key", "secret").(string)}
	all := []*uploader{newUploader(t, one), newUploader(t, two)}
	alone := measureDocuments(all)
	content, err := picturetest.Picture{Title: "WORK PERMIT"}.JPEG()
	if err != nil {
		t.Fatal(err)
	}
	var pictures []string
	for range slowPictures {
		pictures = append(pictures, all[0].upload(all[0].pdfType, "image/jpeg", content))
	}
	until(t, "two pictures are under way", func() bool { return processesOf(t, program) >= 2 })
	beside := measureDocuments(all)
	ended := 0
	for _, p := range pictures {
		if at(t, one.ok(http.MethodGet, p, nil), "state") != "processing" {
			ended++
		}
	}
	t.Logf("a document takes %v alone and %v beside pictures, of which %d ended meanwhile", alone,
		beside, ended)
	if ended > slowPictures/2 && beside > 3*alone {
		t.Error("documents wait for pictures to end")
	}
}

// uploader uploads documents of one company.
type uploader struct {
	*client
	pdfType, jsonType string
	permit            []byte
}

func newUploader(t *testing.T, c *client) *uploader {
	t.Helper()
	permit, err := os.ReadFile("../../check/testdata/reportlab-lines.pdf")
	if err != nil {
		t.Fatal(err)
	}
	return &uploader{client: c, permit: permit,
		pdfType: c.made("/documentTypes", object{"name": "Permit", "check": object{
			"parser": "pdf", "decision": "automatic", "required": []string{"class"},
			"fields": []object{{"reference": "class", "label": "Class", "type": "text"}}}}),
		jsonType: c.made("/documentTypes", object{"name": "Export", "check": object{
			"parser": "json", "decision": "automatic", "required": []string{"class"}}})}
}

// upload uploads a document of a new candidate and returns its path.
func (u *uploader) upload(documentType, contentType string, content []byte) string {
	u.t.Helper()
	candidate := u.made("/candidates", object{"firstName": "Ada",
		"documentTypeIds": []string{documentType}})
	request := "/candidateDocumentTypes/cdt_" + strings.TrimPrefix(candidate, "cnd_") +
		strings.TrimPrefix(documentType, "dty_")
	u.ok(http.MethodPost, request+"/upload", object{"parts": []object{{"name": "front",
		"fileName": "front", "contentType": contentType, "content": content}}})
	return request
}

// measureDocuments uploads three PDFs and three JSON files of each company, one after the other,
// and returns the median of the times until they are validated.
func measureDocuments(all []*uploader) time.Duration {
	var took []time.Duration
	for range 3 {
		for _, u := range all {
			u.t.Helper()
			for contentType, content := range map[string][]byte{"application/pdf": u.permit,
				"application/json": []byte(`{"class":"CE"}`)} {
				documentType := u.pdfType
				if contentType == "application/json" {
					documentType = u.jsonType
				}
				began := time.Now()
				request := u.upload(documentType, contentType, content)
				until(u.t, "the document is validated", func() bool {
					return at(u.t, u.ok(http.MethodGet, request, nil), "state") == "validated"
				})
				took = append(took, time.Since(began))
			}
		}
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// processesOf counts the processes that run a program, or are about to.
func processesOf(t *testing.T, program string) (count int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		text, _ := os.ReadFile(line) // the process may have ended
		if bytes.Contains(text, []byte(program)) {
			count++
		}
	}
	return count
}
