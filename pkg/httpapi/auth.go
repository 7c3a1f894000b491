package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// credentials finds a key (`com_…` and the ULID of the key), or with token a candidate's token. A
// credential that does not exist, or not any more, is dossier.ErrNotFound. Only a fresh read sees
// every change that was made before it.
type credentials interface {
	Credential(ctx context.Context, companyID, id string,
		token, fresh bool) (store.Credential, error)
	// Session finds a session of a key, both by their ULIDs, in the same way.
	Session(ctx context.Context, companyID, keyID, id string, fresh bool) (store.Credential, error)
	// PersonSession finds the session of a person who signed in at a provider, by their ULIDs.
	PersonSession(ctx context.Context, companyID, providerID, id string,
		fresh bool) (store.Credential, error)
}

const (
	credentialTTL  = 10 * time.Second // a revoked key ends within it, in this process at once
	maxCredentials = 10_000
)

// caller authenticates requests.
type caller struct {
	keys    credentials
	oidc    Verifier
	now     func() time.Time
	cache   *lru.Cache[[sha256.Size]byte, identity]
	revoked atomic.Int64 // counts the calls of forget
}

// identity is an authenticated credential.
type identity struct {
	principal dossier.Principal
	expires   dossier.Time // zero: never
	keyEnds   dossier.Time // the end of the key itself or of the session's key; zero: never
	external  bool         // a JWT or a person's session: the account may end at any time
	provider  string       // of a person's session: the id of the sign-in provider
	until     time.Time    // when the cache has to look it up again
}

func newCaller(keys credentials, oidc Verifier, now func() time.Time) *caller {
	// fails for a size below 1 only
	cache, _ := lru.New[[sha256.Size]byte, identity](maxCredentials)
	return &caller{keys: keys, oidc: oidc, now: now, cache: cache}
}

// forget removes a key, or a sign-in provider, and its sessions from the cache.
func (c *caller) forget(companyID, id string) {
	c.revoked.Add(1)
	for _, sum := range c.cache.Keys() {
		if who, ok := c.cache.Peek(sum); ok && who.principal.CompanyID == companyID &&
			(who.principal.ID == id || who.provider == id) {
			c.cache.Remove(sum)
		}
	}
}

var errUnauthorized = dossier.Errorf(dossier.CodeUnauthorized,
	"A valid key is required: Authorization: Bearer …")

const maxCredential = 16 << 10 // bytes

// bearer returns the credential of a request; ok is false unless there is exactly one.
func bearer(r *http.Request) (raw string, ok bool) {
	header := r.Header.Values("Authorization")
	if len(header) != 1 {
		return "", false
	}
	scheme, raw, _ := strings.Cut(header[0], " ")
	return raw, strings.EqualFold(scheme, "Bearer") && len(raw) <= maxCredential
}

// authenticate returns the identity that the credential of a request proves. Unknown, malformed,
// revoked and expired credentials give the same UNAUTHORIZED. A fresh look does not trust the
// cache.
func (c *caller) authenticate(r *http.Request, fresh bool) (identity, error) {
	raw, ok := bearer(r)
	if !ok {
		return identity{}, errUnauthorized
	}
	if secret := parseSecret(raw); secret != nil {
		return c.authenticateKey(r.Context(), raw, secret, fresh)
	}
	if c.oidc != nil && strings.Count(raw, ".") == 2 {
		p, err := c.oidc.Verify(r.Context(), raw)
		if e := (*dossier.Error)(nil); errors.As(err, &e) && e.Code == dossier.CodeUnauthorized {
			err = errUnauthorized
		}
		return identity{principal: p, external: true}, err
	}
	return identity{}, errUnauthorized
}

// known returns the identity of a credential that was valid before, and whether it is valid without
// a look at the store.
func (c *caller) known(r *http.Request) (who identity, seen, current bool) {
	raw, ok := bearer(r)
	if !ok {
		return who, false, false
	}
	who, seen = c.cache.Get(sha256.Sum256([]byte(raw)))
	return who, seen, seen && c.now().Before(who.until) && !who.expired(c.now())
}

// secret is a key, a candidate's token, a session, a sign-in link or an attempt to sign in, in its
// parts.
type secret struct {
	kind          string // one of the marks
	companyID, id string
	keyID         string // of a session: the ULID of its key or sign-in provider
	of            string // the secret itself
}

// The marks that texts of credentials begin with.
const (
	markKey     = "dsr"
	markToken   = "dst"
	markSession = "dss"
	markLink    = "dsl"
	markAttempt = "dsa"
	// of the session of a person who signed in at a provider
	markPerson = "dso"
)

// The characters of a secret, those of base64 for URLs, and how many it has.
const (
	secretLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	minSecret     = 16
	maxSecret     = 128
)

// parseSecret returns nil unless the text is a credential: its mark, the ULIDs of the company, of a
// session's key and of itself, and the secret.
func parseSecret(raw string) *secret {
	kind, rest, _ := strings.Cut(raw, "_")
	text, of, found := strings.Cut(rest, "_")
	n := map[string]int{markKey: 2, markToken: 2, markSession: 3, markPerson: 3, markLink: 2,
		markAttempt: 2}[kind]
	if !found || n == 0 || len(text) != n*ulid.EncodedSize {
		return nil
	}
	strange := func(c rune) bool { return !strings.ContainsRune(secretLetters, c) }
	if len(of) < minSecret || len(of) > maxSecret || strings.ContainsFunc(of, strange) {
		return nil
	}
	var ids []string
	for part := range slices.Chunk([]byte(text), ulid.EncodedSize) {
		if u, err := ulid.ParseStrict(string(part)); err != nil || u.String() != string(part) {
			return nil
		}
		ids = append(ids, string(part))
	}
	s := &secret{kind: kind, companyID: dossier.PrefixCompany + ids[0], id: ids[n-1], of: of}
	if n == 3 {
		s.keyID = ids[1]
	}
	return s
}

// credential looks up a key, a token or a session. A sign-in link or attempt authenticates nothing.
func (c *caller) credential(ctx context.Context, s *secret, fresh bool) (store.Credential, error) {
	switch s.kind {
	case markSession:
		return c.keys.Session(ctx, s.companyID, s.keyID, s.id, fresh)
	case markPerson:
		return c.keys.PersonSession(ctx, s.companyID, s.keyID, s.id, fresh)
	case markKey, markToken:
		return c.keys.Credential(ctx, s.companyID, s.id, s.kind == markToken, fresh)
	}
	return store.Credential{}, dossier.ErrNotFound
}

// authenticateKey looks a credential up, unless it may use the cache and finds it there.
func (c *caller) authenticateKey(ctx context.Context, raw string, s *secret,
	fresh bool) (identity, error) {
	now := c.now()
	sum := sha256.Sum256([]byte(raw))
	if who, ok := c.cache.Get(sum); ok && !fresh && now.Before(who.until) {
		if who.expired(now) {
			return identity{}, errUnauthorized
		}
		return who, nil
	}
	revoked := c.revoked.Load()
	stored, err := c.credential(ctx, s, fresh)
	if errors.Is(err, dossier.ErrNotFound) {
		c.cache.Remove(sum)
		return identity{}, errUnauthorized
	}
	if err != nil {
		return identity{}, err
	}
	hash := sha256.Sum256([]byte(s.of))
	if subtle.ConstantTimeCompare(hash[:], stored.Hash[:]) != 1 {
		return identity{}, errUnauthorized
	}
	who := identity{principal: stored.Principal, expires: stored.ExpiresAt,
		keyEnds: stored.KeyExpiresAt, external: stored.External, until: now.Add(credentialTTL)}
	if s.kind == markPerson {
		who.provider = dossier.PrefixSignInProvider + s.keyID
	}
	if who.expired(now) {
		c.cache.Remove(sum)
		return identity{}, errUnauthorized
	}
	stored.Used(ctx)
	if c.revoked.Load() == revoked { // else the key that was read may be the one that was revoked
		c.cache.Add(sum, who)
	}
	return who, nil
}

func (i identity) expired(now time.Time) bool {
	return !i.expires.IsZero() && !now.Before(i.expires.Time)
}

// authorize authenticates the caller, applies the rate limits and checks the scope of the route.
func (a *API) authorize(x *exchange) error {
	if x.route.guests {
		return a.guests.takeGuest(x.Request, a.cfg.Now())
	}
	if x.route.public {
		return nil
	}
	who, err := a.identify(x)
	if err != nil {
		return err
	}
	p := who.principal
	x.principal, x.expires, x.keyEnds, x.external = p, who.expires, who.keyEnds, who.external
	if err := a.limits.take(p, a.cfg.Now()); err != nil {
		return err
	}
	if err := a.takeCompany(x.Context(), p, a.cfg.Now()); err != nil {
		return err
	}
	if x.route.anyone {
		return nil
	}
	if p.Kind == dossier.KindCandidate {
		if x.route.tokens == "" {
			return dossier.Errorf(dossier.CodeForbidden,
				"A candidate's token cannot do this. A key with the scope %s is required.",
				x.route.scope)
		}
		return nil
	}
	if !p.Has(x.route.scope) {
		return dossier.Errorf(dossier.CodeForbidden,
			"This request requires a key with the scope %s.",
			x.route.scope)
	}
	return nil
}

// identify authenticates the caller. Failures count against the address, and an address with too
// many of them is refused before anything is looked up; but not a credential that was valid in this
// process: somebody else's wrong keys don't hold up whoever shares their address.
func (a *API) identify(x *exchange) (identity, error) {
	who, seen, current := a.caller.known(x.Request)
	if current && !x.route.fresh() {
		return who, nil
	}
	now := a.cfg.Now()
	if err := a.failures.check(x.Request, now); err != nil && !seen {
		return identity{}, err
	}
	who, err := a.caller.authenticate(x.Request, x.route.fresh())
	if errors.Is(err, errUnauthorized) {
		_ = a.failures.takeGuest(x.Request, now) // one too many shows at the next request
	}
	return who, err
}

// restrictToOwn restricts a candidate's token to its own dossier; anything else is ErrNotFound.
func (r *request) restrictToOwn() error {
	if r.principal.Kind != dossier.KindCandidate || r.route.tokens == "" {
		return nil
	}
	name, filter := strings.CutPrefix(r.route.tokens, "?")
	if !filter {
		if !sameCandidate(r.principal.CandidateID, r.param(name)) {
			return dossier.ErrNotFound
		}
		return nil
	}
	if !slices.Contains(r.anyOf(name), r.principal.CandidateID) &&
		r.filter(name) != r.principal.CandidateID {
		return dossier.Errorf(dossier.CodeForbidden,
			"A candidate's token can list its own candidate only: filter[%s] must name it.", name)
	}
	return nil
}

// sameCandidate reports whether an id is the candidate's, or begins with the candidate's ULID after
// its prefix.
func sameCandidate(candidateID, id string) bool {
	_, own, ok := strings.Cut(candidateID, "_")
	_, rest, found := strings.Cut(id, "_")
	return ok && found && len(own) == ulid.EncodedSize && strings.HasPrefix(rest, own)
}
