package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
)

// The document is sent compressed to whoever takes that, and not again to whoever has it.
func TestDocumentIsCached(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.API.cfg.OpenAPI = openapi.Document
	get := func(method string, header ...string) *http.Response {
		r := httptest.NewRequest(method, "/openapi.json", nil)
		for n := 0; n < len(header); n += 2 {
			r.Header.Add(header[n], header[n+1])
		}
		w := httptest.NewRecorder()
		h.API.ServeHTTP(w, r)
		return w.Result()
	}
	for accept, compressed := range map[string]bool{"": false, "gzip": true, "br, GZIP;q=0.5": true,
		"gzip;q=0": false, "gzip; q=0.000": false, "deflate": false, "x-gzip": false} {
		first := get("GET", "Accept-Encoding", accept)
		body, err := io.ReadAll(first.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got := first.Header.Get("Content-Encoding") == "gzip"; got != compressed {
			t.Errorf("Accept-Encoding %q: compressed %t", accept, got)
		}
		if compressed {
			if len(body) > len(openapi.Document)/5 {
				t.Errorf("%d bytes, compressed", len(body))
			}
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		tag := first.Header.Get("ETag")
		if first.StatusCode != 200 || !bytes.Equal(body, openapi.Document) || tag == "" ||
			first.Header.Get("Vary") != "Accept-Encoding" ||
			first.Header.Get("Cache-Control") != documentCache {
			t.Errorf("Accept-Encoding %q: %d, %d bytes, %v", accept, first.StatusCode, len(body),
				first.Header)
		}
		for match, status := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304,
			"*": 304, `"x"`: 200, tag[:len(tag)-1]: 200} {
			again := get("GET", "Accept-Encoding", accept, "If-None-Match", match)
			body, _ := io.ReadAll(again.Body)
			if again.StatusCode != status || again.Header.Get("ETag") != tag ||
				(len(body) == 0) != (status == 304) {
				t.Errorf("If-None-Match %s: %d, %d bytes, %v", match, again.StatusCode, len(body),
					again.Header)
			}
		}
	}
	if plain, packed := get("GET").Header.Get("ETag"),
		get("GET", "Accept-Encoding", "gzip").Header.Get("ETag"); plain == packed {
		t.Error("two representations have one strong entity tag")
	}
}
