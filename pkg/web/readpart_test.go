package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestReadPart detects the type of an uploaded file from its content, not from what a browser says.
func TestReadPart(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"%PDF-1.7\n": "application/pdf", "\xff\xd8\xff\xe0": "image/jpeg",
		"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic": "image/heic",
		"a text": "text/plain",
	} {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		w, err := form.CreateFormFile("front", "IMG_1.HEIC")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		if err := form.Close(); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/", &b)
		r.Header.Set("Content-Type", form.FormDataContentType())
		_, header, err := r.FormFile("front")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readPart("front", header); err != nil || got.ContentType != want {
			t.Errorf("%q is %q, not %q, %v", content, got.ContentType, want, err)
		}
	}
}
