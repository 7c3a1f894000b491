package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// keyWith creates a key in the store, with any scopes.
func (h *testAPI) keyWith(t *testing.T, kind string, expires dossier.Time,
	scopes ...string) dossier.Key {
	t.Helper()
	k, err := h.store.CreateKey(t.Context(), h.company.ID, dossier.KeyInput{Kind: kind,
		KeyUpdate: dossier.KeyUpdate{Name: "Made by a test", Scopes: scopes, ExpiresAt: expires}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const allScopes = `["candidates:write","documents:write","messages:write","settings:write","keys"]`

func TestRevokedKeyEndsAtOnce(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	thief := h.keyWith(t, dossier.KindAdministrator, dossier.Time{}, dossier.Scopes...)
	// the cache holds it now
	okWith[[]dossier.Form](t, h, call{method: "GET", target: "/forms", key: thief.Secret})
	ok[struct{}](t, h, "DELETE", "/keys/"+thief.ID, "")
	h.refused(t, call{method: "POST", target: "/keys", key: thief.Secret,
		body: `{"name":"Successor","kind":"administrator","scopes":` + allScopes + `}`},
		dossier.CodeUnauthorized)
	h.refused(t, call{method: "GET", target: "/forms", key: thief.Secret}, dossier.CodeUnauthorized)

	weakened := h.keyWith(t, dossier.KindAdministrator, dossier.Time{}, dossier.Scopes...)
	okWith[[]dossier.Form](t, h, call{method: "GET", target: "/forms", key: weakened.Secret})
	ok[dossier.Key](t, h, "PATCH", "/keys/"+weakened.ID, `{"scopes":["messages:read"]}`)
	h.refused(t, call{method: "POST", target: "/keys", key: weakened.Secret,
		body: `{"name":"Successor","kind":"integration","scopes":["messages:read"]}`},
		dossier.CodeForbidden)
	h.refused(t, call{method: "GET", target: "/forms", key: weakened.Secret}, dossier.CodeForbidden)
}

// Another process trusts a cached key for ten seconds at most, and not at all where it creates
// credentials.
func TestRevokedKeyEndsElsewhere(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	k := h.keyWith(t, dossier.KindAdministrator, dossier.Time{}, dossier.Scopes...)
	okWith[[]dossier.Form](t, h, call{method: "GET", target: "/forms", key: k.Secret})
	anyKey := func(dossier.Key) error { return nil }
	if err := h.store.DeleteKey(t.Context(), h.company.ID, k.ID, anyKey); err != nil {
		t.Fatal(err)
	}
	h.refused(t, call{method: "POST", target: "/companies", key: k.Secret, body: `{"name":"Mine"}`},
		dossier.CodeUnauthorized)
	h.refused(t, call{method: "POST", target: "/integrations/int_x/secret/rotate", key: k.Secret},
		dossier.CodeUnauthorized)
	h.refused(t, call{method: "POST", target: "/candidates/cnd_x/tokens", key: k.Secret},
		dossier.CodeUnauthorized)
	h.clock.forward(credentialTTL)
	h.refused(t, call{method: "GET", target: "/forms", key: k.Secret}, dossier.CodeUnauthorized)
	if credentialTTL > 10*time.Second {
		t.Errorf("a key is believed for %v", credentialTTL)
	}
}

func TestKeysDoNotRise(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	soon := dossier.NewTime(h.clock.now().Add(time.Hour))
	later := dossier.NewTime(h.clock.now().Add(2 * time.Hour)).String()
	machine := h.keyWith(t, dossier.KindIntegration, dossier.Time{}, dossier.ScopeKeys,
		dossier.ScopeDocumentsWrite)
	clerk := h.keyWith(t, dossier.KindAdministrator, dossier.Time{}, dossier.ScopeKeys)
	temporary := h.keyWith(t, dossier.KindAdministrator, soon, dossier.Scopes...)
	strong := h.company.Key.ID
	for _, c := range []struct {
		name string
		call call
		code dossier.Code
		at   []string
	}{
		{"an integration makes an administrator",
			call{method: "POST", target: "/keys", key: machine.Secret,
				body: `{"name":"Up","kind":"administrator","scopes":["keys"]}`},
			dossier.CodeValidation,
			[]string{"/kind notAllowed"}},
		{"scopes that the giver lacks", call{method: "POST", target: "/keys", key: clerk.Secret,
			body: `{"name":"Up","kind":"integration","scopes":["settings:write"]}`},
			dossier.CodeValidation, []string{"/scopes/0 notAllowed"}},
		{"a key without an end by one that ends",
			call{method: "POST", target: "/keys", key: temporary.Secret,
				body: `{"name":"For ever","kind":"integration","scopes":["keys"]}`},
			dossier.CodeValidation, []string{"/expiresAt notAllowed"}},
		{"a later end", call{method: "POST", target: "/keys", key: temporary.Secret,
			body: `{"name":"Longer","kind":"integration","scopes":["keys"],"expiresAt":"` + later +
				`"}`}, dossier.CodeValidation, []string{"/expiresAt notAllowed"}},
		{"its own end taken away", call{method: "PATCH", target: "/keys/" + temporary.ID,
			key:  temporary.Secret,
			body: `{"expiresAt":null}`}, dossier.CodeValidation, []string{"/expiresAt notAllowed"}},
		{"a stronger key deleted", call{method: "DELETE", target: "/keys/" + strong,
			key: clerk.Secret}, dossier.CodeForbidden, nil},
		{"a stronger key renamed", call{method: "PATCH", target: "/keys/" + strong,
			key: clerk.Secret, body: `{"name":"x"}`}, dossier.CodeForbidden, nil},
		{"an administrator's key deleted by a machine",
			call{method: "DELETE", target: "/keys/" + clerk.ID, key: machine.Secret},
			dossier.CodeForbidden, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.refused(t, c.call, c.code, c.at...)
		})
	}
}

// What a key has it may give: an end as early as its own, and its scopes and end to the first key
// of a company.
func TestKeysGiveWhatTheyHave(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	soon := dossier.NewTime(h.clock.now().Add(time.Hour))
	clerk := h.keyWith(t, dossier.KindAdministrator, dossier.Time{}, dossier.ScopeKeys)
	temporary := h.keyWith(t, dossier.KindAdministrator, soon, dossier.Scopes...)
	strong := h.company.Key.ID
	okWith[dossier.Key](t, h, call{method: "POST", target: "/keys", key: temporary.Secret,
		body: `{"name":"As long","kind":"administrator","scopes":["keys"],"expiresAt":"` +
			soon.String() + `"}`})
	okWith[dossier.Key](t, h, call{method: "PATCH", target: "/keys/" + strong,
		key: temporary.Secret, body: `{"name":"Renamed"}`})

	made, _ := okWith[dossier.Company](t, h,
		call{method: "POST", target: "/companies", key: clerk.Secret, body: `{"name":"Branch"}`})
	if strings.Join(made.Key.Scopes, " ") != dossier.ScopeKeys {
		t.Errorf("the first key of a company has %v, its giver %v", made.Key.Scopes, clerk.Scopes)
	}
	made, _ = okWith[dossier.Company](t, h,
		call{method: "POST", target: "/companies", key: temporary.Secret,
			body: `{"name":"Branch"}`})
	if !made.Key.ExpiresAt.Equal(soon) {
		t.Errorf("the first key of a company ends at %v, its giver at %v", made.Key.ExpiresAt, soon)
	}
}

func TestCompaniesOfAGroupAreBounded(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.unchecked = true
	for n := range dossier.MaxCompanies - 1 {
		ok[dossier.Company](t, h, "POST", "/companies", fmt.Sprintf(`{"name":"%d"}`, n))
	}
	h.refused(t, call{method: "POST", target: "/companies", body: `{"name":"One more"}`},
		dossier.CodeLimitReached)
}

// staff is an OIDC issuer of an administrator of one company.
type staff struct{ company string }

func (s staff) Verify(context.Context, string) (dossier.Principal, error) {
	return dossier.Principal{Kind: dossier.KindAdministrator, ID: "sub_1", CompanyID: s.company,
		Scopes: dossier.Scopes}, nil
}

func TestKeysOfAJWTEnd(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.API.caller.oidc = staff{h.company.ID}
	key := func(expires string) call {
		return call{method: "POST", target: "/keys", key: "a.b.c",
			body: `{"name":"Mine","kind":"administrator","scopes":["keys"]` + expires + `}`}
	}
	end := func(d time.Duration) string {
		return `,"expiresAt":"` + dossier.NewTime(h.clock.now().Add(d)).String() + `"`
	}
	h.refused(t, key(""), dossier.CodeValidation, "/expiresAt notAllowed")
	h.refused(t, key(end(91*24*time.Hour)), dossier.CodeValidation, "/expiresAt notAllowed")
	okWith[dossier.Key](t, h, key(end(89*24*time.Hour)))
}

// Sending data somewhere requires the scope to read them.
func TestDataLeaveWithTheirScopes(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	settings := h.keyWith(t, dossier.KindIntegration, dossier.Time{},
		dossier.ScopeSettingsWrite).Secret
	const full = `{"name":"Leak","triggerEvent":"candidateCreated","payload":"full","target":{"type":"webhook","url":"https://thief.example.com/"}}`
	h.refused(t, call{method: "POST", target: "/integrations", key: settings, body: full},
		dossier.CodeForbidden)
	thin, _ := okWith[dossier.Integration](t, h,
		call{method: "POST", target: "/integrations", key: settings,
			body: strings.Replace(full, "full", "thin", 1)})
	h.refused(t, call{method: "PATCH", target: "/integrations/" + thin.ID, key: settings,
		body: `{"payload":"full"}`}, dossier.CodeForbidden)
	own := ok[dossier.Integration](t, h, "POST", "/integrations", full)
	h.refused(t, call{method: "PATCH", target: "/integrations/" + own.ID, key: settings,
		body: `{"target":{"url":"https://other.example.com/"}}`}, dossier.CodeForbidden)
	okWith[dossier.Integration](t, h,
		call{method: "PATCH", target: "/integrations/" + own.ID, key: settings,
			body: `{"name":"Renamed"}`})

	const parser = `{"name":"Card","check":{"parser":"http","http":{"url":"https://thief.example.com/"}}}`
	h.refused(t, call{method: "POST", target: "/documentTypes", key: settings, body: parser},
		dossier.CodeForbidden)
	dt := ok[dossier.DocumentType](t, h, "POST", "/documentTypes", parser)
	h.refused(t, call{method: "PATCH", target: "/documentTypes/" + dt.ID, key: settings,
		body: `{"check":{"http":{"url":"https://other.example.com/"}}}`}, dossier.CodeForbidden)
	okWith[dossier.DocumentType](t, h,
		call{method: "PATCH", target: "/documentTypes/" + dt.ID, key: settings,
			body: `{"name":"Renamed"}`})
}

func TestTokensNeedTheirScopes(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	at := "/candidates/" + h.candidate(t) + "/tokens"
	few := h.keyWith(t, dossier.KindIntegration, dossier.Time{},
		dossier.ScopeCandidatesWrite).Secret
	h.refused(t, call{method: "POST", target: at, key: few}, dossier.CodeForbidden)
	enough := h.keyWith(t, dossier.KindIntegration, dossier.Time{}, tokenScopes...).Secret
	okWith[store.Token](t, h, call{method: "POST", target: at, key: enough})
}

func TestRateOfACompany(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{Rate: 5, Burst: 10, CompanyRate: 5, CompanyBurst: 15},
		settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	taken := 0
	for _, key := range []string{adminKey, readerKey, adminKey, readerKey} {
		for range 10 {
			if b.do(t, call{method: "GET", target: "/x", key: key}).Code == http.StatusOK {
				taken++
			}
		}
	}
	if taken != 15 {
		t.Errorf("%d requests of one company at once", taken)
	}
}

// An address that guesses keys is limited before any look-up; a key in use keeps working.
func TestGuessingIsBounded(t *testing.T) {
	t.Parallel()
	b := newTestAPI(t, withRoutes(Config{FailureRate: 1, FailureBurst: 20},
		settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	get := func(key string) int {
		return b.do(t, call{method: "GET", target: "/x", key: key}).Code
	}
	guess := func() (refused, read int) {
		before := b.credentials.reads
		for n := range 200 {
			if get("dsr_"+companyULID+otherULID+"_"+fmt.Sprintf("forged-forged-forged-%03d",
				n)) == http.StatusTooManyRequests {
				refused++
			}
		}
		return refused, b.credentials.reads - before
	}
	get(adminKey)
	if refused, read := guess(); refused != 180 || read != 20 {
		t.Errorf("of 200 forged keys %d were refused, %d looked up", refused, read)
	}
	if got := get(adminKey); got != http.StatusOK {
		t.Errorf("a key in use: %d", got)
	}
	b.clock.forward(credentialTTL + time.Second)
	if refused, _ := guess(); refused == 0 || get(adminKey) != http.StatusOK {
		t.Errorf("a key in use that has to be looked up again is refused, after %d", refused)
	}
	if got := get(readerKey); got != http.StatusTooManyRequests {
		t.Errorf("a key that was not used before: %d", got)
	}
	b.clock.forward(2 * time.Second)
	if got := get(readerKey); got != http.StatusOK {
		t.Errorf("a moment later: %d", got)
	}
}

// The refusal of a body that is too large arrives while the client still sends it.
func TestTooLargeIsSeenByTheClient(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	server := httptest.NewServer(h.API)
	defer server.Close()
	for _, size := range []int{8 << 20, 20 << 20} {
		body := strings.NewReader(strings.Repeat(" ", size))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			server.URL+"/candidateDocumentTypes/cdt_x/upload", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+h.key)
		r.Header.Set("Content-Type", "application/json")
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		answer, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge ||
			!strings.Contains(string(answer), "Announce large files") {
			t.Errorf("%d bytes: %d %s %v", size, resp.StatusCode, answer, err)
		}
	}
}
