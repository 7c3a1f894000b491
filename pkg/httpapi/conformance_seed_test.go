package httpapi

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/openapitest"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
)

// seed is three companies with one of every resource each: the caller's own, a sibling in its
// group, and a stranger. Ids and keys are kept under short names. file is the database with all of
// it; each test works on a copy.
type seed struct {
	own, sibling, stranger map[string]string
	keys                   map[string]string // by what is wrong with them
	file                   []byte
}

// newSeed creates the companies through the handlers.
func newSeed(t *testing.T) seed {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	engine, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	h := newTestAPI(t, onEngine(engine))
	h.unchecked = true
	sibling, err := h.store.CreateCompany(t.Context(), h.company.GroupID, "Sibling")
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := h.store.CreateCompany(t.Context(), "", "Stranger")
	if err != nil {
		t.Fatal(err)
	}
	w := seed{own: h.createEverything(t, h.key), sibling: h.createEverything(t, sibling.Key.Secret),
		stranger: h.createEverything(t, stranger.Key.Secret)}
	w.own["shared"] = h.sharedType(t)
	w.keys = h.badKeys(t)
	w.keys["sibling"] = sibling.Key.Secret
	// the day of their last use is written now, and not when a test looks for writes
	for _, key := range w.keys {
		h.do(t, call{method: "GET", target: "/forms", key: key})
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if w.file, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return w
}

// createEverything creates one of every resource in the company of a key.
func (h *testAPI) createEverything(t *testing.T, key string) map[string]string {
	t.Helper()
	ids := map[string]string{"part": "front", "com": "com_" + key[len("dsr_"):][:26]}
	expand := func(text string) string {
		return os.Expand(text, func(n string) string { return ids[n] })
	}
	add := func(name, path, body string) {
		t.Helper()
		made, _ := okWith[struct {
			ID string `json:"id"`
		}](t, h, call{method: "POST", target: expand(path), body: expand(body), key: key})
		ids[name] = made.ID
	}
	hook := `{"name":"I","triggerEvent":"candidate%s","target":{"type":"webhook","url":"https://example.com/hook"}}`
	for _, d := range descriptions() {
		for _, r := range d.seed {
			add(r.name, r.path, r.body)
		}
	}
	add("dty", "/documentTypes", `{"name":"T","check":{"parser":"none","decision":"manual"}}`)
	add("dty2", "/documentTypes",
		`{"name":"U","check":{"parser":"none","decision":"manual","fields":[{"reference":"permit.number","label":"N","type":"text"}]}}`)
	add("dty3", "/documentTypes", `{"name":"V"}`)
	add("scn", "/scenarios",
		`{"name":"S","eventName":"candidateCreated","active":false,"notification":{"subject":"s","text":"t"}}`)
	add("pre", "/presets", `{"name":"P","set":{"language":"nl"}}`)
	add("rpg", "/registration-pages", `{"name":"R","slug":"r"}`)
	add("int", "/integrations", fmt.Sprintf(hook, "Created"))
	add("off", "/integrations", fmt.Sprintf(hook, "Rejected"))
	add("key", "/keys", `{"name":"K","kind":"integration","scopes":["candidates:read"]}`)
	add("cnd", "/candidates",
		`{"firstName":"Ada","documentTypeIds":["$dty","$dty2"],"formIds":["$frm"]}`)
	add("cnd2", "/candidates", `{"firstName":"Bob","documentTypeIds":["$dty"]}`)
	add("cnd3", "/candidates", `{"firstName":"Cy"}`)
	add("cnd5", "/candidates", `{"firstName":"Di","formIds":["$frm"],"presetId":"$pre"}`)
	add("cnd5", "/candidates/$cnd5/forms/$frm", `{"answers":{"has":true}}`)
	add("msg", "/candidates/$cnd/messages", `{"text":"Hello"}`)
	token, _ := okWith[store.Token](t, h,
		call{method: "POST", target: expand("/candidates/$cnd/tokens"), key: key})
	written, _ := okWith[dossier.Message](t, h,
		call{method: "POST", target: expand("/candidates/$cnd/messages"), body: `{"text":"Hi"}`,
			key: token.Token})
	ids["tok"] = token.ID
	ids["theirs"] = written.ID
	add("msg2", "/candidates/$cnd2/messages", `{"text":"Hello"}`)
	okWith[dossier.Candidate](t, h,
		call{method: "POST", target: "/candidates/" + ids["cnd3"] + "/reject",
			body: `{"reason":"x"}`, key: key})
	h.uploadAndDeliver(t, key, ids)
	ids["shared"] = ids["dty"] // no other company can reach it
	add("cnd4", "/candidates", `{"firstName":"Di","documentTypeIds":["$dty2"]}`)
	h.runRules(t, key, ids)
	h.failCheck(t, key, ids)
	return ids
}

// failCheck uploads a document whose check can't be made.
func (h *testAPI) failCheck(t *testing.T, key string, ids map[string]string) {
	t.Helper()
	made, _ := okWith[dossier.CandidateDocumentType](t, h, call{method: "POST",
		target: "/candidateDocumentTypes", key: key,
		body: `{"candidateId":"` + ids["cnd5"] + `","documentTypeId":"` + ids["dty3"] + `"}`})
	ids["unmade"] = made.ID
	okWith[dossier.CandidateDocumentType](t, h,
		call{method: "POST", target: "/candidateDocumentTypes/" + made.ID + "/upload",
			body: parts("front", pdf), key: key})
	h.finishChecks(t, store.CheckResult{State: dossier.StateCheckFailed})
}

// runRules validates a document of a candidate, so that there is a rule run.
func (h *testAPI) runRules(t *testing.T, key string, ids map[string]string) {
	t.Helper()
	ids["ran"] = "cdt_" + ids["cnd4"][len("cnd_"):] + ids["dty2"][len("dty_"):]
	at := "/candidateDocumentTypes/" + ids["ran"]
	okWith[dossier.CandidateDocumentType](t, h,
		call{method: "POST", target: at + "/upload", body: parts("front", pdf), key: key})
	h.finishChecks(t, store.CheckResult{State: dossier.StateInReview})
	okWith[dossier.CandidateDocumentType](t, h,
		call{method: "POST", target: at + "/validate", key: key})
	runs, _ := okWith[[]dossier.RuleRun](t, h,
		call{method: "GET", target: at + "/ruleRuns", key: key})
	ids["run"] = runs[0].ID
}

// sharedType returns a document type with a parser service that another company of the group shares
// with the company of the test.
func (h *testAPI) sharedType(t *testing.T) string {
	t.Helper()
	owner, err := h.store.CreateCompany(t.Context(), h.company.GroupID, "Lovelace Schools")
	if err != nil {
		t.Fatal(err)
	}
	dt, err := h.store.CreateType(t.Context(), owner.ID, dossier.DocumentTypeInput{
		Name: "Diploma", SharedWith: []string{h.company.ID},
		Check: dossier.CheckInput{Parser: new(dossier.ParserHTTP),
			HTTP: &dossier.HTTPParserInput{URL: "https://parser.example.com/read?token=t"}},
	}, "whsec_c2VjcmV0")
	if err != nil {
		t.Fatal(err)
	}
	return dt.ID
}

// uploadAndDeliver uploads a document that then waits for a decision, and delivers an event to a
// target that is gone.
func (h *testAPI) uploadAndDeliver(t *testing.T, key string, ids map[string]string) {
	t.Helper()
	of := func(candidate, documentType string) string {
		return "cdt_" + ids[candidate][len("cnd_"):] + ids[documentType][len("dty_"):]
	}
	ids["cdt"], ids["cdt2"], ids["review"] = of("cnd", "dty"), of("cnd2", "dty"), of("cnd", "dty2")
	for doc, request := range map[string]string{"doc": ids["review"], "doc2": ids["cdt2"]} {
		up, _ := okWith[dossier.CandidateDocumentType](t, h,
			call{method: "POST", target: "/candidateDocumentTypes/" + request + "/upload",
				body: parts("front", pdf), key: key})
		ids[doc] = up.Document.ID
	}
	tasks := h.notified.all()
	h.finishChecks(t, store.CheckResult{State: dossier.StateInReview})
	h.notified.entries = tasks
	h.dispatchEvents(t)
	logs, _ := okWith[[]dossier.LogEntry](t, h,
		call{method: "GET", target: "/integrations/logs?filter[integrationId]=" + ids["off"],
			key: key})
	ids["held"] = logs[0].ID
	logs, _ = okWith[[]dossier.LogEntry](t, h,
		call{method: "GET", target: "/integrations/logs?filter[integrationId]=" + ids["int"] +
			"&filter[candidateId]=" + ids["cnd"], key: key})
	ids["log"] = logs[0].ID
	h.attemptDeliveries(t, ids["off"])
}

// badKeys creates keys of the own company that are expired, revoked or lack one scope.
func (h *testAPI) badKeys(t *testing.T) map[string]string {
	t.Helper()
	keys := map[string]string{"own": h.key}
	add := func(name string, k dossier.KeyInput) dossier.Key {
		k.Kind, k.Name = dossier.KindAdministrator, name
		made, err := h.store.CreateKey(t.Context(), h.company.ID, k)
		if err != nil {
			t.Fatal(err)
		}
		keys[name] = made.Secret
		return made
	}
	for _, scope := range dossier.Scopes {
		var rest []string
		for _, s := range dossier.Scopes {
			// writing includes reading
			if s != scope && s != strings.Replace(scope, ":read", ":write", 1) {
				rest = append(rest, s)
			}
		}
		add(scope, dossier.KeyInput{KeyUpdate: dossier.KeyUpdate{Scopes: rest}})
	}
	add("expired", dossier.KeyInput{
		KeyUpdate: dossier.KeyUpdate{Scopes: dossier.Scopes,
			ExpiresAt: dossier.NewTime(h.clock.now().Add(time.Hour))},
	})
	revoked := add("revoked", dossier.KeyInput{
		KeyUpdate: dossier.KeyUpdate{Scopes: dossier.Scopes},
	})
	ok[struct{}](t, h, "DELETE", "/keys/"+revoked.ID, "")
	return keys
}

// seededAPI is an API on a copy of the seed, an hour after its short-lived keys have expired.
type seededAPI struct {
	*testAPI
	seed
	t      *testing.T
	root   string // everything that is stored
	before string
}

func (w seed) open(t *testing.T) *seededAPI {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	if err := os.WriteFile(path, w.file, 0o600); err != nil {
		t.Fatal(err)
	}
	engine, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	p := &seededAPI{testAPI: newTestAPI(t, onEngine(engine)), seed: w, t: t,
		root: filepath.Dir(filepath.Dir(path))}
	p.unchecked, p.key = true, w.keys["own"]
	p.API.cfg.Targets, p.API.cfg.OpenAPI = webhook.NewGuard(nil), openapi.Document
	p.keys = maps.Clone(w.keys)
	p.clock.forward(2 * time.Hour)
	for _, key := range p.keys {
		p.do(t, call{method: "GET", target: "/forms", key: key})
	}
	for name, candidate := range map[string]string{"token": "cnd", "token2": "cnd2"} {
		made, err := p.store.CreateToken(t.Context(), "com_"+p.key[len("dsr_"):][:26],
			w.own[candidate], time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		p.keys[name] = made.Token
	}
	session, _ := okWith[dossier.Session](t, p.testAPI,
		call{method: "POST", target: "/sessions", body: `{"key":"` + p.key + `"}`})
	p.keys["session"] = session.Token
	p.before = p.stored()
	return p
}

// stored returns a digest of all files: the database and the parts.
func (p *seededAPI) stored() string {
	h := sha256.New()
	err := filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if d.Name() == "db" {
			// behind the number of the last transaction, which one that wrote nothing has too
			content = content[2*os.Getpagesize():]
		}
		fmt.Fprintf(h, "%s %d ", path, len(content))
		_, _ = h.Write(content)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return string(h.Sum(nil))
}

// internals matches text that no response may show: stacks, files and keys of the database.
var internals = regexp.MustCompile(
	`goroutine|\.go:|runtime error|panic|bbolt|#CAND|#DT|#CDT|#KEY|#TOK|/tmp/|github\.com`)

var documentChecked sync.Map // answers that were held against the document

// ask sends a request and checks the response against the rules for every response. A success has
// to match the document too.
func (p *seededAPI) ask(c call) *httptest.ResponseRecorder {
	p.t.Helper()
	c.header = append([]string{"X-Request-Id", "same"}, c.header...)
	w := p.do(p.t, c)
	about := fmt.Sprintf("%s %.200s %.300s: %d %.500s", c.method, c.target, c.body, w.Code, w.Body)
	if w.Code >= 500 || w.Code != 200 && w.Code < 400 {
		p.t.Errorf("%s", about)
	}
	if found := internals.FindString(w.Body.String()); found != "" {
		p.t.Errorf("shows %q: %s", found, about)
	}
	path, _, _ := strings.Cut(c.target, "?")
	if _, again := documentChecked.LoadOrStore(
		fmt.Sprint(c.method, strings.Count(path, "/"), path[:min(len(path), 6)], w.Code, w.Body),
		true); !again || w.Code == 200 {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Header.Set("Content-Type", "application/json")
		openapitest.New(p.t).Check(p.t, r, []byte(c.body), w.Result(), w.Body.Bytes())
	}
	return w
}

// refuse sends a request that has to be refused with a code and must store nothing. The response
// has to name the pointer, one above it or one below it; an empty pointer is not checked.
func (p *seededAPI) refuse(c call, code dossier.Code, pointer string) *httptest.ResponseRecorder {
	p.t.Helper()
	w := p.ask(c)
	about := fmt.Sprintf("%s %.200s %.300s %.100v: %d %.500s", c.method, c.target, c.body, c.header,
		w.Code, w.Body)
	if w.Code != kinds[code].status || problemOf(p.t, w).Code != code {
		p.t.Errorf("not %s: %s", code, about)
	} else if named := problemOf(p.t, w).Errors; pointer != "" &&
		!slices.ContainsFunc(named, func(f dossier.FieldError) bool {
			over := f.Pointer != "" && (f.Code == "tooLong" || f.Code == "tooMany") &&
				strings.HasPrefix(pointer, f.Pointer+"/")
			return f.Pointer == pointer || over || strings.HasPrefix(f.Pointer, pointer+"/")
		}) {
		p.t.Errorf("does not name %s: %s", pointer, about)
	}
	p.unchanged(about)
	return w
}

// unchanged fails if something was stored since the last call.
func (p *seededAPI) unchanged(about string) {
	p.t.Helper()
	if now := p.stored(); now != p.before {
		p.t.Errorf("stored something: %s", about)
		p.before = now
	}
}

// identical fails if two responses differ in a single byte.
func (p *seededAPI) identical(about string, a, b *httptest.ResponseRecorder) {
	p.t.Helper()
	if a.Code != b.Code || a.Body.String() != b.Body.String() ||
		!cmp.Equal(a.Header(), b.Header()) {
		p.t.Errorf("%s is told apart: %d %s and %d %s", about, a.Code, a.Body, b.Code, b.Body)
	}
}
