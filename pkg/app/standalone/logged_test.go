package standalone_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/app/processtest"
)

// Whatever is answered leaves one line in the log: downloads, forms, pages, files and redirects as
// well. Only the line of a download that succeeded names a part.
func TestOneLinePerRequest(t *testing.T) {
	t.Parallel()
	log := &processtest.Output{}
	c, stop := startLogged(t, t.TempDir(), log)
	dt := c.post("/documentTypes", `{"name":"Letter"}`)["id"].(string)
	candidate := c.post("/candidates", fmt.Sprintf(`{"firstName":"Ada","documentTypeIds":[%q]}`,
		dt))["id"].(string)
	cdt := "cdt_" + candidate[4:] + dt[4:]
	up := c.post("/candidateDocumentTypes/"+cdt+"/upload",
		`{"parts":[{"name":"front","contentType":"application/pdf","content":"JVBERi0xLjQKJSVFT0YK"}]}`)
	document := at(t, up, "document", "id").(string)
	link := c.ok(http.MethodGet, "/candidateDocumentTypes/"+cdt+"/documents/"+document+
		"/parts/front", nil).(object)["url"].(string)
	own := strings.TrimPrefix(strings.Split(link, "?")[0], c.base+"/blobs/")
	for n, want := range []struct {
		method, url, route string
		status             int
		part               string
	}{
		{"GET", link, "/blobs/{key...}", 200, own},
		{"GET", c.base + "/blobs/" + own, "/blobs/{key...}", 403, ""},
		{"GET", c.base + "/blobs/its-own-text", "/blobs/{key...}", 403, ""},
		{"POST", c.base + "/blobs", "/blobs", 400, ""},
		{"OPTIONS", c.base + "/blobs", "/blobs", 200, ""},
		{"GET", c.base + "/docs", "/docs", 200, ""},
		{"GET", c.base + "/console", "/console", 200, ""},
		{"GET", c.base + "/p", "/p/", 307, ""},
		{"GET", c.base + "/forms", "/forms", 401, ""},
		{"GET", c.base + "//forms", "none", 404, ""},
	} {
		id := fmt.Sprintf("of-%d-", n)
		header := c.fetch(want.method, want.url, id)
		if strings.Contains(want.url, "/blobs") &&
			header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s %s: no page of another origin reads it", want.method, want.route)
		}
		until(t, "there is a line of "+want.url, func() bool {
			return len(linesOf(t, log.String(), id)) > 0
		})
		lines := linesOf(t, log.String(), id)
		got, part := lines[0], lines[0]["part"]
		if part == nil {
			part = ""
		}
		if got["route"] != want.route || got["status"] != float64(want.status) ||
			got["method"] != want.method || part != want.part || got["durationMs"] == nil {
			t.Errorf("%s %s: %v", want.method, want.url, got)
		}
	}
	stop()
	for n := range 10 {
		if lines := linesOf(t, log.String(), fmt.Sprintf("of-%d-", n)); len(lines) != 1 {
			t.Errorf("there are %d lines: %v", len(lines), lines)
		}
	}
	if strings.Contains(log.String(), "its-own-text") {
		t.Error("a text of a client's own is in the log")
	}
}

// fetch sends a request without a key, follows no redirect, and returns the header.
func (c *client) fetch(method, url, id string) http.Header {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, url, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("X-Request-Id", id)
	one := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	res, err := one.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.Header
}

// linesOf returns the lines of a log that carry a request id.
func linesOf(t *testing.T, log, id string) (lines []object) {
	t.Helper()
	for text := range strings.Lines(log) {
		if !strings.Contains(text, `"`+id+`"`) {
			continue
		}
		var line object
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}
