package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

const providerBody = `{"name":"Example","issuer":"https://login.example.com","clientId":"dossier",
	"clientSecret":"a secret of theirs","domains":["example.com"],"scopes":["documents:write"],
	"groups":[{"name":"admins","scopes":["keys"]}]}`

// The client secret is in no answer, and is kept by a change that does not name it.
func TestClientSecret(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	one := "/signInProviders/" + d.make("/signInProviders", providerBody)
	shows := func(a textResponse, set bool) {
		if strings.Contains(a.text, "secret of") || strings.Contains(a.text, "another") ||
			a.at("clientSecretSet") != set {
			t.Errorf("want clientSecretSet %v: %s", set, a.text)
		}
	}
	shows(d.ok("GET", one, ""), true)
	shows(d.ok("PATCH", one, `{"name":"Other"}`), true)
	shows(d.ok("PATCH", one, `{"clientSecret":null}`), false)
	shows(d.ok("PATCH", one, `{"clientSecret":"another secret"}`), true)
	shows(d.ok("GET", one, ""), true)
	for _, change := range []string{`{"issuer":"https://attacker.example.com"}`,
		`{"clientId":"attacker"}`} {
		got := d.refuse("PATCH", one, change, http.StatusUnprocessableEntity,
			dossier.CodeValidation)
		if !slices.Equal(got, []string{"/clientSecret"}) {
			t.Errorf("%s: %s", change, got)
		}
	}
	d.ok("PATCH", one, `{"issuer":"https://id.example.com","clientSecret":"new"}`)
}

// What is wrong with a provider is named.
func TestSignInProviderInput(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	for name, change := range map[string][]string{
		"ErrPlainHTTP":   {"https://login.", "http://login.", "/issuer"},
		"ErrPrivate":     {"login.example.com", "127.0.0.1", "/issuer"},
		"ErrMetadata":    {"login.example.com", "169.254.169.254", "/issuer"},
		"ErrQuery":       {"login.example.com", "login.example.com?x=1", "/issuer"},
		"ErrDomain":      {`["example.com"]`, `["ada@example.com"]`, "/domains/0"},
		"ErrAnyDomain":   {`["example.com"]`, `["com"]`, "/domains/0"},
		"ErrNoDomain":    {`["example.com"]`, `[]`, "/domains"},
		"ErrScope":       {"documents:write", "everything", "/scopes/0"},
		"ErrGroupScope":  {`"keys"`, `"root"`, "/groups/0/scopes/0"},
		"ErrGroupName":   {`"admins"`, `""`, "/groups/0/name"},
		"ErrShown":       {`"domains"`, `"clientSecretSet":true,"domains"`, "/clientSecretSet"},
		"ErrSecretIsNow": {`"a secret of theirs"`, `7`, "/clientSecret"},
	} {
		t.Run(name, func(t *testing.T) {
			got := d.refuse("POST", "/signInProviders",
				strings.Replace(providerBody, change[0], change[1], 1),
				http.StatusUnprocessableEntity, dossier.CodeValidation)
			if !slices.Equal(got, change[2:]) {
				t.Errorf("want %s: %s", change[2], got)
			}
		})
	}
	for range dossier.MaxSignInProviders {
		d.make("/signInProviders", providerBody)
	}
	d.refuse("POST", "/signInProviders", providerBody, http.StatusConflict,
		dossier.CodeLimitReached)
}

// Who sets a provider up gives its scopes to others, without an end: only what the caller has.
func TestSignInProviderGivesNoMore(t *testing.T) {
	t.Parallel()
	d := newClient(t)
	as := func(body string) client {
		other := d
		other.key = d.ok("POST", "/keys", body).str("secret")
		return other
	}
	one := "/signInProviders/" + d.make("/signInProviders", providerBody)
	integration := as(`{"name":"I","kind":"integration","scopes":["keys","documents:write"]}`)
	ends := as(`{"name":"E","kind":"administrator","scopes":["keys","documents:write"],` +
		`"expiresAt":"` + time.Now().AddDate(80, 0, 0).UTC().Format(time.RFC3339) + `"}`)
	weak := as(`{"name":"W","kind":"administrator","scopes":["keys"]}`)
	none := as(`{"name":"N","kind":"administrator","scopes":["settings:write"]}`)
	for _, c := range []client{integration, ends, none} {
		c.refuse("POST", "/signInProviders", providerBody, http.StatusForbidden,
			dossier.CodeForbidden)
		c.refuse("PATCH", one, `{"name":"Mine"}`, http.StatusForbidden, dossier.CodeForbidden)
	}
	got := weak.refuse("POST", "/signInProviders", providerBody, http.StatusUnprocessableEntity,
		dossier.CodeValidation)
	if !slices.Equal(got, []string{"/scopes/0"}) {
		t.Error(got)
	}
	weak.refuse("PATCH", one, `{"name":"Mine"}`, http.StatusForbidden, dossier.CodeForbidden)
	integration.refuse("DELETE", one, "", http.StatusForbidden, dossier.CodeForbidden)
	weak.refuse("DELETE", one, "", http.StatusForbidden, dossier.CodeForbidden)
	ends.ok("DELETE", one, "")
}
