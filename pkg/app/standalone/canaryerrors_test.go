package standalone_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
)

// mistakes sends the canary in requests that are refused: the answers are silent.
func (c *client) mistakes(candidate string) {
	t := c.t
	t.Helper()
	long := strings.Repeat(canary, 1000)
	own := "/candidates/" + candidate
	for _, bad := range []struct{ method, path, body string }{
		{"POST", "/candidates", `{"email":"` + canary + `@","birthDate":"` + canary +
			`","nationality":"` + canary + `","language":"` + canary + `_"}`},
		{"POST", "/candidates", `{"firstName":"` + long + `","phone":"` + long +
			`","customFields":{"note":"` + long + `"}}`},
		{"POST", "/candidates", `{"externalId":"` + canary + `-x"}`},
		{"POST", "/candidates", `{"firstName":"` + canary + `",}`},
		{"POST", "/candidates", `{"firstName":"` + canary + `","firstName":"` + canary + `"}`},
		{"PATCH", own, `{"customFields":{"note":["` + canary + `"]},"birthDate":"` + canaryDay +
			`T"}`},
		{"POST", own + "/reject", `{"reason":"` + long + `"}`},
		{"POST", own + "/passVerification", `{"status":"x","reason":"` + canary + `"}`},
		{"POST", own + "/messages", `{"text":"` + long + `"}`},
		{"POST", own + "/messages", `{"text":["` + canary + `"]}`},
		{"GET", "/candidates?filter[externalId]=" + long, ""},
		{"GET", "/candidates/" + canary, ""},
		{"POST", "/candidateDocumentTypes/cdt_x/upload",
			`{"parts":[{"name":"front","fileName":"` + long +
				`","contentType":"application/pdf","content":"x"}]}`},
		{"POST", "/candidateDocumentTypes",
			`{"candidateId":"cnd_x","documentTypeId":"dty_x","metadata":{"m":"` + canary +
				`"},"customFields":{"dnote":1}}`},
	} {
		status, header, v := c.send(bad.method, bad.path, bad.body)
		if status < 400 || status >= 500 || sings(fmt.Sprint(v)) ||
			sings(fmt.Sprint(slices.Collect(maps.Values(header)))) {
			t.Errorf("%s %.60s %.80s: %d %v", bad.method, bad.path, bad.body, status, v)
		}
	}
}

// postPending announces a part and sends its bytes through the form, and never commits them.
func (c *client) postPending(request string) {
	t := c.t
	t.Helper()
	content := []byte("%PDF-1.4\n" + canary + "\n%%EOF\n")
	sum := sha256.Sum256(content)
	plan := c.post("/candidateDocumentTypes/"+request+"/upload", fmt.Sprintf(
		`{"parts":[{"name":"front","fileName":"%s.pdf","contentType":"application/pdf","size":%d,"sha256":%q}]}`, canary, len(content), hex.EncodeToString(sum[:])))
	form := at(t, plan, "forms", 0).(object)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range form["fields"].(object) {
		if err := w.WriteField(name, value.(string)); err != nil {
			t.Fatal(err)
		}
	}
	file, err := w.CreateFormFile("file", canary)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write(content)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(form["url"].(string), w.FormDataContentType(), &body)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode >= 300 {
		t.Fatalf("the form: %d %v", res.StatusCode, err)
	}
}
