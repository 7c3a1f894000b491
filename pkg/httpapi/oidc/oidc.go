// Package oidc verifies JWTs of one OIDC issuer, and signs people in at the providers of companies.
// Keys are fetched when the first JWT comes, so that it costs nothing at start.
package oidc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Config selects the accepted JWTs and the meaning of their claims. Defaults for unset fields are
// in brackets.
type Config struct {
	Issuer       string              // its address, as in the claim `iss`
	Audience     string              // what `aud` has to contain
	CompanyClaim string              // the claim with the id of the company [company]
	RoleClaim    string              // the claim with a role, or a list of them [role]
	Roles        map[string][]string // the scopes of each role [administrator has every scope]
	Now          func() time.Time    // [time.Now]
}

// Verifier verifies JWTs. It is safe for use by many goroutines at once.
type Verifier struct {
	cfg    Config
	client *http.Client

	mu     sync.Mutex
	tokens *oidc.IDTokenVerifier // nil until the issuer has told where its keys are
	asked  time.Time             // when it was last asked for that
	err    error                 // what came of it
}

const (
	timeout  = 5 * time.Second
	askAgain = 5 * time.Second // an issuer that did not answer is left alone this long
	// keys are fetched no more often: a JWT can name keys that don't exist
	fetchAgain = 10 * time.Second
)

// New makes a Verifier. It asks nobody.
func New(cfg Config) (*Verifier, error) {
	u, err := url.Parse(cfg.Issuer)
	loopback := err == nil && (u.Hostname() == "127.0.0.1" || u.Hostname() == "::1" ||
		u.Hostname() == "localhost")
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback) {
		return nil, fmt.Errorf("oidc: issuer %q is not an https address", cfg.Issuer)
	}
	if cfg.Audience == "" {
		return nil, errors.New("oidc: no audience")
	}
	if cfg.CompanyClaim == "" {
		cfg.CompanyClaim = "company"
	}
	if cfg.RoleClaim == "" {
		cfg.RoleClaim = "role"
	}
	if cfg.Roles == nil {
		cfg.Roles = map[string][]string{"administrator": dossier.Scopes}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	transport := &fetcher{base: http.DefaultTransport, now: cfg.Now, last: map[string]time.Time{},
		failed: map[string]failure{}}
	return &Verifier{cfg: cfg, client: &http.Client{Transport: transport, Timeout: timeout}}, nil
}

var errUnauthorized = dossier.Errorf(dossier.CodeUnauthorized, "The token is not accepted.")

func unavailable(err error) error {
	return errors.Join(&dossier.Error{Code: dossier.CodeUnavailable,
		Detail: "The issuer of the token cannot be reached.", RetryAfter: time.Second}, err)
}

// Verify returns the administrator that a JWT names. One that is not signed by the issuer, is for
// another audience, has expired or names no company is UNAUTHORIZED; an issuer that does not answer
// is UNAVAILABLE.
func (v *Verifier) Verify(ctx context.Context, raw string) (dossier.Principal, error) {
	tokens, err := v.ready(ctx)
	if err != nil {
		return dossier.Principal{}, unavailable(err)
	}
	out := &outcome{}
	token, err := tokens.Verify(context.WithValue(ctx, outcomeKey{}, out), raw)
	if out.err != nil {
		return dossier.Principal{}, unavailable(out.err)
	}
	if err != nil {
		return dossier.Principal{}, errUnauthorized
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return dossier.Principal{}, errUnauthorized
	}
	return v.principal(token.Subject, claims)
}

// companyID is compiled when the first token is verified, not at every start.
var companyID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^com_[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
})

// principal reads who a verified token names.
func (v *Verifier) principal(subject string, claims map[string]any) (dossier.Principal, error) {
	company, _ := claims[v.cfg.CompanyClaim].(string)
	if !companyID().MatchString(company) || !goodName(subject) {
		return dossier.Principal{}, errUnauthorized
	}
	name, _ := claims["name"].(string)
	if !goodName(name) {
		name = subject
	}
	id := subjectID(v.cfg.Issuer, subject)
	p := dossier.Principal{Kind: dossier.KindAdministrator, ID: id, LogID: id, Name: name,
		CompanyID: company}
	for _, role := range texts(claims[v.cfg.RoleClaim]) {
		for _, scope := range v.cfg.Roles[role] {
			if !slices.Contains(p.Scopes, scope) {
				p.Scopes = append(p.Scopes, scope)
			}
		}
	}
	return p, nil
}

// subjectID identifies a subject without naming anybody, since a subject may be an email address.
// Its prefix keeps a subject such as key_… from being taken for a key.
func subjectID(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\n" + subject))
	return "sub_" + hex.EncodeToString(sum[:8])
}

// goodName reports whether a text can stand for a person in keys and answers.
func goodName(s string) bool {
	for _, c := range s {
		if !unicode.IsPrint(c) {
			return false
		}
	}
	return s != "" && len(s) <= dossier.MaxName
}

// texts returns a claim that is one text or a list of them.
func texts(claim any) []string {
	switch c := claim.(type) {
	case string:
		return []string{c}
	case []any:
		var all []string
		for _, e := range c {
			if s, ok := e.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}

// algorithms are the signatures that are accepted of an issuer that makes them: those with a public
// key.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512,
	oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// acceptedOf returns the algorithms that an issuer names and that are accepted.
func acceptedOf(named []string) []string {
	return slices.DeleteFunc(named, func(a string) bool { return !slices.Contains(algorithms, a) })
}

// ready asks the issuer where its keys are, once.
func (v *Verifier) ready(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.cfg.Now()
	if v.tokens != nil || v.err != nil && now.Before(v.asked.Add(askAgain)) {
		return v.tokens, v.err
	}
	// A client that goes away must not fail the asking for all: the client's timeout bounds it.
	ctx = oidc.ClientContext(context.WithoutCancel(ctx), v.client)
	provider, err := oidc.NewProvider(ctx, v.cfg.Issuer)
	var said struct {
		JWKS       string   `json:"jwks_uri"`
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
	}
	if err == nil {
		err = provider.Claims(&said)
	}
	v.asked, v.err = v.cfg.Now(), err // after the call: it may have taken long
	if err != nil {
		return nil, err
	}
	accepted := acceptedOf(said.Algorithms)
	keys := keySet{oidc.NewRemoteKeySet(ctx, said.JWKS)}
	v.tokens = oidc.NewVerifier(v.cfg.Issuer, keys,
		&oidc.Config{ClientID: v.cfg.Audience, SupportedSigningAlgs: accepted, Now: v.cfg.Now})
	return v.tokens, nil
}
