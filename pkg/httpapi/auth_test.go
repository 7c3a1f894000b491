package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// settingsRow returns a route that responds with its caller.
func settingsRow(method, path, scope string) route {
	return route{method: method, path: path, scope: scope, body: bodyNone,
		handle: func(r *request) (any, error) {
			return map[string]string{"kind": r.principal.Kind, "id": r.principal.ID}, nil
		}}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		header []string
		want   int
	}{
		{"OK", []string{"Bearer " + adminKey}, 200},
		{"OK scheme in any case", []string{"bearer " + adminKey}, 200},
		{"ErrNone", nil, 401},
		{"ErrTwo", []string{"Bearer " + adminKey, "Bearer " + adminKey}, 401},
		{"ErrBasic", []string{"Basic " + adminKey}, 401},
		{"ErrNoScheme", []string{adminKey}, 401},
		{"ErrUnknown", []string{"Bearer " + unknownKey}, 401},
		{"ErrWrongSecret", []string{"Bearer " + wrongKey}, 401},
		{"ErrExpired", []string{"Bearer " + expiredKey}, 401},
		{"ErrTokenAsKey", []string{"Bearer " + strings.Replace(token, "dst_", "dsr_", 1)}, 401},
		{"ErrKeyAsToken", []string{"Bearer " + strings.Replace(adminKey, "dsr_", "dst_", 1)}, 401},
		{"ErrOtherCompany", []string{"Bearer dsr_" + otherULID + keyULID + "_" + secretText}, 401},
		{"ErrLowerCase", []string{"Bearer dsr_" + strings.ToLower(companyULID) + keyULID + "_" +
			secretText}, 401},
		{"ErrShort", []string{"Bearer dsr_" + companyULID + "_" + secretText}, 401},
		{"ErrNoULID", []string{"Bearer dsr_" + "8" + companyULID[1:] + keyULID + "_" + secretText},
			401},
		{"ErrTrailing", []string{"Bearer " + adminKey + " "}, 401},
		{"ErrHuge", []string{"Bearer dsr_" + strings.Repeat("0", 100_000)}, 401},
		{"ErrJWT without issuer", []string{"Bearer a.b.c"}, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newTestAPI(t, withRoutes(Config{},
				settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
			h := []string{"X-Request-Id", "same"}
			for _, v := range c.header {
				h = append(h, "Authorization", v)
			}
			w := b.do(t, call{method: "GET", target: "/x", key: "none", header: h})
			if w.Code != c.want {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if w.Code == 401 {
				bare := b.do(t, call{method: "GET", target: "/x", key: "none",
					header: []string{"X-Request-Id", "same"}})
				if bare.Body.String() != w.Body.String() ||
					w.Result().Header.Get("WWW-Authenticate") != "Bearer" {
					t.Errorf("not the one 401: %s", w.Body)
				}
			}
		})
	}
}

func TestCredentialsAreCachedForTenSeconds(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{}, settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	get := func(key string) int { return b.do(t, call{method: "GET", target: "/x", key: key}).Code }
	for i, c := range []struct {
		key          string
		status, read int
	}{{adminKey, 200, 1}, {adminKey, 200, 1}, {wrongKey, 401, 2}, {wrongKey, 401, 3}} {
		if got := get(c.key); got != c.status || b.credentials.reads != c.read {
			t.Errorf("%d: %d, %d reads", i, got, b.credentials.reads)
		}
	}
	delete(b.credentials.byID, keyULID)
	b.clock.set(start.Add(9 * time.Second))
	if got := get(adminKey); got != 200 || b.credentials.reads != 3 {
		t.Errorf("within ten seconds: %d, %d reads", got, b.credentials.reads)
	}
	b.clock.set(start.Add(11 * time.Second))
	if got := get(adminKey); got != 401 {
		t.Errorf("revoked, after ten seconds: %d", got)
	}
}

func TestExpiryIsHonouredInTheCache(t *testing.T) {
	t.Parallel()
	row := settingsRow("GET", "/candidates/{id}", dossier.ScopeCandidatesRead)
	row.tokens = "id"
	b := newTestAPI(t, withRoutes(Config{}, row))
	mine := call{method: "GET", target: "/candidates/cnd_" + candULID, key: token}
	if w := b.do(t, mine); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	b.clock.set(start.Add(5 * time.Second))
	if w := b.do(t, mine); w.Code != 401 {
		t.Errorf("expired: %d %s", w.Code, w.Body)
	}
}

func TestAuthenticationWhileStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{}, settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	b.credentials.err = fmt.Errorf("get: %w", kv.ErrUnavailable)
	w := b.do(t, call{method: "GET", target: "/x"})
	if w.Code != 503 || w.Result().Header.Get("Retry-After") != "1" {
		t.Errorf("%d, Retry-After %q", w.Code, w.Result().Header.Get("Retry-After"))
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{}, settingsRow("GET", "/read", dossier.ScopeSettingsRead),
		settingsRow("POST", "/write", dossier.ScopeSettingsWrite),
		settingsRow("GET", "/keys", dossier.ScopeKeys),
		route{method: "GET", path: "/open", public: true, handle: (&API{}).health}))
	for _, c := range []struct {
		method, target, key string
		want                int
		names               string
	}{
		{"GET", "/read", readerKey, 200, ""},
		{"GET", "/read", adminKey, 200, ""},
		{"POST", "/write", readerKey, 403, dossier.ScopeSettingsWrite},
		{"GET", "/keys", readerKey, 403, dossier.ScopeKeys},
		{"GET", "/read", token, 403, dossier.ScopeSettingsRead},
		{"GET", "/open", "none", 200, ""},
		{"GET", "/open", unknownKey, 200, ""},
	} {
		w := b.do(t, call{method: c.method, target: c.target, key: c.key})
		if w.Code != c.want || !strings.Contains(w.Body.String(), c.names) {
			t.Errorf("%s %s: %d %s", c.method, c.target, w.Code, w.Body)
		}
	}
	writer := b.credentials.byID[readerULID]
	writer.Principal.Scopes = []string{dossier.ScopeSettingsWrite}
	b.credentials.byID[otherULID] = writer
	if w := b.do(t, call{method: "GET", target: "/read", key: unknownKey}); w.Code != 200 {
		t.Errorf("write does not include read: %d", w.Code)
	}
}

func TestCandidateTokens(t *testing.T) {
	t.Parallel()
	candidate := settingsRow("GET", "/candidates/{id}", dossier.ScopeCandidatesRead)
	candidate.tokens = "id"
	upload := settingsRow("POST", "/candidateDocumentTypes/{id}/upload",
		dossier.ScopeDocumentsWrite)
	upload.tokens = "id"
	list := settingsRow("GET", "/candidateDocumentTypes", dossier.ScopeDocumentsRead)
	list.tokens, list.filters, list.paging = "?candidateId", []string{"candidateId"}, paged
	b := newTestAPI(t, withRoutes(Config{}, candidate, upload, list))
	for _, c := range []struct {
		method, target string
		want           int
	}{
		{"GET", "/candidates/cnd_" + candULID, 200},
		{"GET", "/candidates/cnd_" + otherULID, 404},
		{"GET", "/candidates/" + candULID, 404},
		{"GET", "/candidates/cnd_", 404},
		{"POST", "/candidateDocumentTypes/cdt_" + candULID + otherULID + "/upload", 200},
		{"POST", "/candidateDocumentTypes/cdt_" + otherULID + candULID + "/upload", 404},
		{"GET", "/candidateDocumentTypes?filter[candidateId]=cnd_" + candULID, 200},
		{"GET", "/candidateDocumentTypes?filter[candidateId]=cnd_" + otherULID, 403},
		{"GET", "/candidateDocumentTypes", 403},
	} {
		if w := b.do(t, call{method: c.method, target: c.target, key: token}); w.Code != c.want {
			t.Errorf("%s %s: %d %s", c.method, c.target, w.Code, w.Body)
		}
	}
}

// issuer verifies a single JWT.
type issuer struct{ err error }

func (i issuer) Verify(_ context.Context, raw string) (dossier.Principal, error) {
	if i.err != nil || raw != "good.jwt.here" {
		return dossier.Principal{}, errors.Join(i.err,
			dossier.Errorf(dossier.CodeUnauthorized, "why"))
	}
	return dossier.Principal{Kind: dossier.KindAdministrator, ID: "sub",
		CompanyID: "com_" + companyULID, Scopes: dossier.Scopes}, nil
}

func TestJWT(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{OIDC: issuer{}},
		settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	for key, want := range map[string]int{"good.jwt.here": 200, "bad.jwt.here": 401, "x.y": 401,
		"dsr_a.b.c": 401} {
		w := b.do(t, call{method: "GET", target: "/x", key: key})
		if w.Code != want || strings.Contains(w.Body.String(), "why") {
			t.Errorf("%s: %d %s", key, w.Code, w.Body)
		}
	}
	if b.credentials.reads != 0 {
		t.Errorf("a JWT read %d keys", b.credentials.reads)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{Rate: 0.5, Burst: 2},
		settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	get := func(key string) (int, string) {
		w := b.do(t, call{method: "GET", target: "/x", key: key})
		return w.Code, w.Result().Header.Get("Retry-After")
	}
	for i, want := range []int{200, 200, 429, 429} {
		code, wait := get(adminKey)
		if code != want || (code == 429) != (wait == "2") {
			t.Errorf("request %d: %d, Retry-After %q", i, code, wait)
		}
	}
	if code, _ := get(readerKey); code != 200 {
		t.Errorf("another key is limited too: %d", code)
	}
	b.clock.set(start.Add(2 * time.Second))
	if code, _ := get(adminKey); code != 200 {
		t.Errorf("after the wait: %d", code)
	}
}

func TestCandidateTokenHasNoScopeOfItsOwn(t *testing.T) {
	t.Parallel()
	row := settingsRow("GET", "/candidates/{id}", dossier.ScopeCandidatesRead)
	b := newTestAPI(t, withRoutes(Config{}, row))
	if w := b.do(t, call{method: http.MethodGet, target: "/candidates/cnd_" + candULID,
		key: token}); w.Code != 403 {
		t.Errorf("a route that is not for tokens: %d", w.Code)
	}
}
