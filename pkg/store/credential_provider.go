package store

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// The marks that begin the texts of an attempt to sign in at a provider, and of the session of a
// person who signed in there.
const (
	markAttempt       = "dsa_"
	markPersonSession = "dso_"
)

// storedAttempt is an attempt to sign in at a provider. The browser keeps its secret.
type storedAttempt struct {
	ProviderID  string       `json:"providerId"`
	Hash        []byte       `json:"hash"` // SHA-256 of the secret
	RedirectURI string       `json:"redirectUri"`
	ExpiresAt   dossier.Time `json:"expiresAt"`
}

// storedPersonSession is the session of a person who signed in at a provider. It holds no scopes:
// what the provider gives to the person counts, as it is.
type storedPersonSession struct {
	ProviderID string       `json:"providerId"`
	Issuer     string       `json:"issuer"` // with another one, the person may be somebody else
	PersonID   string       `json:"personId"`
	Name       string       `json:"name"`
	Domain     string       `json:"domain,omitzero"`
	Groups     []string     `json:"groups,omitzero"`
	Hash       []byte       `json:"hash"` // SHA-256 of the secret
	CreatedAt  dossier.Time `json:"createdAt"`
	ExpiresAt  dossier.Time `json:"expiresAt"`
}

func (s storedPersonSession) person() dossier.SignedIn {
	return dossier.SignedIn{ID: s.PersonID, Name: s.Name, Domain: s.Domain, Groups: s.Groups}
}

// PublicSignIn returns the active sign-in providers of a company; NOT_FOUND where it has none.
func (s *Store) PublicSignIn(ctx context.Context, company string) (dossier.PublicSignIn, error) {
	var shown dossier.PublicSignIn
	if _, ok := dossier.ParseID(dossier.PrefixCompany, company, 1); !ok {
		return shown, dossier.ErrNotFound
	}
	all, err := settings[storedProvider](ctx, s, company, kindProvider)
	if err != nil {
		return shown, err
	}
	for _, p := range all {
		if p.Active {
			shown.Providers = append(shown.Providers,
				dossier.PublicProvider{ID: p.ID, Name: p.Name})
		}
	}
	if len(shown.Providers) == 0 {
		return shown, dossier.ErrNotFound
	}
	own, err := s.Company(ctx, company)
	shown.Company = dossier.SessionCompany{ID: own.ID, Name: own.Name}
	return shown, err
}

// exchange reads an active provider with its client secret; NOT_FOUND for any other.
func (s *Store) exchange(ctx context.Context, company, providerID string) (e dossier.SignInExchange,
	err error) {
	if _, ok := dossier.ParseID(dossier.PrefixCompany, company, 1); !ok {
		return e, dossier.ErrNotFound
	}
	p, _, err := setting[storedProvider](ctx, s, company, kindProvider, providerID)
	if err == nil && !p.Active {
		err = dossier.ErrNotFound
	}
	if err != nil {
		return e, err
	}
	e.Provider = p.SignInProvider
	if p.ClientSecret != "" {
		e.ClientSecret, err = s.openSecret(p.ClientSecret, p.ID)
	}
	return e, err
}

// StartSignIn begins an attempt to sign in at an active provider, which waits for ten minutes. The
// browser has to bring text back.
func (s *Store) StartSignIn(ctx context.Context, company string, in dossier.SignInStart) (
	e dossier.SignInExchange, text string, ends dossier.Time, err error) {
	if e, err = s.exchange(ctx, company, in.ProviderID); err != nil {
		return e, "", ends, err
	}
	id := s.cfg.NewID(s.cfg.Now())
	e.RedirectURI, e.Secret = in.RedirectURI, newSecret()
	hash := sha256.Sum256([]byte(e.Secret))
	ends = later(s.now(), signInLinkFor)
	i, err := item(attemptKey(company, id), 0, storedAttempt{ProviderID: e.Provider.ID,
		Hash: hash[:], RedirectURI: e.RedirectURI, ExpiresAt: ends})
	if err != nil {
		return e, "", ends, err
	}
	i.Expires = ends.Unix() + 1
	// Absent: the id is new.
	return e, markAttempt + company[len(dossier.PrefixCompany):] + id + "_" + e.Secret, ends,
		s.engine.Commit(ctx, put(i))
}

// TakeSignIn ends an attempt and returns what finishes it; id is its ULID. An attempt that is
// unknown, wrong, used or too old, or whose provider is gone, is NOT_FOUND.
func (s *Store) TakeSignIn(ctx context.Context,
	company, id, secret string) (e dossier.SignInExchange, err error) {
	attempt, read, err := get[storedAttempt](ctx, s, attemptKey(company, id))
	if err != nil {
		return e, err
	}
	hash := sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(hash[:], attempt.Hash) != 1 ||
		!s.now().Before(attempt.ExpiresAt.Time) {
		return e, dossier.ErrNotFound
	}
	if e, err = s.exchange(ctx, company, attempt.ProviderID); err != nil {
		return e, err
	}
	e.RedirectURI, e.Secret = attempt.RedirectURI, secret
	err = s.engine.Commit(ctx, remove(read))
	// Failed: the attempt was used meanwhile.
	if _, used := errors.AsType[*kv.ConditionFailed](err); used {
		err = dossier.ErrNotFound
	}
	return e, err
}

// CreatePersonSession signs in a person whom a provider has named, for 12 hours. FORBIDDEN where
// the provider gives the person nothing, NOT_FOUND where it is gone or has another issuer.
func (s *Store) CreatePersonSession(ctx context.Context, company string,
	asked dossier.SignInProvider, who dossier.SignedIn) (dossier.Session, error) {
	var shown dossier.Session
	err := s.retryOnConflict(ctx, func() error {
		p, read, err := setting[storedProvider](ctx, s, company, kindProvider, asked.ID)
		if err == nil && (p.Issuer != asked.Issuer || p.ClientID != asked.ClientID) {
			err = dossier.ErrNotFound
		}
		if err != nil {
			return err
		}
		scopes := p.ScopesOf(who)
		if len(scopes) == 0 {
			return notAllowed(p.SignInProvider, who)
		}
		own, err := s.Company(ctx, company)
		if err != nil {
			return err
		}
		id, secret, now := s.cfg.NewID(s.cfg.Now()), newSecret(), s.now()
		hash := sha256.Sum256([]byte(secret))
		kept := storedPersonSession{ProviderID: p.ID, Issuer: p.Issuer, PersonID: who.ID,
			Name: who.Name, Domain: who.Domain, Groups: p.GroupsOf(who), Hash: hash[:],
			CreatedAt: now, ExpiresAt: later(now, sessionFor)}
		bare := p.ID[len(dossier.PrefixSignInProvider):]
		i, err := item(sessionKey(company, bare, id), 0, kept)
		if err != nil {
			return err
		}
		i.Expires = kept.ExpiresAt.Unix() + 1
		shown = dossier.Session{
			Token: markPersonSession + company[len(dossier.PrefixCompany):] + bare + id + "_" +
				secret,
			Company:   dossier.SessionCompany{ID: own.ID, Name: own.Name},
			Principal: dossier.Actor{Kind: dossier.KindAdministrator, ID: who.ID, Name: who.Name},
			Scopes:    scopes, ExpiresAt: kept.ExpiresAt,
		}
		// Failed: the provider was changed or deleted meanwhile.
		return s.commit(ctx, nil, put(i),
			kv.Write{Check: &read.Key, If: kv.Condition{Rev: read.Rev}})
	})
	return shown, err
}

// notAllowed says why a person whom the provider knows gets nothing.
func notAllowed(p dossier.SignInProvider, who dossier.SignedIn) error {
	switch {
	case len(p.Domains) > 0 && who.Domain == "":
		return dossier.Errorf(dossier.CodeForbidden,
			"The sign-in provider does not confirm that your e-mail address is verified.")
	case len(p.Domains) > 0 && len(p.Groups) == 0:
		return dossier.Errorf(dossier.CodeForbidden,
			"The domain of your e-mail address is not allowed to sign in here.")
	}
	return dossier.Errorf(dossier.CodeForbidden, "You are not allowed to sign in here: "+
		"neither the domain of your e-mail address nor your groups give you access.")
}

// PersonSession finds the session of a person with its provider, in one read, eventually consistent
// unless fresh; both ids are ULIDs. One that ended, or to whose person the provider gives nothing
// any more, is NOT_FOUND.
func (s *Store) PersonSession(ctx context.Context, company, provider, id string,
	fresh bool) (c Credential, err error) {
	itsProvider, _ := settingKey(company, kindProvider, dossier.PrefixSignInProvider+provider)
	items, err := s.engine.Get(ctx, !fresh, sessionKey(company, provider, id), itsProvider)
	if err != nil {
		return c, err
	}
	if items[0].Rev == 0 || items[1].Rev == 0 {
		return c, dossier.ErrNotFound
	}
	kept, err := decode[storedPersonSession](items[0])
	if err != nil {
		return c, err
	}
	p, err := decode[storedProvider](items[1])
	if err != nil {
		return c, err
	}
	scopes := p.ScopesOf(kept.person())
	if len(scopes) == 0 || p.Issuer != kept.Issuer || p.ID != kept.ProviderID {
		return c, dossier.ErrNotFound
	}
	return Credential{Hash: hashOf(kept.Hash), ExpiresAt: kept.ExpiresAt, External: true,
		Principal: dossier.Principal{Kind: dossier.KindAdministrator, ID: kept.PersonID,
			LogID: kept.PersonID, Name: kept.Name, CompanyID: company, Scopes: scopes}}, nil
}
