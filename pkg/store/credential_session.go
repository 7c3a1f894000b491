package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

const (
	sessionFor    = 12 * time.Hour   // how long a session lasts at most
	signInLinkFor = 10 * time.Minute // how long a sign-in link waits to be used
)

// The marks that begin the texts of a session and of a sign-in link.
const (
	markSession    = "dss_"
	markSignInLink = "dsl_"
)

// storedSession is the session item. It holds no scopes: those of its key count, as they are.
type storedSession struct {
	KeyID     string       `json:"keyId"`
	Hash      []byte       `json:"hash"` // SHA-256 of the secret
	CreatedAt dossier.Time `json:"createdAt"`
	ExpiresAt dossier.Time `json:"expiresAt"`
}

// exists is the condition that an item is stored, whatever it holds.
var exists = kv.Condition{Not: map[string]string{"absent": "true"}}

// CreateSession signs in the holder of a key: the session lasts for 12 hours, but not beyond its
// key. What is no key any more is NOT_FOUND.
func (s *Store) CreateSession(ctx context.Context, company, keyID string) (dossier.Session, error) {
	var shown dossier.Session
	err := s.retryOnConflict(ctx, func() (err error) {
		var writes []kv.Write
		if shown, writes, err = s.newSession(ctx, company, keyID); err != nil {
			return err
		}
		// Failed: the key was deleted meanwhile.
		return s.commit(ctx, nil, writes...)
	})
	return shown, err
}

// newSession plans a session of a key: what is shown of it, and its writes.
func (s *Store) newSession(ctx context.Context,
	company, keyID string) (dossier.Session, []kv.Write, error) {
	key, _, err := setting[storedKey](ctx, s, company, kindKey, keyID)
	if err != nil {
		return dossier.Session{}, nil, err
	}
	own, err := s.Company(ctx, company)
	if err != nil {
		return dossier.Session{}, nil, err
	}
	now := s.now()
	if !key.ExpiresAt.IsZero() && !now.Before(key.ExpiresAt.Time) {
		return dossier.Session{}, nil, dossier.ErrNotFound
	}
	id, secret := s.cfg.NewID(s.cfg.Now()), newSecret()
	hash := sha256.Sum256([]byte(secret))
	kept := storedSession{KeyID: key.ID, Hash: hash[:], CreatedAt: now,
		ExpiresAt: earlier(later(now, sessionFor), key.ExpiresAt)}
	bareKey := key.ID[len(dossier.PrefixKey):]
	i, err := item(sessionKey(company, bareKey, id), 0, kept)
	if err != nil {
		return dossier.Session{}, nil, err
	}
	i.Expires = kept.ExpiresAt.Unix() + 1
	itsKey := accessKeyKey(company, key.ID[len(dossier.PrefixKey):])
	return dossier.Session{
		Token:     markSession + company[len(dossier.PrefixCompany):] + bareKey + id + "_" + secret,
		Company:   dossier.SessionCompany{ID: own.ID, Name: own.Name},
		Principal: dossier.Actor{Kind: key.Kind, ID: key.ID, Name: key.Name},
		Scopes:    key.Scopes, ExpiresAt: kept.ExpiresAt,
	}, []kv.Write{put(i), {Check: &itsKey, If: exists}}, nil
}

// earlier returns the earlier of two moments, of which b may be never.
func earlier(a, b dossier.Time) dossier.Time {
	if !b.IsZero() && b.Before(a.Time) {
		return b
	}
	return a
}

// Session finds a session with its key, in one read, eventually consistent unless fresh; both ids
// are ULIDs. One that ended, or whose key is gone, is NOT_FOUND.
func (s *Store) Session(ctx context.Context, company, accessKey, id string,
	fresh bool) (Credential, error) {
	itsKey := accessKeyKey(company, accessKey)
	items, err := s.engine.Get(ctx, !fresh, sessionKey(company, accessKey, id), itsKey)
	if err != nil {
		return Credential{}, err
	}
	if items[0].Rev == 0 || items[1].Rev == 0 {
		return Credential{}, dossier.ErrNotFound
	}
	kept, err := decode[storedSession](items[0])
	if err != nil {
		return Credential{}, err
	}
	k, err := decode[storedKey](items[1])
	return Credential{Hash: hashOf(kept.Hash), ExpiresAt: earlier(kept.ExpiresAt, k.ExpiresAt),
		KeyExpiresAt: k.ExpiresAt,
		Principal:    k.principal(company),
		used:         func(ctx context.Context) { s.keyUsed(ctx, k, items[1]) }}, err
}

// EndSession signs out: the session is gone. One that is gone already is no error.
func (s *Store) EndSession(ctx context.Context, company, accessKey, id string) error {
	return s.endCredential(ctx, sessionKey(company, accessKey, id))
}

func (s *Store) endCredential(ctx context.Context, key kv.Key) error {
	err := s.engine.Commit(ctx, kv.Write{Delete: &key, If: exists})
	if _, gone := errors.AsType[*kv.ConditionFailed](err); gone {
		return nil // it is gone
	}
	return err
}

// CreateSignInLink makes the text of a link that signs in once, within ten minutes, as the holder
// of a key; without keyID as the company's oldest administrator who manages keys.
func (s *Store) CreateSignInLink(ctx context.Context, company, keyID string) (string, error) {
	if keyID == "" {
		var err error
		if keyID, err = s.managingKey(ctx, company); err != nil {
			return "", err
		}
	}
	if _, _, err := s.AccessKey(ctx, company, keyID); err != nil {
		return "", err
	}
	id, secret := s.cfg.NewID(s.cfg.Now()), newSecret()
	hash := sha256.Sum256([]byte(secret))
	now := s.now()
	link := storedSession{KeyID: keyID, Hash: hash[:], CreatedAt: now,
		ExpiresAt: later(now, signInLinkFor)}
	i, err := item(signInLinkKey(company, id), 0, link)
	if err != nil {
		return "", err
	}
	i.Expires = link.ExpiresAt.Unix() + 1
	// Absent: the id is new.
	return markSignInLink + company[len(dossier.PrefixCompany):] + id + "_" + secret,
		s.engine.Commit(ctx, put(i))
}

// managingKey returns the id of the oldest key with which an administrator manages keys now.
func (s *Store) managingKey(ctx context.Context, company string) (string, error) {
	all, err := settings[storedKey](ctx, s, company, kindKey)
	if err != nil {
		return "", err
	}
	now := s.now()
	all = slices.DeleteFunc(all, func(k storedKey) bool { return !k.manages(now) })
	if len(all) == 0 {
		return "", dossier.ErrNotFound
	}
	return slices.MinFunc(all, func(a, b storedKey) int { return cmp.Compare(a.ID, b.ID) }).ID, nil
}

// UseSignInLink signs in with a link, which is gone then; id is its ULID. A link that is unknown,
// wrong, used or too old, or whose key is gone, is NOT_FOUND.
func (s *Store) UseSignInLink(ctx context.Context,
	company, id, secret string) (dossier.Session, error) {
	var shown dossier.Session
	err := s.retryOnConflict(ctx, func() error {
		link, read, err := get[storedSession](ctx, s, signInLinkKey(company, id))
		if err != nil {
			return err
		}
		hash := sha256.Sum256([]byte(secret))
		if subtle.ConstantTimeCompare(hash[:], link.Hash) != 1 ||
			!s.now().Before(link.ExpiresAt.Time) {
			return dossier.ErrNotFound
		}
		var writes []kv.Write
		if shown, writes, err = s.newSession(ctx, company, link.KeyID); err != nil {
			return err
		}
		// Failed: the link was used meanwhile, or its key was deleted.
		return s.commit(ctx, nil, append(writes, remove(read))...)
	})
	return shown, err
}
