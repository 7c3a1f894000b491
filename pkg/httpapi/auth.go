package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/table"
)

// credentials finds a key (`com_…` and the ULID of the key), or with token a candidate's token, in one eventually consistent read.
// What is not there, revoked included, is dossier.ErrNotFound.
type credentials interface {
	Credential(ctx context.Context, companyID, id string, token bool) (table.Credential, error)
}

const (
	remembered    = time.Minute // how long a credential is believed without looking again: a revoked key ends within it
	maxRemembered = 10_000
)

// caller tells who calls.
type caller struct {
	keys  credentials
	oidc  Verifier
	now   func() time.Time
	found *recent[[sha256.Size]byte, identity]
}

// identity is a credential that was good.
type identity struct {
	principal dossier.Principal
	expires   dossier.Time // zero: never
	until     time.Time    // to be believed
}

func newCaller(keys credentials, oidc Verifier, now func() time.Time) *caller {
	return &caller{keys: keys, oidc: oidc, now: now, found: newRecent[[sha256.Size]byte, identity](maxRemembered)}
}

var errUnauthorized = dossier.Errorf(dossier.CodeUnauthorized, "A valid key is needed: Authorization: Bearer …")

// who returns the principal of a request. Unknown, malformed, revoked and expired credentials are one and the same UNAUTHORIZED.
func (c *caller) who(r *http.Request) (dossier.Principal, error) {
	header := r.Header.Values("Authorization")
	if len(header) != 1 {
		return dossier.Principal{}, errUnauthorized
	}
	scheme, raw, _ := strings.Cut(header[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || len(raw) > 16<<10 {
		return dossier.Principal{}, errUnauthorized
	}
	if secret := parseSecret(raw); secret != nil {
		return c.whoHolds(r.Context(), raw, secret)
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

var secretForm = regexp.MustCompile(`^(dsr|dst)_([0-9A-HJKMNP-TV-Z]{26})([0-9A-HJKMNP-TV-Z]{26})_([0-9A-Za-z_-]{16,128})$`)

// parseSecret returns nil for what is not in the form of a key or token.
func parseSecret(raw string) *secret {
	m := secretForm.FindStringSubmatch(raw)
	if m == nil {
		return nil
	}
	for _, id := range m[2:4] {
		if _, err := ulid.ParseStrict(id); err != nil {
			return nil
		}
	}
	return &secret{token: m[1] == "dst", companyID: "com_" + m[2], id: m[3], of: m[4]}
}

// whoHolds looks a key or token up, unless it was good within the last minute.
func (c *caller) whoHolds(ctx context.Context, raw string, s *secret) (dossier.Principal, error) {
	now := c.now()
	sum := sha256.Sum256([]byte(raw))
	who, ok := c.found.get(sum)
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
		who = identity{principal: stored.Principal, expires: stored.ExpiresAt, until: now.Add(remembered)}
		if who.expired(now) {
			return dossier.Principal{}, errUnauthorized
		}
		stored.Used(ctx)
		c.found.put(sum, who)
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
func (a *API) admit(x *exchange) error {
	if x.route.public {
		return nil
	}
	p, err := a.caller.who(x.Request)
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
func (r *request) own() error {
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
