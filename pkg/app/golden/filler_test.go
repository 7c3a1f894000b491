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

// The content types of parts.
const (
	isPDF  = "application/pdf"
	isPNG  = "image/png"
	isJSON = "application/json"
)

// filler makes the dossier over HTTP. ids and keys have short names, by which paths and bodies
// have them as $name.
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

// do sends a request and returns the decoded answer, which has the status, or any where it is 0.
func (f *filler) do(status int, method, path, body string, header ...string) any {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.base+f.expand(path),
		strings.NewReader(f.expand(body)))
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
	if err := json.Unmarshal(text, &v); err != nil {
		f.t.Fatalf("%s %s: %s: %v", method, path, text, err)
	}
	return v
}

// make creates something and keeps its id, and a key's secret, under a name.
func (f *filler) make(name, path, body string, header ...string) {
	f.t.Helper()
	made := f.do(200, "POST", path, body, header...).(map[string]any)
	f.ids[name], _ = made["id"].(string)
	if secret, ok := made["secret"].(string); ok && strings.HasPrefix(secret, "dsr_") {
		f.keys[name] = secret
	}
}

func (f *filler) post(path, body string) {
	f.t.Helper()
	f.do(200, "POST", path, body)
}

// list returns the elements of a list.
func (f *filler) list(path string) []map[string]any {
	f.t.Helper()
	var list []map[string]any
	for _, v := range f.do(200, "GET", path, "").([]any) {
		list = append(list, v.(map[string]any))
	}
	return list
}

// hook makes an integration. more is further members of the body.
func (f *filler) hook(name, event, path, more string) {
	f.t.Helper()
	f.make(name, "/integrations", fmt.Sprintf(`{"name":%q,"triggerEvent":%q,
		"target":{"type":"webhook","url":"$receiver%s"}%s}`, name, event, path, more))
}

// ask asks a candidate for a document type. more is further members of the body.
func (f *filler) ask(name, candidate, documentType, more string) {
	f.t.Helper()
	f.make(name, "/candidateDocumentTypes", fmt.Sprintf(
		`{"candidateId":"$%s","documentTypeId":"$%s"%s}`, candidate, documentType, more))
}

// request names the candidate document type of a candidate and a document type.
func (f *filler) request(name, candidate, documentType string) string {
	f.ids[name] = "cdt_" + f.ids[candidate][len("cnd_"):] + f.ids[documentType][len("dty_"):]
	return f.ids[name]
}

// patience bounds a wait for the workers.
const patience = 40 * time.Second

// wait waits until it is so; what says what was waited for.
func (f *filler) wait(what func() string, is func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatalf("waited in vain for %s", what())
		}
	}
}

// until waits until a member of the answer of a path has a value.
func (f *filler) until(path, member, want string) {
	f.t.Helper()
	var got map[string]any
	f.wait(func() string { return fmt.Sprint(f.expand(path), " ", member, " ", want, ": ", got) },
		func() bool {
			got, _ = f.do(0, "GET", path, "").(map[string]any)
			return got[member] == want
		})
}

// untilLogged waits until a filter of the log finds so many entries.
func (f *filler) untilLogged(filter string, count int) {
	f.t.Helper()
	f.wait(func() string { return fmt.Sprint(count, " log entries of ", f.expand(filter)) },
		func() bool { return len(f.list("/integrations/logs?"+filter)) >= count })
}

// file returns a document of the parsers' tests.
func (f *filler) file(name string) []byte {
	f.t.Helper()
	content, err := os.ReadFile("../../check/testdata/" + name)
	if err != nil {
		f.t.Fatal(err)
	}
	return content
}

// upload sends one part in the request.
func (f *filler) upload(request, part, contentType string, content []byte) {
	f.t.Helper()
	f.post("/candidateDocumentTypes/"+request+"/upload", fmt.Sprintf(
		`{"parts":[{"name":%q,"fileName":%q,"contentType":%q,"content":%q}]}`,
		part, part+" of the file", contentType, base64.StdEncoding.EncodeToString(content)))
}

// announced is an upload whose bytes come by a form.
type announced struct {
	path     string
	uploadID string
	url      string
	fields   map[string]any
}

// announce announces one part, and keeps the id of the upload under the name announced.
func (f *filler) announce(request, part, contentType string, content []byte) announced {
	f.t.Helper()
	sum := sha256.Sum256(content)
	path := "/candidateDocumentTypes/" + request + "/upload"
	plan := f.do(200, "POST", path, fmt.Sprintf(
		`{"parts":[{"name":%q,"fileName":"large.pdf","contentType":%q,"size":%d,"sha256":%q}]}`,
		part, contentType, len(content), hex.EncodeToString(sum[:]))).(map[string]any)
	form := plan["forms"].([]any)[0].(map[string]any)
	f.ids["announced"] = plan["uploadId"].(string)
	return announced{path, plan["uploadId"].(string), form["url"].(string),
		form["fields"].(map[string]any)}
}

// commit sends the bytes of an announced part and ends the upload.
func (f *filler) commit(a announced, content []byte) {
	f.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range a.fields {
		_ = w.WriteField(name, value.(string)) // a buffer takes everything
	}
	to, _ := w.CreateFormFile("file", "large.pdf")
	_, _ = to.Write(content)
	_ = w.Close()
	at, err := url.Parse(a.url) // the service may say that it is elsewhere
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
	f.post(a.path, fmt.Sprintf(`{"uploadId":%q,"commit":true}`, a.uploadID))
}
