package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
)

// onBothEngines runs a test over HTTP on the embedded store and on DynamoDB Local.
func onBothEngines(t *testing.T, test func(t *testing.T, h *testAPI)) {
	t.Parallel()
	t.Run("bolt", func(t *testing.T) {
		t.Parallel()
		test(t, newTestAPI(t))
	})
	t.Run("dynamo", func(t *testing.T) {
		t.Parallel()
		test(t, newTestAPI(t, onEngine(dynamotest.New(t))))
	})
}

// signIn creates a session from one member of the body.
func (h *testAPI) signIn(t *testing.T, member, text string) dossier.Session {
	t.Helper()
	s, _ := okWith[dossier.Session](t, h,
		call{method: "POST", target: "/sessions", key: "none",
			body: fmt.Sprintf(`{%q:%q}`, member, text)})
	return s
}

// status returns the status of a request with a credential.
func (h *testAPI) status(t *testing.T, method, target, key string) int {
	t.Helper()
	return h.do(t, call{method: method, target: target, key: key}).Code
}

func TestSession(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		s := h.signIn(t, "key", h.key)
		if s.Company.ID != h.company.ID || s.Company.Name != "One" ||
			s.Principal.ID != h.company.Key.ID ||
			s.Principal.Kind != dossier.KindAdministrator || len(s.Scopes) != len(dossier.Scopes) ||
			!s.ExpiresAt.Equal(dossier.NewTime(h.clock.now().Add(12*time.Hour))) {
			t.Errorf("made: %+v", s)
		}
		current, _ := okWith[dossier.Session](t, h,
			call{method: "GET", target: "/sessions/current", key: s.Token})
		if current.Token != "" || current.Principal != s.Principal ||
			!current.ExpiresAt.Equal(s.ExpiresAt) {
			t.Errorf("current: %+v", current)
		}
		other := h.signIn(t, "key", h.key)
		if got := h.status(t, "DELETE", "/sessions/current", s.Token); got != 200 {
			t.Errorf("sign out: %d", got)
		}
		if got := h.status(t, "GET", "/candidates", s.Token); got != 401 {
			t.Errorf("after signing out: %d", got)
		}
		if got := h.status(t, "GET", "/candidates", other.Token); got != 200 {
			t.Errorf("the other session: %d", got)
		}
		h.clock.forward(12*time.Hour - time.Second)
		if got := h.status(t, "GET", "/candidates", other.Token); got != 200 {
			t.Errorf("before its end: %d", got)
		}
		h.clock.forward(time.Second)
		if got := h.status(t, "GET", "/candidates", other.Token); got != 401 {
			t.Errorf("at its end: %d", got)
		}
	})
}

func TestSessionFollowsItsKey(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		key := ok[dossier.Key](t, h, "POST", "/keys", fmt.Sprintf(
			`{"name":"Ann","kind":"administrator","scopes":["candidates:read"],"expiresAt":%q}`,
			h.clock.now().UTC().Add(time.Hour).Format(time.RFC3339)))
		s := h.signIn(t, "key", key.Secret)
		if !s.ExpiresAt.Equal(key.ExpiresAt) {
			t.Errorf("it ends %v, the key %v", s.ExpiresAt, key.ExpiresAt)
		}
		if got := h.status(t, "GET", "/candidates", s.Token); got != 200 {
			t.Errorf("with the scope: %d", got)
		}
		ok[dossier.Key](t, h, "PATCH", "/keys/"+key.ID, `{"scopes":["settings:read"]}`)
		h.clock.forward(time.Minute)
		if got := h.status(t, "GET", "/candidates", s.Token); got != 403 {
			t.Errorf("without the scope, after a minute: %d", got)
		}
		if got := h.status(t, "GET", "/forms", s.Token); got != 200 {
			t.Errorf("with the new scope: %d", got)
		}
		ok[struct{}](t, h, "DELETE", "/keys/"+key.ID, "")
		h.clock.forward(time.Minute)
		if got := h.status(t, "GET", "/forms", s.Token); got != 401 {
			t.Errorf("after its key: %d", got)
		}
		h.refused(t, call{method: "POST", target: "/sessions", key: "none",
			body: `{"key":"` + key.Secret + `"}`}, dossier.CodeUnauthorized)
	})
}

func TestSignInLink(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		link := func() string {
			text, err := h.store.CreateSignInLink(t.Context(), h.company.ID, "")
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		first := link()
		if got := h.status(t, "GET", "/candidates", first); got != 401 {
			t.Errorf("a link as a credential: %d", got)
		}
		use := func(text string) int {
			return h.do(t, call{method: "POST", target: "/sessions", key: "none",
				body: `{"link":"` + text + `"}`}).Code
		}
		if got := use(first[:len(first)-4] + "aaaa"); got != 401 {
			t.Errorf("a wrong secret: %d", got)
		}
		s := h.signIn(t, "link", first)
		if s.Principal.ID != h.company.Key.ID {
			t.Errorf("signed in as %+v", s.Principal)
		}
		if got := use(first); got != 401 {
			t.Errorf("used twice: %d", got)
		}
		late := link()
		h.clock.forward(10 * time.Minute)
		if got := use(late); got != 401 {
			t.Errorf("too late: %d", got)
		}
		if got := h.status(t, "GET", "/candidates", s.Token); got != 200 {
			t.Errorf("the session: %d", got)
		}
	})
}

func TestSignInIsRefused(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	s := h.signIn(t, "key", h.key)
	candidate := h.candidate(t)
	token := h.token(t, candidate)
	for name, body := range map[string]string{
		"a session":        `{"key":"` + s.Token + `"}`,
		"a token":          `{"key":"` + token + `"}`,
		"a key as a link":  `{"link":"` + h.key + `"}`,
		"something else":   `{"key":"x"}`,
		"a key of nobody":  `{"key":"` + unknownKey + `"}`,
		"a wrong secret":   `{"key":"` + h.key[:len(h.key)-4] + `aaaa"}`,
		"a link of nobody": `{"link":"` + strings.Replace(unknownKey, "dsr", "dsl", 1) + `"}`,
	} {
		w := h.do(t, call{method: "POST", target: "/sessions", key: "none", body: body})
		if w.Code != 401 || problemOf(t, w).Detail != errBadSignIn.Detail {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	both := `{"key":"` + h.key + `","link":"x"}`
	h.refused(t, call{method: "POST", target: "/sessions", key: "none", body: both},
		dossier.CodeValidation, "/link notAllowed")
	h.refused(t, call{method: "POST", target: "/sessions", key: "none", body: `{}`},
		dossier.CodeValidation, "/key required")
	h.refused(t, call{method: "DELETE", target: "/sessions/current"}, dossier.CodeForbidden)
	current, _ := okWith[dossier.Session](t, h,
		call{method: "GET", target: "/sessions/current", key: token})
	if current.Principal != (dossier.Actor{Kind: dossier.KindCandidate, ID: candidate}) ||
		current.ExpiresAt.IsZero() {
		t.Errorf("a token: %+v", current)
	}
	if got := h.status(t, "DELETE", "/sessions/current", token); got != 200 {
		t.Errorf("ending a token: %d", got)
	}
	if got := h.status(t, "GET", "/candidates/"+candidate, token); got != 401 {
		t.Errorf("a token that was ended: %d", got)
	}
}

// One address may only try so often, with any credential; others are not affected.
func TestGuestsAreLimited(t *testing.T) {
	t.Parallel()
	row := route{method: "POST", path: "/x", public: true, guests: true, body: bodyNone,
		handle: func(*request) (any, error) { return nil, nil }}
	b := newTestAPI(t, withRoutes(Config{GuestRate: 1, GuestBurst: 3}, row))
	from := func(address string) int {
		r := newRequestFrom(t, address)
		return b.serveRaw(r).Code
	}
	for n, want := range []int{200, 200, 200, 429} {
		if got := from(fmt.Sprintf("[2001:db8::%d]:1", n)); got != want {
			t.Errorf("%d: %d, not %d", n, got, want)
		}
	}
	if got := from("192.0.2.7:1"); got != 200 {
		t.Errorf("another address: %d", got)
	}
	b.clock.forward(time.Second)
	if got := from("[2001:db8::9]:1"); got != 200 {
		t.Errorf("a second later: %d", got)
	}
}

func newRequestFrom(t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/x", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.RemoteAddr = address
	return r
}
