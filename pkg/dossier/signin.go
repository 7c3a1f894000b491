package dossier

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
)

// SignInExchange is one attempt to sign in at a provider. What the flow needs is derived from the
// secret of the attempt, which the browser keeps: the table holds only its hash.
type SignInExchange struct {
	Provider     SignInProvider
	ClientSecret string // of the provider, in the clear; empty: none
	RedirectURI  string // where the provider sends the browser with a code
	Secret       string // of the attempt
}

// State returns what the provider gives back with the code.
func (e SignInExchange) State() string { return e.derive("state") }

// Nonce returns what has to stand in the ID token.
func (e SignInExchange) Nonce() string { return e.derive("nonce") }

// Verifier returns the code verifier of PKCE (RFC 7636).
func (e SignInExchange) Verifier() string { return e.derive("verifier") }

func (e SignInExchange) derive(purpose string) string {
	mac := hmac.New(sha256.New, []byte(e.Secret))
	mac.Write([]byte(purpose)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// PublicSignIn holds what somebody who wants to sign in may know of a company.
type PublicSignIn struct {
	Company   SessionCompany   `json:"company"`
	Providers []PublicProvider `json:"providers"`
}

// PublicProvider is an active sign-in provider, as it is shown to somebody who wants to sign in.
type PublicProvider struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// SignInStart is the body that begins to sign in at a provider.
type SignInStart struct {
	ProviderID  string `json:"providerId"`
	RedirectURI string `json:"redirectUri"`
}

// Validate records what is wrong with the input by itself. The provider decides which redirect URIs
// are registered with it.
func (in SignInStart) Validate(p *Problems) {
	p.ID("/providerId", in.ProviderID)
	u, err := url.Parse(in.RedirectURI)
	loopback := err == nil && (u.Hostname() == "127.0.0.1" || u.Hostname() == "::1" ||
		u.Hostname() == "localhost")
	switch {
	case in.RedirectURI == "":
		p.Say("/redirectUri", ProblemRequired, "is missing")
	case err != nil || u.Host == "" || u.User != nil || strings.Contains(in.RedirectURI, "#") ||
		len(in.RedirectURI) > MaxURL || u.Scheme != "https" && (u.Scheme != "http" || !loopback):
		p.Say("/redirectUri", ProblemMalformed,
			"must be an https address without a fragment, or http on this computer")
	}
}

// SignInStarted tells a client where to send the browser. The attempt is a secret of that browser.
type SignInStarted struct {
	URL       string `json:"url"`
	Attempt   string `json:"attempt"` // the whole dsa_…
	ExpiresAt Time   `json:"expiresAt"`
}
