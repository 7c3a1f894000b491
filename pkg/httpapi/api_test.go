package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

func TestPathsAndMethods(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{Rate: 1e6, Burst: 1e6},
		settingsRow("GET", "/integrations/{id}", dossier.ScopeSettingsRead),
		settingsRow("PATCH", "/integrations/{id}", dossier.ScopeSettingsWrite),
		settingsRow("GET", "/integrations/logs", dossier.ScopeSettingsRead),
		settingsRow("POST", "/integrations/{id}/enable", dossier.ScopeSettingsWrite)))
	for _, c := range []struct {
		method, target string
		want           int
		allow          string
	}{
		{"GET", "/integrations/int_1", 200, ""},
		{"GET", "/integrations/logs", 200, ""},
		{"HEAD", "/integrations/int_1", 200, ""},
		{"OPTIONS", "/integrations/int_1", 200, "GET, HEAD, OPTIONS, PATCH"},
		{"DELETE", "/integrations/int_1", 405, "GET, HEAD, OPTIONS, PATCH"},
		{"GET", "/integrations/int_1/enable", 405, "OPTIONS, POST"},
		{"PUT", "/integrations/logs", 405, "GET, HEAD, OPTIONS"},
		{"BREW", "/integrations/logs", 405, "GET, HEAD, OPTIONS"},
		{"GET", "/integrations/int_1/", 404, ""},
		{"GET", "/integrations/", 404, ""},
		{"GET", "/integrations", 404, ""},
		{"GET", "/", 404, ""},
		{"GET", "//integrations/int_1", 404, ""},
		{"GET", "/integrations/../integrations/int_1", 404, ""},
		{"GET", "/integrations/%2e%2e/int_1", 404, ""},
		{"GET", "/integrations/a%2Fb", 200, ""},
		{"GET", "/integrations/a%2F%2Fb", 404, ""},
		{"GET", "/integrations/%00", 404, ""},
		{"GET", "/integrations/%ff", 404, ""},
		{"GET", "/integrations/" + strings.Repeat("x", 200), 200, ""},
		{"GET", "/integrations/" + strings.Repeat("x", 201), 404, ""},
		{"OPTIONS", "/nothing", 404, ""},
		{"GET", "/Integrations/logs", 404, ""},
	} {
		w := b.do(t, call{method: c.method, target: c.target})
		if w.Code != c.want || w.Result().Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, Allow %q: %s", c.method, c.target, w.Code,
				w.Result().Header.Get("Allow"), w.Body)
		}
	}
}

func TestStarAndConnect(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{}, settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	star := httptest.NewRequest("OPTIONS", "*", nil)
	connect := httptest.NewRequest("CONNECT", "/x", nil)
	for _, r := range []*http.Request{star, connect} {
		if w := b.serveRaw(r); w.Code != 404 {
			t.Errorf("%s %s: %d", r.Method, r.RequestURI, w.Code)
		}
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{}, settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	get, head := b.do(t, call{method: "GET", target: "/x"}),
		b.do(t, call{method: "HEAD", target: "/x"})
	if head.Body.Len() != 0 || head.Result().Header.Get("Content-Length") !=
		fmt.Sprint(get.Body.Len()) {
		t.Errorf("HEAD: %d bytes, Content-Length %s", head.Body.Len(),
			head.Result().Header.Get("Content-Length"))
	}
	if w := b.do(t, call{method: "HEAD", target: "/x", key: "none"}); w.Code != 401 ||
		w.Body.Len() != 0 {
		t.Errorf("HEAD without a key: %d, %d bytes", w.Code, w.Body.Len())
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{}, settingsRow("POST", "/x", dossier.ScopeSettingsWrite)))
	w := b.do(t, call{method: "OPTIONS", target: "/x", key: "none",
		header: []string{"Origin", "https://example.com", "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "authorization"}})
	h := w.Result().Header
	for name, want := range map[string]string{"Access-Control-Allow-Methods": "OPTIONS, POST",
		"Access-Control-Allow-Headers": corsHeaders,
		"Access-Control-Max-Age":       "7200", "Access-Control-Expose-Headers": corsExposed,
		"Access-Control-Allow-Credentials": ""} {
		if h.Get(name) != want {
			t.Errorf("%s: %q", name, h.Get(name))
		}
	}
	if w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{}, settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	for id, taken := range map[string]bool{"a.B-c_9": true, "JKJaXmPLvHcESHA=": true,
		strings.Repeat("x", 128): true, strings.Repeat("x", 129): false, "a b": false, "é": false,
		"": false, "a\"b": false} {
		b.log.Reset()
		w := b.do(t, call{method: "GET", target: "/x", header: []string{"X-Request-Id", id}})
		got := w.Result().Header.Get("X-Request-Id")
		if (got == id) != taken || !taken && len(got) != 26 {
			t.Errorf("%q became %q", id, got)
		}
		if !strings.Contains(b.log.String(), `"requestId":"`+got+`"`) {
			t.Errorf("the log line is without it: %s", b.log)
		}
	}
}

func TestLogLine(t *testing.T) {
	t.Parallel()
	row := settingsRow("GET", "/candidates/{id}", dossier.ScopeSettingsRead)
	row.filters = []string{"externalId"}
	b := newTestAPI(t, withRoutes(Config{}, row))
	b.do(t, call{method: "GET", target: "/candidates/canary1?filter[externalId]=canary2",
		header: []string{"X-Request-Id", "r1"}})
	b.do(t, call{method: "GET", target: "/candidates/canary1?canary3=4",
		header: []string{"X-Request-Id", "r1"}})
	lines := strings.Split(strings.TrimSpace(b.log.String()), "\n")
	if len(lines) != 2 || strings.Contains(b.log.String(), "canary") ||
		strings.Contains(b.log.String(), secretText) {
		t.Fatalf("log: %s", b.log)
	}
	for i, want := range []map[string]any{
		{"msg": "request", "level": "INFO", "requestId": "r1", "method": "GET",
			"route": "/candidates/{id}", "status": 200.0, "durationMs": 0.0,
			"companyId": "com_" + companyULID, "principalKind": "administrator",
			"principalId": "key_" + keyULID},
		{"status": 422.0, "code": "VALIDATION_FAILED", "level": "INFO"},
	} {
		var got map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		for name, v := range want {
			if got[name] != v {
				t.Errorf("line %d: %s is %v, not %v", i, name, got[name], v)
			}
		}
	}
}

// A JWT's subject may be an email address, so the log shows another id.
func TestLogOfASubject(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{OIDC: subject{}},
		settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	w := b.do(t, call{method: "GET", target: "/x", key: "a.b.c"})
	if w.Code != 200 || strings.Contains(b.log.String(), "ann@example.com") ||
		!strings.Contains(b.log.String(), `"principalId":"sub_1"`) {
		t.Errorf("%d, log: %s", w.Code, b.log)
	}
}

// subject accepts every JWT.
type subject struct{}

func (subject) Verify(context.Context, string) (dossier.Principal, error) {
	return dossier.Principal{Kind: dossier.KindAdministrator, ID: "ann@example.com", LogID: "sub_1",
		CompanyID: "com_1", Scopes: dossier.Scopes}, nil
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	row := settingsRow("PATCH", "/x", dossier.ScopeSettingsWrite)
	row.handle = func(r *request) (any, error) {
		want, ok, err := r.ifMatch()
		if err != nil {
			return nil, err
		}
		if ok && want != 7 {
			return nil, dossier.Errorf(dossier.CodePrecondition, "It was changed meanwhile.")
		}
		return entityResult{value: map[string]int{"n": 1}, rev: 8}, nil
	}
	b := newTestAPI(t, withRoutes(Config{Rate: 1e6, Burst: 1e6}, row))
	for header, want := range map[string]int{"": 200, "*": 200, `"7"`: 200, `"6"`: 412, `"8"`: 412,
		`W/"7"`: 412, `"07"`: 412, `"x"`: 412, `"-7"`: 412,
		`""`: 412, `"99999999999999999999"`: 412, `7`: 422, `"7", "8"`: 422, `"7`: 422} {
		w := b.do(t, call{method: "PATCH", target: "/x", body: "{}",
			header: []string{"If-Match", header}})
		if w.Code != want || w.Code == 200 && w.Result().Header.Get("ETag") != `"8"` {
			t.Errorf("If-Match %s: %d, ETag %q", header, w.Code, w.Result().Header.Get("ETag"))
		}
	}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	calls := 0
	row := settingsRow("POST", "/x", dossier.ScopeSettingsWrite)
	row.body = bodyNeeded
	var raced bool
	b := newTestAPI(t, withRoutes(Config{Rate: 1e6, Burst: 1e6}, row))
	b.paths[0].routes[0].handle = func(r *request) (any, error) {
		if raced {
			return nil, fmt.Errorf("commit: %w",
				&store.Replayed{Response: []byte(`{"n":"of the other"}`)})
		}
		calls++
		answer := fmt.Sprintf(`{"n":%d}`, calls)
		if key := r.Header.Get("Idempotency-Key"); key != "" {
			i := store.Idempotency{CompanyID: r.principal.CompanyID, PrincipalID: r.principal.ID,
				Key: key, BodyHash: requestHash(r)}
			b.responses.kept[i] = []byte(answer)
		}
		return map[string]int{"n": calls}, nil
	}
	post := func(key, body string) (int, string) {
		w := b.do(t, call{method: "POST", target: "/x", body: body,
			header: []string{"Idempotency-Key", key}})
		return w.Code, w.Body.String()
	}
	for i, c := range []struct {
		key, body string
		status    int
		answer    string
	}{
		{"k", `{"a":1}`, 200, `{"n":1}`},
		{"k", `{"a":1}`, 200, `{"n":1}`},
		{"k", `{"a":2}`, 422, "IDEMPOTENCY_KEY_REUSED"},
		{"l", `{"a":1}`, 200, `{"n":2}`},
		{"", `{"a":1}`, 200, `{"n":3}`},
		{strings.Repeat("k", 255), `{}`, 200, `{"n":4}`},
		{strings.Repeat("k", 256), `{}`, 422, "#header/Idempotency-Key"},
		{"a\tb", `{}`, 422, "#header/Idempotency-Key"},
		{"é", `{}`, 422, "#header/Idempotency-Key"},
	} {
		if status, body := post(c.key, c.body); status != c.status ||
			!strings.Contains(body, c.answer) {
			t.Errorf("%d: %d %s", i, status, body)
		}
	}
	raced = true
	if status, body := post("m", `{}`); status != 200 || body != `{"n":"of the other"}` {
		t.Errorf("done meanwhile: %d %s", status, body)
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	row := settingsRow("GET", "/x", dossier.ScopeSettingsRead)
	var result any
	row.handle = func(*request) (any, error) { return result, nil }
	b := newTestAPI(t, withRoutes(Config{Rate: 1e6, Burst: 1e6}, row))
	for _, c := range []struct {
		result any
		status int
		body   string
	}{
		{nil, 200, `{}`},
		{dossier.Preset{ID: "p", Set: map[string]any{"b": "<&>", "a": 1.5}}, 200,
			`{"id":"p","name":"","set":{"a":1.5,"b":"<&>"},"documentTypes":[],"formIds":[],` +
				`"createdAt":"0001-01-01T00:00:00.000Z","updatedAt":"0001-01-01T00:00:00.000Z"}`},
		{[]int(nil), 200, `[]`},
		{map[string]any{"f": func() {}}, 500, ``},
		{"\xff", 500, ``},
	} {
		result = c.result
		w := b.do(t, call{method: "GET", target: "/x"})
		if w.Code != c.status || c.body != "" && w.Body.String() != c.body {
			t.Errorf("%v: %d %s", c.result, w.Code, w.Body)
		}
	}
}
