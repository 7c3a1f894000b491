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

// who returns the principal of a request. Unknown, malformed, revoked and expired credentials are one and the same UNAUTHORIZED.
func (c *caller) Authenticate(r *http.Request) (dossier.Principal, error) {
	header := r.Header.Values("Authorization")
	if len(header) != 1 {
		return dossier.Principal{}, errUnauthorized
	}
	scheme, raw, _ := strings.Cut(header[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || len(raw) > 16<<10 {
		return dossier.Principal{}, errUnauthorized
	}
	if secret := parseSecret(raw); secret != nil {
		return c.authenticateKey(r.Context(), raw, secret)
	}
	if c.oidc != nil && strings.Count(raw, ".") == 2 {
		p, err := c.oidc.Verify(r.Context(), raw)
		if e := (*dossier.Error)(nil); errors.As(err, &e) && e.Code == dossier.CodeUnauthorized {
			err = errUnauthorized
		}
		return p, err
	}
	return dossier.Principal{}, errUnauthorized
}

// secret is a key or a candidate's token, taken apart.
type secret struct {
	token             bool
	companyID, id, of string // of is the secret itself
}

// Characters of a secret, and how many it has: those of base64 for URLs.
const (
	secretLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	minSecret     = 16
	maxSecret     = 128
)

// parseSecret returns nil for what is not in the form of a key or token: dsr or dst, the ULIDs of the company and of itself, the secret.
func parseSecret(raw string) *secret {
	kind, rest, _ := strings.Cut(raw, "_")
	ids, of, found := strings.Cut(rest, "_")
	if kind != "dsr" && kind != "dst" || !found || len(ids) != 2*ulid.EncodedSize {
		return nil
	}
	strange := func(c rune) bool { return !strings.ContainsRune(secretLetters, c) }
	if len(of) < minSecret || len(of) > maxSecret || strings.ContainsFunc(of, strange) {
		return nil
	}
	company, id := ids[:ulid.EncodedSize], ids[ulid.EncodedSize:]
	for _, part := range []string{company, id} {
		if u, err := ulid.ParseStrict(part); err != nil || u.String() != part {
			return nil
		}
	}
	return &secret{token: kind == "dst", companyID: dossier.PrefixCompany + company, id: id, of: of}
}

// whoHolds looks a key or token up, unless it was good within the last minute.
func (c *caller) authenticateKey(ctx context.Context, raw string, s *secret) (dossier.Principal, error) {
	now := c.now()
	sum := sha256.Sum256([]byte(raw))
	who, ok := c.cache.Get(sum)
	if !ok || !now.Before(who.until) {
		stored, err := c.keys.Credential(ctx, s.companyID, s.id, s.token)
		if errors.Is(err, dossier.ErrNotFound) {
			return dossier.Principal{}, errUnauthorized
		}
		if err != nil {
			return dossier.Principal{}, err
		}
		hash := sha256.Sum256([]byte(s.of))
		if subtle.ConstantTimeCompare(hash[:], stored.Hash[:]) != 1 {
			return dossier.Principal{}, errUnauthorized
		}
		who = identity{principal: stored.Principal, expires: stored.ExpiresAt, until: now.Add(credentialTTL)}
		if who.expired(now) {
			return dossier.Principal{}, errUnauthorized
		}
		stored.Used(ctx)
		c.cache.Add(sum, who)
	}
	if who.expired(now) {
		return dossier.Principal{}, errUnauthorized
	}
	return who.principal, nil
}

func (i identity) expired(now time.Time) bool {
	return !i.expires.IsZero() && !now.Before(i.expires.Time)
}

// admit finds out who calls, how often, and whether the route is for them.
func (a *API) authorize(x *exchange) error {
	if x.route.public {
		return nil
	}
	p, err := a.caller.Authenticate(x.Request)
	if err != nil {
		return err
	}
	x.principal = p
	if err := a.limits.take(p, a.cfg.Now()); err != nil {
		return err
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
