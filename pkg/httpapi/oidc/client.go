package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/oauth2"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Client asks the sign-in providers of companies who somebody is: the authorization code flow with
// PKCE. It is safe for use by many goroutines at once.
type Client struct {
	http  *http.Client
	check dossier.CheckURL
	now   func() time.Time
	known *lru.Cache[string, known]
}

// known is a provider with the addresses that it names and the keys that it signed with lately.
type known struct {
	provider *oidc.Provider
	keys     keySet
	said     metadata
	err      error // why it is not known
	until    time.Time
}

// metadata holds members of the discovery document that the library does not read.
type metadata struct {
	JWKS       string   `json:"jwks_uri"`
	Algorithms []string `json:"id_token_signing_alg_values_supported"`
	Methods    []string `json:"token_endpoint_auth_methods_supported"`
	Scopes     []string `json:"scopes_supported"`
}

const (
	maxKnown = 100
	// knownFor bounds how long a key is accepted that the provider does not use any more. A new
	// key is fetched when a token names it.
	knownFor = 5 * time.Minute
	// skew bounds by how much the clock of a provider may be behind or ahead.
	skew = time.Minute
)

// NewClient makes a Client. Its requests go through transport, which has to refuse the addresses
// that companies may not reach; check refuses the same in what a provider says. It asks nobody.
func NewClient(transport http.RoundTripper, check dossier.CheckURL, now func() time.Time) *Client {
	cache, _ := lru.New[string, known](maxKnown) // fails for a size below 1 only
	return &Client{check: check, now: now, known: cache, http: &http.Client{
		Transport: bounded{transport}, Timeout: timeout,
		// No address of the flow redirects, and a code or secret goes nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

// bounded limits the bytes of a response. Its errors, those of a server too, are *fetchError.
type bounded struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.base.RoundTrip(r)
	if err != nil {
		return nil, &fetchError{err}
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxBody)
	// What is fetched is there or not, and the library would put the answer into its error.
	if r.Method == http.MethodGet && resp.StatusCode != http.StatusOK ||
		resp.StatusCode >= http.StatusInternalServerError {
		_ = resp.Body.Close() // only read from
		return nil, &fetchError{fmt.Errorf("status %d", resp.StatusCode)}
	}
	return resp, nil
}

// failed is the error for a provider that cannot be reached, or cannot be understood. Of the
// provider's answer it has only the code of an error: the rest may be about a person.
func failed(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		err = fmt.Errorf("status %d, error %q", refused.Response.StatusCode,
			dossier.Clip(refused.ErrorCode))
	}
	return errors.Join(&dossier.Error{Code: dossier.CodeUnavailable, RetryAfter: time.Second,
		Detail: "The sign-in provider cannot be reached, or its answer cannot be used."},
		errors.New(dossier.Clip(err.Error())))
}

// provider returns what the issuer says about itself. An issuer that did not answer is left alone
// for askAgain.
func (c *Client) provider(ctx context.Context, issuer string) (known, error) {
	if k, ok := c.known.Get(issuer); ok && c.now().Before(k.until) {
		return k, k.err
	}
	k, err := c.discover(ctx, issuer)
	if err != nil && ctx.Err() == nil {
		c.known.Add(issuer, known{err: err, until: c.now().Add(askAgain)})
	}
	return k, err
}

func (c *Client) discover(ctx context.Context, issuer string) (k known, err error) {
	if k.provider, err = oidc.NewProvider(ctx, issuer); err == nil {
		err = k.provider.Claims(&k.said)
	}
	if err != nil {
		return k, failed(err)
	}
	to := k.provider.Endpoint()
	for _, address := range []string{to.AuthURL, to.TokenURL, k.said.JWKS} {
		if err := c.check(address); err != nil {
			return k, failed(fmt.Errorf("%q %w", address, err))
		}
	}
	// A client that goes away must not fail the fetching for others: the client's timeout bounds
	// it.
	k.keys = keySet{oidc.NewRemoteKeySet(context.WithoutCancel(ctx), k.said.JWKS)}
	k.said.Algorithms, k.until = acceptedOf(k.said.Algorithms), c.now().Add(knownFor)
	c.known.Add(issuer, k)
	return k, nil
}

// config returns the settings of the flow, and the provider. The way in which the client secret is
// sent follows the provider's metadata.
func (c *Client) config(ctx context.Context,
	with dossier.SignInExchange) (*oauth2.Config, known, error) {
	k, err := c.provider(ctx, with.Provider.Issuer)
	if err != nil {
		return nil, k, err
	}
	cfg := &oauth2.Config{ClientID: with.Provider.ClientID, ClientSecret: with.ClientSecret,
		Endpoint: k.provider.Endpoint(), RedirectURL: with.RedirectURI,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"}}
	if len(with.Provider.Groups) > 0 && slices.Contains(k.said.Scopes, "groups") {
		cfg.Scopes = append(cfg.Scopes, "groups")
	}
	cfg.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if with.ClientSecret == "" || len(k.said.Methods) > 0 &&
		!slices.Contains(k.said.Methods, "client_secret_basic") {
		cfg.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return cfg, k, nil
}

// Begin returns the address at the provider that a browser goes to. A provider that does not answer
// is UNAVAILABLE.
func (c *Client) Begin(ctx context.Context, with dossier.SignInExchange) (string, error) {
	cfg, _, err := c.config(oidc.ClientContext(ctx, c.http), with)
	if err != nil {
		return "", err
	}
	return cfg.AuthCodeURL(with.State(), oidc.Nonce(with.Nonce()),
		oauth2.S256ChallengeOption(with.Verifier())), nil
}

var errRefused = dossier.Errorf(dossier.CodeUnauthorized, "The sign-in is not accepted.")

// Finish exchanges the code that the provider gave to a browser, and returns the person it stands
// for. A code or an ID token that is not accepted is UNAUTHORIZED, an e-mail address that is not
// verified FORBIDDEN, and a provider that does not answer UNAVAILABLE.
func (c *Client) Finish(ctx context.Context, with dossier.SignInExchange,
	code string) (who dossier.SignedIn, err error) {
	ctx = oidc.ClientContext(ctx, c.http)
	cfg, k, err := c.config(ctx, with)
	if err != nil {
		return who, err
	}
	tokens, err := cfg.Exchange(ctx, code, oauth2.VerifierOption(with.Verifier()))
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return who, exchangeError(refused)
	}
	if err != nil {
		return who, failed(err)
	}
	claims, err := c.verify(ctx, k, tokens, with)
	if err != nil {
		return who, err
	}
	return person(with.Provider, claims)
}

// exchangeError tells a code that is not valid from a service that the provider does not accept.
func exchangeError(refused *oauth2.RetrieveError) error {
	switch refused.ErrorCode {
	case "invalid_grant":
		return errRefused
	case "invalid_client", "unauthorized_client":
		return errors.Join(&dossier.Error{Code: dossier.CodeUnavailable, RetryAfter: time.Second,
			Detail: "The sign-in provider does not accept the client id or client secret that " +
				"it is set up with here."}, errors.New(refused.ErrorCode))
	}
	return failed(refused)
}

// verify checks the ID token and returns its claims, with those of the UserInfo endpoint where the
// token lacks some that are needed.
func (c *Client) verify(ctx context.Context, k known, tokens *oauth2.Token,
	with dossier.SignInExchange) (map[string]any, error) {
	raw, _ := tokens.Extra("id_token").(string)
	verifier := oidc.NewVerifier(with.Provider.Issuer, k.keys,
		&oidc.Config{ClientID: with.Provider.ClientID, SupportedSigningAlgs: k.said.Algorithms,
			Now: func() time.Time { return c.now().Add(-skew) }})
	out := &outcome{}
	token, err := verifier.Verify(context.WithValue(ctx, outcomeKey{}, out), raw)
	if out.err != nil {
		return nil, failed(out.err)
	}
	if err != nil || !c.meant(token, with) {
		return nil, errRefused
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return nil, errRefused
	}
	party, named := claims["azp"]
	if named && party != with.Provider.ClientID || len(token.Audience) > 1 && !named {
		return nil, errRefused
	}
	_, email := claims["email"]
	_, groups := claims[with.Provider.GroupsClaim]
	missing := len(with.Provider.Domains) > 0 && !email || len(with.Provider.Groups) > 0 && !groups
	if missing && k.provider.UserInfoEndpoint() != "" {
		return c.complete(ctx, k.provider, tokens, claims)
	}
	return claims, nil
}

// meant reports whether a token was made for this attempt, and not in the future.
func (c *Client) meant(token *oidc.IDToken, with dossier.SignInExchange) bool {
	return subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(with.Nonce())) == 1 &&
		!token.IssuedAt.After(c.now().Add(skew))
}

// complete adds what the UserInfo endpoint says about the same person.
func (c *Client) complete(ctx context.Context, p *oidc.Provider, tokens *oauth2.Token,
	claims map[string]any) (map[string]any, error) {
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return nil, failed(err)
	}
	if info.Subject != claims["sub"] {
		return nil, errRefused
	}
	var more map[string]any
	if err := info.Claims(&more); err != nil {
		return nil, failed(err)
	}
	if _, has := claims["email"]; has {
		delete(more, "email_verified") // it is about another claim
	}
	maps.Copy(more, claims)
	return more, nil
}

// person reads the claims of somebody who signed in.
func person(p dossier.SignInProvider, claims map[string]any) (who dossier.SignedIn, err error) {
	subject, _ := claims["sub"].(string)
	if !goodName(subject) {
		return who, errRefused
	}
	who = dossier.SignedIn{ID: subjectID(p.Issuer, subject), Name: subject,
		Groups: texts(claims[p.GroupsClaim])}
	email, _ := claims["email"].(string)
	switch claims["email_verified"] {
	case true, "true":
		local, domain, found := strings.Cut(email, "@")
		if found && local != "" && !strings.Contains(domain, "@") && goodName(email) {
			who.Name, who.Domain = email, strings.ToLower(domain)
		}
	case nil:
	default:
		return who, dossier.Errorf(dossier.CodeForbidden,
			"Your e-mail address is not verified at the sign-in provider.")
	}
	if name, _ := claims["name"].(string); goodName(name) {
		who.Name = name
	}
	return who, nil
}
