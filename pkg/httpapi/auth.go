package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// credentials finds a key (`com_…` and the ULID of the key), or with token a candidate's token, in one eventually consistent read.
// What is not there, revoked included, is dossier.ErrNotFound.
type credentials interface {
	Credential(ctx context.Context, companyID, id string, token bool) (store.Credential, error)
	// Session finds a session of a key, both by their ULIDs, in the same way.
	Session(ctx context.Context, companyID, keyID, id string) (store.Credential, error)
}

const (
	credentialTTL  = time.Minute // a revoked key ends within it
	maxCredentials = 10_000
)

// caller tells who calls.
type caller struct {
	keys  credentials
	oidc  Verifier
	now   func() time.Time
	cache *lru.Cache[[sha256.Size]byte, identity]
}

// identity is a credential that was good.
type identity struct {
	principal dossier.Principal
	expires   dossier.Time // zero: never
	until     time.Time    // to be believed
}

func newCaller(keys credentials, oidc Verifier, now func() time.Time) *caller {
	cache, _ := lru.New[[sha256.Size]byte, identity](maxCredentials) // fails for a size below 1 only
	return &caller{keys: keys, oidc: oidc, now: now, cache: cache}
}

var errUnauthorized = dossier.Errorf(dossier.CodeUnauthorized, "A valid key is needed: Authorization: Bearer …")

const maxCredential = 16 << 10 // bytes

// bearer returns the credential that a request carries; ok is false where it is not exactly one.
func bearer(r *http.Request) (raw string, ok bool) {
	header := r.Header.Values("Authorization")
	if len(header) != 1 {
		return "", false
	}
	scheme, raw, _ := strings.Cut(header[0], " ")
	return raw, strings.EqualFold(scheme, "Bearer") && len(raw) <= maxCredential
}

// Authenticate returns whose credential a request carries. Unknown, malformed, revoked and expired ones are
// one and the same UNAUTHORIZED.
func (c *caller) Authenticate(r *http.Request) (identity, error) {
	raw, ok := bearer(r)
	if !ok {
		return identity{}, errUnauthorized
	}
	if secret := parseSecret(raw); secret != nil {
		return c.authenticateKey(r.Context(), raw, secret)
	}
	if c.oidc != nil && strings.Count(raw, ".") == 2 {
		p, err := c.oidc.Verify(r.Context(), raw)
		if e := (*dossier.Error)(nil); errors.As(err, &e) && e.Code == dossier.CodeUnauthorized {
			err = errUnauthorized
		}
		return identity{principal: p}, err
	}
	return identity{}, errUnauthorized
}

// secret is a key, a candidate's token, a session or a sign-in link, taken apart.
type secret struct {
	kind          string // one of the marks
	companyID, id string
	keyID         string // of a session: the ULID of its key
	of            string // the secret itself
}

// The marks that texts of credentials begin with.
const (
	markKey     = "dsr"
	markToken   = "dst"
	markSession = "dss"
	markLink    = "dsl"
)

// Characters of a secret, and how many it has: those of base64 for URLs.
const (
	secretLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	minSecret     = 16
	maxSecret     = 128
)

// parseSecret returns nil for what is not in the form of a credential: its mark, the ULIDs of the
// company, of a session's key, and of itself, the secret.
func parseSecret(raw string) *secret {
	kind, rest, _ := strings.Cut(raw, "_")
	text, of, found := strings.Cut(rest, "_")
	n := map[string]int{markKey: 2, markToken: 2, markSession: 3, markLink: 2}[kind]
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

// credential looks a key, a token or a session up. A sign-in link is none.
func (c *caller) credential(ctx context.Context, s *secret) (store.Credential, error) {
	switch s.kind {
	case markSession:
		return c.keys.Session(ctx, s.companyID, s.keyID, s.id)
	case markKey, markToken:
		return c.keys.Credential(ctx, s.companyID, s.id, s.kind == markToken)
	}
	return store.Credential{}, dossier.ErrNotFound
}

// authenticateKey looks a credential up, unless it was good within the last minute.
func (c *caller) authenticateKey(ctx context.Context, raw string, s *secret) (identity, error) {
	now := c.now()
	sum := sha256.Sum256([]byte(raw))
	who, ok := c.cache.Get(sum)
	if !ok || !now.Before(who.until) {
		stored, err := c.credential(ctx, s)
		if errors.Is(err, dossier.ErrNotFound) {
			return identity{}, errUnauthorized
		}
		if err != nil {
			return identity{}, err
		}
		hash := sha256.Sum256([]byte(s.of))
		if subtle.ConstantTimeCompare(hash[:], stored.Hash[:]) != 1 {
			return identity{}, errUnauthorized
		}
		who = identity{principal: stored.Principal, expires: stored.ExpiresAt, until: now.Add(credentialTTL)}
		if who.expired(now) {
			return identity{}, errUnauthorized
		}
		stored.Used(ctx)
		c.cache.Add(sum, who)
	}
	if who.expired(now) {
		return identity{}, errUnauthorized
	}
	return who, nil
}

func (i identity) expired(now time.Time) bool {
	return !i.expires.IsZero() && !now.Before(i.expires.Time)
}

// authorize finds out who calls, how often, and whether the route is for them.
func (a *API) authorize(x *exchange) error {
	if x.route.guests {
		return a.guests.takeGuest(x.Request, a.cfg.Now())
	}
	if x.route.public {
		return nil
	}
	who, err := a.caller.Authenticate(x.Request)
	if err != nil {
		return err
	}
	p := who.principal
	x.principal, x.expires = p, who.expires
	if err := a.limits.take(p, a.cfg.Now()); err != nil {
		return err
	}
	if x.route.anyone {
		return nil
	}
	if p.Kind == dossier.KindCandidate {
		if x.route.tokens == "" {
			return dossier.Errorf(dossier.CodeForbidden, "This is not for candidates: it needs a key with the scope %s.", x.route.scope)
		}
		return nil
	}
	if !p.Has(x.route.scope) {
		return dossier.Errorf(dossier.CodeForbidden, "This needs a key with the scope %s.", x.route.scope)
	}
	return nil
}

// own lets a candidate's token see its own dossier only; the rest is not there for it.
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
	if !slices.Contains(r.anyOf(name), r.principal.CandidateID) && r.filter(name) != r.principal.CandidateID {
		return dossier.Errorf(dossier.CodeForbidden, "A candidate's token lists only its own: filter[%s] has to name it.", name)
	}
	return nil
}

// sameCandidate reports whether an id is the candidate's or starts, behind its prefix, with the candidate's ULID.
func sameCandidate(candidateID, id string) bool {
	_, own, ok := strings.Cut(candidateID, "_")
	_, rest, found := strings.Cut(id, "_")
	return ok && found && len(own) == ulid.EncodedSize && strings.HasPrefix(rest, own)
}
