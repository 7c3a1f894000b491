package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// filler makes the dossier over HTTP. ids and keys stand under short names, which bodies and paths use as $name.
type filler struct {
	t    *testing.T
	base string
	key  string // name of the key that calls
	ids  map[string]string
	keys map[string]string
}

func (f *filler) expand(text string) string {
	return os.Expand(text, func(name string) string {
		v, ok := f.ids[name]
		if !ok {
			f.t.Fatalf("nothing is called %q in %s", name, text)
		}
		return v
	})
}

// do sends a request and returns the decoded answer, which has to have the status, or any where it is 0.
func (f *filler) do(status int, method, path, body string, header ...string) any {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.base+f.expand(path), strings.NewReader(f.expand(body)))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+f.keys[f.key])
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for n := 0; n < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	if res.StatusCode != status && status != 0 {
		f.t.Fatalf("%s %s as %s: %d %s", method, f.expand(path), f.key, res.StatusCode, text)
	}
	var v any
	if len(text) > 0 {
		if err := json.Unmarshal(text, &v); err != nil {
			f.t.Fatalf("%s %s: %s: %v", method, path, text, err)
		}
	}
	return v
}

// make creates something and keeps its id under a name.
func (f *filler) make(name, path, body string, header ...string) map[string]any {
	f.t.Helper()
	made := f.do(200, "POST", path, body, header...).(map[string]any)
	f.ids[name], _ = made["id"].(string)
	if secret, ok := made["secret"].(string); ok && strings.HasPrefix(secret, "dsr_") {
		f.keys[name] = secret
	}
	return made
}

func (f *filler) post(path, body string) { f.t.Helper(); f.do(200, "POST", path, body) }

// request names the candidate document type of a candidate and a document type.
func (f *filler) request(name, candidate, documentType string) string {
	f.ids[name] = "cdt_" + f.ids[candidate][len("cnd_"):] + f.ids[documentType][len("dty_"):]
	return f.ids[name]
}

// until waits until a member of what a path answers has a value.
func (f *filler) until(path, member, want string) {
	f.t.Helper()
	deadline := time.Now().Add(40 * time.Second)
	for {
		v, _ := f.do(0, "GET", path, "").(map[string]any)
		if v[member] == want {
			return
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("%s: %s did not become %s: %v", f.expand(path), member, want, v)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// untilLogged waits until a filter of the log finds so many entries.
func (f *filler) untilLogged(filter string, count int) {
	f.t.Helper()
	deadline := time.Now().Add(40 * time.Second)
	for {
		if len(f.do(200, "GET", "/integrations/logs?"+filter, "").([]any)) >= count {
			return
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("the log never had %d of %s", count, f.expand(filter))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// upload sends one part in the request.
func (f *filler) upload(request, part, contentType string, content []byte) {
	f.t.Helper()
	f.post("/candidateDocumentTypes/"+request+"/upload", fmt.Sprintf(`{"parts":[{"name":%q,"fileName":%q,"contentType":%q,"content":%q}]}`,
		part, part+" of the file", contentType, base64.StdEncoding.EncodeToString(content)))
}

const (
	isPDF  = "application/pdf"
	isPNG  = "image/png"
	isJSON = "application/json"
)

func file(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile("../../check/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// announced uploads a part by a form. Without commit it stays announced.
func (f *filler) announced(request, part, contentType string, content []byte, commit bool) {
	f.t.Helper()
	sum := sha256.Sum256(content)
	plan := f.do(200, "POST", "/candidateDocumentTypes/"+request+"/upload", fmt.Sprintf(
		`{"parts":[{"name":%q,"fileName":"large.pdf","contentType":%q,"size":%d,"sha256":%q}]}`,
		part, contentType, len(content), hex.EncodeToString(sum[:]))).(map[string]any)
	if !commit {
		return
	}
	form := plan["forms"].([]any)[0].(map[string]any)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range form["fields"].(map[string]any) {
		_ = w.WriteField(name, value.(string))
	}
	to, _ := w.CreateFormFile("file", "large.pdf")
	_, _ = to.Write(content)
	_ = w.Close()
	at, err := url.Parse(form["url"].(string)) // the service may say that it is elsewhere
	if err != nil {
		f.t.Fatal(err)
	}
	res, err := http.Post(f.base+at.RequestURI(), w.FormDataContentType(), &body)
	if err != nil {
		f.t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		f.t.Fatalf("form: %d", res.StatusCode)
	}
	f.post("/candidateDocumentTypes/"+request+"/upload", fmt.Sprintf(`{"uploadId":%q,"commit":true}`, plan["uploadId"]))
}

func (f *filler) hook(name, event, path, more string) {
	f.t.Helper()
	f.make(name, "/integrations", fmt.Sprintf(`{"name":%q,"triggerEvent":%q,"target":{"type":"webhook","url":"$receiver%s"}%s}`, name, event, path, more))
}
