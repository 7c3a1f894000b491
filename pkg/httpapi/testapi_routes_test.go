package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// The credentials of the tests, all of company one but the last.
const (
	companyULID = "01JAAAAAAAAAAAAAAAAAAAAAAA"
	keyULID     = "01JKKKKKKKKKKKKKKKKKKKKKKK"
	readerULID  = "01JKRRRRRRRRRRRRRRRRRRRRRR"
	expiredULID = "01JKEEEEEEEEEEEEEEEEEEEEEE"
	tokenULID   = "01JTTTTTTTTTTTTTTTTTTTTTTT"
	candULID    = "01JCCCCCCCCCCCCCCCCCCCCCCC"
	otherULID   = "01JCDDDDDDDDDDDDDDDDDDDDDD"

	secretText = "s3cr3ts3cr3ts3cr3ts3cr3t"
	adminKey   = "dsr_" + companyULID + keyULID + "_" + secretText
	readerKey  = "dsr_" + companyULID + readerULID + "_" + secretText
	expiredKey = "dsr_" + companyULID + expiredULID + "_" + secretText
	unknownKey = "dsr_" + companyULID + otherULID + "_" + secretText
	wrongKey   = "dsr_" + companyULID + keyULID + "_" + "x" + secretText
	token      = "dst_" + companyULID + tokenULID + "_" + secretText
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fakeCredentials is credentials in a map; err is what storage says instead.
type fakeCredentials struct {
	mu    sync.Mutex
	byID  map[string]store.Credential
	err   error
	reads int
}

func newFakeCredentials() *fakeCredentials {
	company := "com_" + companyULID
	hash := sha256.Sum256([]byte(secretText))
	admin := dossier.Principal{Kind: dossier.KindAdministrator, ID: "key_" + keyULID, Name: "Ann", CompanyID: company, Scopes: dossier.Scopes}
	reader := dossier.Principal{Kind: dossier.KindIntegration, ID: "key_" + readerULID, CompanyID: company, Scopes: []string{dossier.ScopeSettingsRead}}
	candidate := dossier.Principal{Kind: dossier.KindCandidate, ID: "cnd_" + candULID, CompanyID: company, CandidateID: "cnd_" + candULID}
	return &fakeCredentials{byID: map[string]store.Credential{
		keyULID:              {Principal: admin, Hash: hash},
		readerULID:           {Principal: reader, Hash: hash},
		expiredULID:          {Principal: admin, Hash: hash, ExpiresAt: dossier.NewTime(start)},
		"token " + tokenULID: {Principal: candidate, Hash: hash, ExpiresAt: dossier.NewTime(start.Add(5 * time.Second))},
	}}
}

func (k *fakeCredentials) Credential(_ context.Context, companyID, id string, isToken, _ bool) (store.Credential, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reads++
	if k.err != nil {
		return store.Credential{}, k.err
	}
	if isToken {
		id = "token " + id
	}
	c, ok := k.byID[id]
	if !ok || companyID != "com_"+companyULID {
		return store.Credential{}, dossier.ErrNotFound
	}
	return c, nil
}

// Session finds nothing: sessions are tested on a store.
func (k *fakeCredentials) Session(context.Context, string, string, string, bool) (store.Credential, error) {
	return store.Credential{}, dossier.ErrNotFound
}

// fakeResponses is answers in a map.
type fakeResponses struct {
	mu   sync.Mutex
	kept map[store.Idempotency][]byte
}

func (s *fakeResponses) Replay(_ context.Context, i store.Idempotency) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, body := range s.kept {
		if k.Key == i.Key && k.PrincipalID == i.PrincipalID && k.CompanyID == i.CompanyID {
			if k.BodyHash != i.BodyHash {
				return nil, false, dossier.Errorf(dossier.CodeKeyReused, "This Idempotency-Key was used with another request.")
			}
			return body, true, nil
		}
	}
	return nil, false, nil
}

// bench is an API on a private table of routes.
type bench struct {
	*API
	credentials *fakeCredentials
	responses   *fakeResponses
	log         *bytes.Buffer
	now         time.Time
}

func newBench(t *testing.T, cfg Config, routes ...route) *bench {
	t.Helper()
	b := &bench{credentials: newFakeCredentials(), responses: &fakeResponses{kept: map[store.Idempotency][]byte{}}, log: &bytes.Buffer{}, now: start}
	cfg.Now = func() time.Time { return b.now }
	cfg.Keys = b.credentials
	cfg.Log = slog.New(slog.NewJSONHandler(b.log, nil))
	api, err := (&API{}).build(cfg, b.responses, routes)
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	b.API = api
	return b
}

// call is one request of a test.
type call struct {
	method, target, body string
	key                  string   // bearer; empty: adminKey, "none": no header
	header               []string // name, value, name, value …
}

func (b *bench) do(t *testing.T, c call) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	switch c.key {
	case "":
		r.Header.Set("Authorization", "Bearer "+adminKey)
	case "none":
	default:
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	for i := 0; i+1 < len(c.header); i += 2 {
		if c.header[i+1] == "" {
			r.Header.Del(c.header[i])
			continue
		}
		r.Header.Add(c.header[i], c.header[i+1])
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	checkResponse(t, c, w)
	return w
}

// serveRaw sends a request as it is, with the administrator's key.
func (b *bench) serveRaw(r *http.Request) *httptest.ResponseRecorder {
	r.Header.Set("Authorization", "Bearer "+adminKey)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

// checkAnswer holds every answer to what all answers have in common.
func checkResponse(t *testing.T, c call, w *httptest.ResponseRecorder) {
	t.Helper()
	h := w.Result().Header
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*"} {
		if got := h.Get(name); got != want {
			t.Errorf("%s %s: %s is %q", c.method, c.target, name, got)
		}
	}
	if h.Get("X-Request-Id") == "" {
		t.Errorf("%s %s: no X-Request-Id", c.method, c.target)
	}
	if w.Body.Len() > 0 && h.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s: Content-Type %q", c.method, c.target, h.Get("Content-Type"))
	}
	if w.Code == http.StatusOK || c.method == http.MethodHead {
		return
	}
	p := problemOf(t, w)
	for _, f := range p.Errors {
		first, _ := utf8.DecodeRuneInString(f.Message)
		sentence := unicode.IsUpper(first) || strings.HasPrefix(f.Message, "null") || first == '"'
		if !slices.Contains(dossier.ProblemCodes, f.Code) || !sentence || !strings.ContainsAny(f.Message[len(f.Message)-1:], ".?") {
			t.Errorf("%s %s: %q of %s is no code of the table, or its message no sentence: %q", c.method, c.target, f.Code, f.Pointer, f.Message)
		}
	}
	if p.Status != w.Code || p.Code == "" || p.Title == "" || p.Detail == "" || p.Type == "" || p.RequestID != h.Get("X-Request-Id") {
		t.Errorf("%s %s: problem %+v", c.method, c.target, p)
	}
}

func problemOf(t *testing.T, w *httptest.ResponseRecorder) problem {
	t.Helper()
	var p problem
	if err := json.Unmarshal(w.Body.Bytes(), &p, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("not a problem: %s: %v", w.Body, err)
	}
	return p
}

// pointers returns pointer and code of each field error, as "pointer code".
func pointers(list []dossier.FieldError) []string {
	all := []string{}
	for _, f := range list {
		all = append(all, f.Pointer+" "+string(f.Code))
		if !slices.Contains(dossier.ProblemCodes, f.Code) {
			panic("the code " + f.Code + " is not in the table")
		}
	}
	return all
}
