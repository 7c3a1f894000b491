package standalone_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/processtest"
	"github.com/dossierhq/dossier/pkg/app/standalone"
	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/check/picturetest"
)

// TestPictures uploads a picture of a permit over HTTP, and has it read and validated. The first
// lines of the process say that pictures are read, or how to have them read.
func TestPictures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Tesseract: part of `make test`")
	}
	path, err := check.FindTesseract("")
	if err != nil || path == "" {
		t.Fatalf("Tesseract is missing, %v: `make debian` installs it", err)
	}
	content, err := picturetest.Picture{Title: "WORK PERMIT", Font: 1, Quality: 95,
		Rows: [][2]string{{"Class", "CE"}, {"Valid until", "7 September 2034"}}}.JPEG()
	if err != nil {
		t.Fatal(err)
	}
	c, out := startReading(t, path)
	until(t, "the process says that it reads pictures", func() bool {
		return strings.Contains(out.String(), "Text in pictures is read by tesseract 5.")
	})
	documentType := c.made("/documentTypes", object{"name": "Permit", "check": object{
		"parser": "pdf", "decision": "automatic", "required": []string{"class", "expires"},
		"fields": []object{{"reference": "class", "label": "Class", "type": "text"},
			{"reference": "expires", "label": "Valid until", "type": "date"}}}})
	candidate := c.made("/candidates", object{"firstName": "Ada",
		"documentTypeIds": []string{documentType}})
	request := "/candidateDocumentTypes/cdt_" + strings.TrimPrefix(candidate, "cnd_") +
		strings.TrimPrefix(documentType, "dty_")
	var document any
	for range 5 { // on a slow machine the time of a check may not do
		c.ok(http.MethodPost, request+"/upload", object{"parts": []object{{"name": "front",
			"fileName": "a.jpg", "contentType": "image/jpeg", "content": content}}})
		until(t, "the check has ended", func() bool {
			got := c.ok(http.MethodGet, request, nil)
			document = at(t, got, "document")
			return at(t, got, "state") != "processing" && at(t, document, "state") != "processing"
		})
		if at(t, document, "state") == "validated" {
			break
		}
	}
	if at(t, document, "state") != "validated" ||
		at(t, document, "parsed", "expires") != "2034-09-07" ||
		at(t, document, "readings", 0, "part") != "front" {
		t.Errorf("%v", document)
	}
}

// startReading starts a process that reads pictures, and returns what it prints, too.
func startReading(t *testing.T, tesseract string) (*client, *processtest.Output) {
	t.Helper()
	out := &processtest.Output{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	cfg := app.Config{Addr: "127.0.0.1:0", Data: t.TempDir(), Lease: 5 * time.Minute,
		Sweep: time.Second, Tesseract: tesseract}
	go func() { ended <- standalone.Run(ctx, cfg, out, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the process ended with %v", err)
		}
	})
	select {
	case <-out.Ready():
	case err := <-ended:
		ended <- nil
		t.Fatalf("the process did not start: %v", err)
	}
	text := out.String()
	return &client{t: t, base: printedURL.FindString(text),
		key: printedKey.FindStringSubmatch(text)[1]}, out
}
