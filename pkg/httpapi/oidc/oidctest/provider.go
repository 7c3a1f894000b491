// Package oidctest is an OpenID Connect provider on loopback for tests. It signs with keys of its
// own and lets everybody in who comes with a good request.
package oidctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

// The client that the provider knows.
const (
	ClientID     = "dossier"
	ClientSecret = "a secret+of/the client"
)

// Claims are the members of an ID token.
type Claims = map[string]any

// Provider is the provider. Its fields are set before it is asked; the methods that change it may
// be called at any time.
type Provider struct {
	URL  string // the issuer
	Host string // host and port of it

	mu      sync.Mutex
	keys    []*ecdsa.PrivateKey // the last one signs
	change  func(Claims)
	signed  func(Claims) string // makes the token instead
	down    bool
	codes   map[string]url.Values // the authorization requests, by code
	refused []string              // why token requests were refused
}

// New starts a provider, which ends with the test.
func New(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discover)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /keys", p.keySet)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.down {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	// To a browser, localhost is another site than 127.0.0.1, where tests serve Dossier.
	p.Host = strings.Replace(server.Listener.Addr().String(), "127.0.0.1", "localhost", 1)
	p.URL = "http://" + p.Host
	p.Rotate(t)
	return p
}

// Rotate makes a new key, which signs from now on. The one before stays in the key set.
func (p *Provider) Rotate(t testing.TB) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, key)
}

// Change sets what changes the claims of each ID token; nil leaves them.
func (p *Provider) Change(change func(Claims)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.change = change
}

// Sign sets what makes ID tokens from claims; nil signs them with the provider's key.
func (p *Provider) Sign(sign func(Claims) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signed = sign
}

// Down makes the provider answer 502 to everything, or no longer.
func (p *Provider) Down(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// Refused returns why token requests were refused.
func (p *Provider) Refused() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.refused...)
}

func (p *Provider) discover(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"issuer": p.URL,
		"authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri":                              p.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
		"response_types_supported":              []string{"code"},
		"scopes_supported":                      []string{"openid", "email", "profile"}})
}

func (p *Provider) keySet(w http.ResponseWriter, _ *http.Request) {
	var set jose.JSONWebKeySet
	for _, key := range p.keys {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.Public(), KeyID: keyID(key),
			Algorithm: "ES256", Use: "sig"})
	}
	answer(w, http.StatusOK, set)
}

// authorize sends the browser back with a code, as if somebody had signed in.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != ClientID || q.Get("response_type") != "code" ||
		q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 ||
		q.Get("state") == "" || q.Get("nonce") == "" ||
		!strings.Contains(" "+q.Get("scope")+" ", " openid ") {
		http.Error(w, "not a good request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.codes[code] = q
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token exchanges a code, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	refuse := func(code string) {
		p.refused = append(p.refused, code)
		answer(w, http.StatusBadRequest, map[string]any{"error": code})
	}
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	if id != ClientID || secret != ClientSecret {
		refuse("invalid_client")
		return
	}
	asked, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	if !ok || asked.Get("code_challenge") != challenge ||
		asked.Get("redirect_uri") != r.FormValue("redirect_uri") {
		refuse("invalid_grant")
		return
	}
	now := time.Now()
	claims := Claims{"iss": p.URL, "aud": ClientID, "sub": "u-1", "name": "Ann Example",
		"email": "ann@example.com", "email_verified": true, "nonce": asked.Get("nonce"),
		"iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix()}
	if p.change != nil {
		p.change(claims)
	}
	key := p.keys[len(p.keys)-1]
	idToken := ""
	if p.signed != nil {
		idToken = p.signed(claims)
	} else {
		idToken = Signed(jose.ES256, key, keyID(key), claims)
	}
	answer(w, http.StatusOK, map[string]any{"access_token": rand.Text(), "token_type": "Bearer",
		"expires_in": 300, "id_token": idToken})
}

func keyID(key *ecdsa.PrivateKey) string {
	return base64.RawURLEncoding.EncodeToString(key.X.Bytes()[:8])
}

// Signed returns claims as a JWT.
func Signed(alg jose.SignatureAlgorithm, key any, kid string, claims Claims) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg,
		Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	if err != nil {
		panic(err) // a test names a key that fits its algorithm
	}
	body, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(body)
	if err != nil {
		panic(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return text
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, v) // the client went away
}
