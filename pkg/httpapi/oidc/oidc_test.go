package oidc

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

const company = "com_01JAAAAAAAAAAAAAAAAAAAAAAA"

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// issuer is an OIDC issuer on loopback.
type issuer struct {
	*httptest.Server
	key   *ecdsa.PrivateKey
	asked atomic.Int64
	down  atomic.Bool
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{key: newKey(t)}
	mux := http.NewServeMux()
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.asked.Add(1)
		if i.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(i.Close)
	answer := func(path string, v any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.MarshalWrite(w, v)
		})
	}
	answer("/.well-known/openid-configuration",
		map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"}})
	jwk, err := jose.JSONWebKey{Key: i.key.Public(), KeyID: "k1", Algorithm: "ES256",
		Use: "sig"}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"keys":[%s]}`, jwk)
	})
	return i
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid string,
	claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := signer.Sign(body)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func (i *issuer) claims(change func(map[string]any)) map[string]any {
	c := map[string]any{"iss": i.URL, "aud": "dossier", "sub": "u-1", "name": "Ann",
		"company": company, "role": "administrator",
		"exp": start.Add(time.Hour).Unix(), "iat": start.Unix()}
	if change != nil {
		change(c)
	}
	return c
}

func newVerifier(t *testing.T, i *issuer, now func() time.Time) *Verifier {
	t.Helper()
	v, err := New(Config{Issuer: i.URL, Audience: "dossier", Now: now,
		Roles: map[string][]string{"administrator": dossier.Scopes,
			"reader": {dossier.ScopeCandidatesRead, dossier.ScopeMessagesRead}}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func atStart() time.Time { return start }

func codeOf(err error) dossier.Code {
	if e := (*dossier.Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestVerify(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	v := newVerifier(t, i, atStart)
	if n := i.asked.Load(); n != 0 {
		t.Fatalf("%d requests before the first JWT", n)
	}
	none := "eyJhbGciOiJub25lIn0.e30."
	set := func(name string, value any) func(map[string]any) {
		return func(c map[string]any) { c[name] = value }
	}
	good := func(change func(map[string]any)) string {
		return sign(t, jose.ES256, i.key, "k1", i.claims(change))
	}
	ann := dossier.Principal{Kind: dossier.KindAdministrator, ID: subjectID(i.URL, "u-1"),
		LogID: subjectID(i.URL, "u-1"), Name: "Ann", CompanyID: company, Scopes: dossier.Scopes}
	reader, nobody, plain := ann, ann, ann
	reader.Scopes, nobody.Scopes, plain.Name = []string{dossier.ScopeCandidatesRead,
		dossier.ScopeMessagesRead}, nil, "u-1"
	for _, c := range []struct {
		name, raw string
		want      *dossier.Principal // nil: UNAUTHORIZED
	}{
		{"OK", good(nil), &ann},
		{"OK one of several roles", good(set("role", []string{"unknown", "reader", "reader"})),
			&reader},
		{"OK no role that is known", good(set("role", "unknown")), &nobody},
		{"OK no name", good(set("name", 7)), &plain},
		{"OK audiences", good(set("aud", []string{"other", "dossier"})), &ann},
		{"ErrAudience", good(set("aud", "other")), nil},
		{"ErrIssuer", good(set("iss", "https://example.com")), nil},
		{"ErrExpired", good(set("exp", start.Add(-time.Second).Unix())), nil},
		{"ErrNoExpiry", good(func(c map[string]any) { delete(c, "exp") }), nil},
		{"ErrNotYet", good(set("nbf", start.Add(time.Hour).Unix())), nil},
		{"ErrNoCompany", good(func(c map[string]any) { delete(c, "company") }), nil},
		{"ErrCompany", good(set("company", "com_x")), nil},
		{"ErrCompanyList", good(set("company", []string{company})), nil},
		{"ErrNoSubject", good(set("sub", "")), nil},
		{"ErrSubject", good(set("sub", "a\nb")), nil},
		{"ErrOtherKey", sign(t, jose.ES256, newKey(t), "k1", i.claims(nil)), nil},
		{"ErrUnknownKey", sign(t, jose.ES256, newKey(t), "k2", i.claims(nil)), nil},
		{"ErrSymmetric", sign(t, jose.HS256, []byte("0123456789abcdef0123456789abcdef"), "k1",
			i.claims(nil)), nil},
		{"ErrUnsigned", none, nil},
		{"ErrNonsense", "a.b.c", nil},
		{"ErrCut", good(nil)[:60], nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkVerify(t, v, c.raw, c.want)
		})
	}
	if n := i.asked.Load(); n > 3 {
		t.Errorf("the issuer was asked %d times", n)
	}
}

// checkVerify verifies a JWT. Without a principal it has to be UNAUTHORIZED.
func checkVerify(t *testing.T, v *Verifier, raw string, want *dossier.Principal) {
	t.Helper()
	got, err := v.Verify(t.Context(), raw)
	if want == nil {
		if codeOf(err) != dossier.CodeUnauthorized {
			t.Errorf("%+v, %v", got, err)
		}
		return
	}
	if diff := cmp.Diff(*want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// A subject's id in the log is stable, differs between subjects and issuers, and is not the
// subject.
func TestLogID(t *testing.T) {
	t.Parallel()
	of := subjectID
	ann, bob := of("https://a", "ann@example.com"), of("https://a", "bob@example.com")
	if ann != of("https://a", "ann@example.com") || ann == bob ||
		ann == of("https://b", "ann@example.com") ||
		strings.Contains(ann, "ann") || len(ann) != 20 {
		t.Errorf("%s, %s", ann, bob)
	}
}

func TestIssuerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	var clock atomic.Int64
	v := newVerifier(t, i, func() time.Time { return start.Add(time.Duration(clock.Load())) })
	raw := sign(t, jose.ES256, i.key, "k1", i.claims(nil))
	i.down.Store(true)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := v.Verify(context.Background(), raw); codeOf(err) !=
				dossier.CodeUnavailable {
				t.Errorf("discovery is down: %v", err)
			}
		})
	}
	all.Wait()
	if n := i.asked.Load(); n != 1 {
		t.Errorf("asked %d times within a moment", n)
	}
	i.down.Store(false)
	clock.Add(int64(askAgain))
	if _, err := v.Verify(t.Context(), "a.b.c"); codeOf(err) != dossier.CodeUnauthorized {
		t.Errorf("nonsense: %v", err)
	}
	i.down.Store(true)
	if _, err := v.Verify(t.Context(), raw); codeOf(err) != dossier.CodeUnavailable {
		t.Errorf("keys are down: %v", err)
	}
	before := i.asked.Load()
	if _, err := v.Verify(t.Context(), raw); codeOf(err) != dossier.CodeUnavailable ||
		i.asked.Load() != before {
		t.Errorf("keys are asked for again at once: %v", err)
	}
	i.down.Store(false)
	clock.Add(int64(askAgain))
	if p, err := v.Verify(t.Context(), raw); err != nil || p.ID != subjectID(i.URL, "u-1") {
		t.Errorf("up again: %v", err)
	}
	i.down.Store(true)
	if _, err := v.Verify(t.Context(), raw); err != nil {
		t.Errorf("the keys are not kept: %v", err)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, issuer, audience string
		ok                     bool
	}{
		{"OK", "https://login.example.com/tenant", "dossier", true},
		{"OK loopback", "http://127.0.0.1:1", "dossier", true},
		{"ErrPlain", "http://login.example.com", "dossier", false},
		{"ErrEmpty", "", "dossier", false},
		{"ErrNoHost", "https:///x", "dossier", false},
		{"ErrAudience", "https://login.example.com", "", false},
	} {
		if _, err := New(Config{Issuer: c.issuer, Audience: c.audience}); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
