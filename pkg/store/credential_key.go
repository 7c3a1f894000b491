package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// storedKey is the key item: of the secret only the SHA-256 is kept.
type storedKey struct {
	dossier.Key
	Hash []byte `json:"hash"`
}

// newSecret makes the secret of a key or token: 32 random bytes as text without an underscore,
// which ends the id before it.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return strings.ReplaceAll(base64.RawURLEncoding.EncodeToString(b[:]), "_", "-")
}

// newKey makes a key and the whole text that its holder sends.
func (s *Store) newKey(company string, in dossier.KeyInput, now dossier.Time) (storedKey, string) {
	id := s.newID(dossier.PrefixKey)
	secret := newSecret()
	hash := sha256.Sum256([]byte(secret))
	k := storedKey{Key: dossier.Key{ID: id, Name: in.Name, Kind: in.Kind, Scopes: in.Scopes,
		CreatedAt: now, ExpiresAt: in.ExpiresAt}, Hash: hash[:]}
	return k, "dsr_" + company[len(dossier.PrefixCompany):] + id[len(dossier.PrefixKey):] + "_" +
		secret
}

// CreateKey creates a key. The response shows its secret once.
func (s *Store) CreateKey(ctx context.Context, company string,
	in dossier.KeyInput) (dossier.Key, error) {
	answer, err := changeSettings(ctx, s, company,
		func(now dossier.Time) (answer once[dossier.Key], writes []kv.Write, err error) {
			others, err := settings[storedKey](ctx, s, company, kindKey)
			if err != nil {
				return answer, nil, err
			}
			if len(others) >= dossier.MaxListed {
				return answer, nil, dossier.Errorf(dossier.CodeLimitReached,
					"A company can have at most %d keys.", dossier.MaxListed)
			}
			k, secret := s.newKey(company, in, now)
			i, err := item(accessKeyKey(company, k.ID[len(dossier.PrefixKey):]), 0, k)
			shown := k.Key
			shown.Secret = secret
			return once[dossier.Key]{shown, k.Key}, []kv.Write{put(i)}, err
		})
	return answer.shown, err
}

// AccessKey returns a key and the revision it has.
func (s *Store) AccessKey(ctx context.Context, company, id string) (dossier.Key, Rev, error) {
	k, read, err := setting[storedKey](ctx, s, company, kindKey, id)
	return k.Key, Rev(read.Rev), err
}

// AccessKeys returns a page of a company's keys.
func (s *Store) AccessKeys(ctx context.Context, company, after string,
	limit int) ([]dossier.Key, string, error) {
	stored, next, err := settingsPage[storedKey](ctx, s, company, kindKey, after, limit)
	list := make([]dossier.Key, len(stored))
	for n, k := range stored {
		list[n] = k.Key
	}
	return list, next, err
}

// ChangeKey changes the name, scopes or end of a key. CONFLICT where no administrator could manage
// keys any more.
func (s *Store) ChangeKey(ctx context.Context, company, id string, want Rev,
	change func(dossier.Key) (dossier.KeyUpdate, error)) (dossier.Key, Rev, error) {
	return updateSetting(ctx, s, company, kindKey, id, want,
		func(k storedKey, now dossier.Time) (storedKey, dossier.Key, error) {
			in, err := change(k.Key)
			if err != nil {
				return k, k.Key, err
			}
			managed := k.manages(now)
			k.Name, k.Scopes, k.ExpiresAt = in.Name, in.Scopes, in.ExpiresAt
			if managed && (!k.manages(now) || !k.ExpiresAt.IsZero()) {
				err = s.checkManaged(ctx, company, id, now)
			}
			return k, k.Key, err
		})
}

// DeleteKey revokes a key that allow returns no error for. CONFLICT for the last with which an
// administrator manages keys.
func (s *Store) DeleteKey(ctx context.Context, company, id string,
	allow func(dossier.Key) error) error {
	_, err := changeSettings(ctx, s, company,
		func(now dossier.Time) (none struct{}, writes []kv.Write, err error) {
			k, read, err := setting[storedKey](ctx, s, company, kindKey, id)
			if err == nil {
				err = allow(k.Key)
			}
			if err == nil && k.manages(now) {
				err = s.checkManaged(ctx, company, id, now)
			}
			return none, []kv.Write{remove(read)}, err
		})
	return err
}

// manages reports whether an administrator manages keys with this one now.
func (k storedKey) manages(now dossier.Time) bool {
	return k.Kind == dossier.KindAdministrator && slices.Contains(k.Scopes, dossier.ScopeKeys) &&
		(k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt.Time))
}

// checkManaged refuses to remove the last key that manages keys.
func (s *Store) checkManaged(ctx context.Context, company, without string, now dossier.Time) error {
	all, err := settings[storedKey](ctx, s, company, kindKey)
	if err != nil {
		return err
	}
	for _, k := range all {
		if k.ID != without && k.manages(now) {
			return nil
		}
	}
	return dossier.Errorf(dossier.CodeConflict,
		"This is the last administrator key that can manage keys.")
}
