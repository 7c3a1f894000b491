package store

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// Credential is a stored key or candidate's token. Hash is the SHA-256 of its secret.
type Credential struct {
	Principal dossier.Principal
	Hash      [sha256.Size]byte
	ExpiresAt dossier.Time // zero: never
	// KeyExpiresAt is the end of the key itself, or of the key of a session; zero: never.
	KeyExpiresAt dossier.Time
	// External is set for a person who signed in at a provider, where the account may end.
	External bool
	used     func(context.Context)
}

// Used notes that the credential was good: the day of a key's last use, at most one write a day,
// and none that anything waits for to succeed.
func (c Credential) Used(ctx context.Context) {
	if c.used != nil {
		c.used(ctx)
	}
}

// Credential finds a key (the id of its company and its own ULID) or a candidate's token, in one
// read, which is eventually consistent unless it is to be fresh. What is not there is NOT_FOUND.
func (s *Store) Credential(ctx context.Context, companyID, id string,
	token, fresh bool) (Credential, error) {
	key := accessKeyKey(companyID, id)
	if token {
		key = tokenKey(companyID, id)
	}
	items, err := s.engine.Get(ctx, !fresh, key)
	if err != nil {
		return Credential{}, err
	}
	if items[0].Rev == 0 {
		return Credential{}, dossier.ErrNotFound
	}
	if token {
		stored, err := decode[storedToken](items[0])
		return Credential{Hash: hashOf(stored.Hash), ExpiresAt: stored.ExpiresAt,
			Principal: dossier.Principal{
				Kind: dossier.KindCandidate, ID: stored.CandidateID, CompanyID: companyID,
				CandidateID: stored.CandidateID}}, err
	}
	stored, err := decode[storedKey](items[0])
	return Credential{Hash: hashOf(stored.Hash), ExpiresAt: stored.ExpiresAt,
		KeyExpiresAt: stored.ExpiresAt, Principal: stored.principal(companyID),
		used: func(ctx context.Context) { s.keyUsed(ctx, stored, items[0]) }}, err
}

// principal returns the principal of the key.
func (k storedKey) principal(companyID string) dossier.Principal {
	return dossier.Principal{Kind: k.Kind, ID: k.ID, Name: k.Name, CompanyID: companyID,
		Scopes: k.Scopes}
}

// keyUsed notes the day of a key's last use. Failing is no failure: the next use notes it.
func (s *Store) keyUsed(ctx context.Context, k storedKey, read kv.Item) {
	day := dossier.NewTime(s.cfg.Now().UTC().Truncate(24 * time.Hour))
	if !k.LastUsedAt.Before(day.Time) {
		return
	}
	k.LastUsedAt = day
	if i, err := item(read.Key, read.Rev, k); err == nil {
		_ = s.engine.Commit(ctx, put(i))
	}
}

func hashOf(stored []byte) (hash [sha256.Size]byte) {
	copy(hash[:], stored)
	return hash
}
