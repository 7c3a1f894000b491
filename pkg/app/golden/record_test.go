package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
)

// recording holds the answers of a service to every GET, at a moment.
type recording struct {
	At      time.Time         `json:"at"`
	IDs     map[string]string `json:"ids"` // by name, as are the keys
	Keys    map[string]string `json:"keys"`
	Answers []answer          `json:"answers"`
}

// answer is a GET and its answer. Of an error only status and code are kept: its sentences are no
// data.
type answer struct {
	Key    string            `json:"key"`
	Path   string            `json:"path"`
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   jsontext.Value    `json:"body"`
	Part   *part             `json:"part,omitzero"` // what the link to a part leads to
}

// part is the bytes behind a link.
type part struct {
	SHA256      string `json:"sha256"`
	ContentType string `json:"contentType"`
	Disposition string `json:"disposition"`
}

// base is the address that the recorded services gave for themselves.
const base = "http://golden.test"

// recorded are the headers that clients go by.
var recorded = []string{
	"Content-Type", "ETag", "Link", "Cache-Control", "Retry-After", "WWW-Authenticate",
}

// get asks a handler.
func get(t testing.TB, h http.Handler, key, path string) (*http.Response, []byte) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), w.Body.Bytes()
}

// ask returns the answer to a GET as it is recorded.
func ask(t testing.TB, h http.Handler, name, key, path string) answer {
	t.Helper()
	res, body := get(t, h, key, path)
	a := answer{Key: name, Path: path, Status: res.StatusCode, Header: map[string]string{},
		Body: body}
	for _, name := range recorded {
		if v := res.Header.Get(name); v != "" {
			a.Header[name] = v
		}
	}
	if a.Status != http.StatusOK {
		var problem struct {
			Code string `json:"code"`
		}
		if err := json.Unmarshal(body, &problem); err != nil {
			t.Fatalf("GET %s: %d %s", path, a.Status, body)
		}
		a.Body, _ = json.Marshal(problem)
	}
	return a
}

var partPath = regexp.MustCompile(`/documents/[^/]+/parts/[^/]+$`)

// follow reads the part that the link of an answer leads to.
func follow(t testing.TB, h http.Handler, body []byte) *part {
	t.Helper()
	var link struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(body, &link); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	res, content := get(t, h, "", u.RequestURI())
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", link.URL, res.StatusCode, content)
	}
	sum := sha256.Sum256(content)
	return &part{hex.EncodeToString(sum[:]), res.Header.Get("Content-Type"),
		res.Header.Get("Content-Disposition")}
}

// crawler records what a service answers. It finds what there is by the lists.
type crawler struct {
	t     testing.TB
	h     http.Handler
	blobs http.Handler
	recording
	key string
}

// ask records a GET and returns the decoded answer.
func (c *crawler) ask(path string) answer {
	c.t.Helper()
	a := ask(c.t, c.h, c.key, c.Keys[c.key], path)
	if a.Status == http.StatusOK && partPath.MatchString(path) {
		a.Part = follow(c.t, c.blobs, a.Body)
	}
	c.Answers = append(c.Answers, a)
	return a
}

// list records a list, as one page and in pages of a size, and returns the ids in it.
func (c *crawler) list(path string, sizes ...int) []string {
	c.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	for _, size := range sizes {
		for next := fmt.Sprint(path, separator, "page[size]=", size); next != ""; {
			a := c.ask(next)
			next = ""
			if link := a.Header["Link"]; link != "" {
				next = link[1:strings.Index(link, ">")]
			}
		}
	}
	a := c.ask(path)
	var items []struct {
		ID string `json:"id"`
	}
	if a.Status == http.StatusOK {
		if err := json.Unmarshal(a.Body, &items); err != nil {
			c.t.Fatalf("%s: %s", path, a.Body)
		}
	}
	var ids []string
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// company records everything that a key of a company reads.
func (c *crawler) company(key string) {
	c.key = key
	for _, path := range []string{"/documentTypes", "/forms", "/presets", "/customFields", "/keys",
		"/scenarios", "/registration-pages", "/integrations", "/signInProviders"} {
		for _, id := range c.list(path, 2) {
			c.ask(path + "/" + id)
		}
	}
	for _, id := range c.list("/companies", 1) {
		c.ask("/companies/" + id)
		c.ask("/public/" + id + "/registration-pages/" + c.IDs["page"])
	}
	c.list("/integrations/logs", 7)
	c.list("/integrations/parser-calls", 2)
	c.list("/messages/unread", 2)
	c.ask("/overview")
	for _, id := range c.list("/candidates", 3) {
		c.ask("/candidates/" + id)
		c.list("/candidates/"+id+"/events", 4)
		for _, message := range c.list("/candidates/"+id+"/messages", 2) {
			c.ask("/candidates/" + id + "/messages/" + message)
		}
		c.ask("/candidates/" + id + "/unread")
		c.list("/candidates/" + id + "/tokens")
		c.ask("/candidates/" + id + "/forms/" + c.IDs["form"])
		c.list("/integrations/logs?filter[candidateId]=" + id)
		for _, request := range c.list("/candidateDocumentTypes?filter[candidateId]="+id, 2) {
			c.request(request)
		}
	}
	c.list("/candidateDocumentTypes", 4)
}

// request records a candidate document type with its documents, parts and rule runs.
func (c *crawler) request(id string) {
	path := "/candidateDocumentTypes/" + id
	c.ask(path)
	c.list(path+"/ruleRuns", 1)
	c.list(path+"/documents", 1)
	var documents []struct {
		ID    string `json:"id"`
		Parts []struct {
			Name string `json:"name"`
		} `json:"parts"`
	}
	answer := c.Answers[len(c.Answers)-1]
	_ = json.Unmarshal(answer.Body, &documents) // an error was recorded as one
	for _, d := range documents {
		for _, p := range d.Parts {
			c.ask(path + "/documents/" + d.ID + "/parts/" + p.Name)
		}
	}
}

// filters records lists by their filters, and versions of rules.
func (c *crawler) filters() {
	c.key = "admin"
	versions := "/documentTypes/" + c.IDs["typePermit"] + "/submission/versions"
	c.ask(versions)
	c.ask(versions + "/1")
	c.ask(versions + "/1/diff/1")
	for _, text := range []string{"ad", "lovel", "ada@", "nobody"} {
		c.list("/candidates?filter[search]="+text, 2)
	}
	c.list("/candidates?sort=lastName", 3)
	for _, status := range dossier.Statuses {
		c.list("/candidates?filter[status][]="+status, 2)
	}
	c.list("/candidates?filter[status][]=collecting&filter[status][]=rejected", 2)
	for _, external := range []string{"hr-1", "hr-2", "hr-9"} {
		c.list("/candidates?filter[externalId]=" + external)
	}
	for _, state := range dossier.States {
		c.list("/candidateDocumentTypes?filter[state][]="+state, 2)
	}
	c.list("/candidateDocumentTypes?filter[state][]=validated&filter[state][]=removed" +
		"&filter[candidateId]=" + c.IDs["ada"])
	for _, name := range event.Names {
		c.list("/scenarios?filter[events][]=" + name)
		c.list("/integrations?filter[triggerEvent]=" + name)
		c.list("/integrations/logs?filter[eventName]="+name, 3)
	}
	for _, status := range dossier.LogStatuses {
		c.list("/integrations/logs?filter[status]="+status, 3)
	}
	for _, id := range []string{"thin", "full", "failing", "gone", "rejections", "deleted"} {
		c.list("/integrations/logs?filter[integrationId]="+c.IDs[id], 2)
	}
}

// refusals records what is not there, or not for the caller.
func (c *crawler) refusals() {
	for _, key := range []string{"admin", "partner"} {
		c.key = key
		for _, path := range []string{"/candidates/$erased", "/candidates/$erased/events",
			"/candidates/$erased/messages", "/forms/$form3", "/integrations/$deleted",
			"/keys/$revoked",
			"/candidateDocumentTypes/$erasedCard", "/candidates/$ada", "/integrations/$thin",
			"/candidateDocumentTypes/$validated", "/documentTypes/$typePermit"} {
			c.ask(os.Expand(path, func(name string) string { return c.IDs[name] }))
		}
	}
	for _, key := range []string{"settingsReader", "revoked", "nobody", "bobToken", "writer"} {
		c.key = key
		for _, path := range []string{"/keys", "/integrations", "/candidates?page[size]=1",
			"/candidates/" + c.IDs["ada"], "/healthz"} {
			c.ask(path)
		}
	}
	c.key = "bobToken"
	c.ask("/candidates/" + c.IDs["bob"])
	c.list("/candidates/" + c.IDs["bob"] + "/messages")
	for _, request := range c.list("/candidateDocumentTypes?filter[candidateId]=" + c.IDs["bob"]) {
		c.request(request)
	}
}

// crawl records in r what a service answers to every GET.
func crawl(t testing.TB, api, blobs http.Handler, r recording) recording {
	c := &crawler{t: t, h: api, blobs: blobs, recording: r}
	for _, key := range []string{"admin", "partner", "reader", "stranger"} {
		c.company(key)
	}
	c.filters()
	c.refusals()
	c.complete()
	return c.recording
}

// notRecorded are the paths of GETs that are no data: the OpenAPI document, a session, which ends
// within hours, and what is signed at the moment.
var notRecorded = []string{"/openapi.json", "/sessions/current", "/integrations/logs/{id}/request"}

// complete fails where a GET of the OpenAPI document was never answered with 200.
func (c *crawler) complete() {
	var document struct {
		Paths map[string]map[string]jsontext.Value `json:"paths"`
	}
	if err := json.Unmarshal(openapi.Document, &document); err != nil {
		c.t.Fatal(err)
	}
	parameter := regexp.MustCompile(`\\{[^}]*\\}`)
	for path, methods := range document.Paths {
		if methods["get"] == nil || slices.Contains(notRecorded, path) {
			continue
		}
		one := parameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/?]+`)
		form := regexp.MustCompile("^" + one + `(\?|$)`)
		if !slices.ContainsFunc(c.Answers, func(a answer) bool {
			return a.Status == http.StatusOK && form.MatchString(a.Path)
		}) {
			c.t.Errorf("no answer to GET %s is recorded", path)
		}
	}
}
