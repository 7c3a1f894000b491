package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// maxToken is the longest validity of a candidate's token.
const maxToken = 24 * time.Hour

// storedToken is the item of a candidate's token. It holds no name, so that an erasure leaves
// nothing of the candidate in it.
type storedToken struct {
	CandidateID string       `json:"candidateId"`
	Hash        []byte       `json:"hash"` // SHA-256 of the secret
	ExpiresAt   dossier.Time `json:"expiresAt"`
}

// issuedTokens is the item that counts a candidate's tokens.
type issuedTokens struct {
	Tokens []issuedToken `json:"tokens"`
}

type issuedToken struct {
	ULID      string       `json:"ulid"`
	ExpiresAt dossier.Time `json:"expiresAt"`
}

// Token is a candidate's token as the response shows it, once.
type Token struct {
	Token     string       `json:"token,omitzero"`
	ExpiresAt dossier.Time `json:"expiresAt"`
}

// CreateToken makes a token with which a candidate reads and answers in their own dossier. It is
// valid for at most a day; LIMIT_REACHED if the candidate has dossier.MaxTokens that are valid.
func (s *Store) CreateToken(ctx context.Context, company, candidate string,
	valid time.Duration) (Token, error) {
	at, err := parseRef(company, candidate)
	if err != nil {
		return Token{}, err
	}
	id, secret := s.newID(""), newSecret()
	hash := sha256.Sum256([]byte(secret))
	var shown Token
	err = s.retryOnConflict(ctx, func() error {
		c, read, err := s.readCandidate(ctx, at)
		if err != nil {
			return err
		}
		kept := Token{ExpiresAt: later(s.now(), min(valid, maxToken))}
		shown = Token{Token: "dst_" + company[len(dossier.PrefixCompany):] + id + "_" + secret,
			ExpiresAt: kept.ExpiresAt}
		issued, err := s.issueToken(ctx, at, issuedToken{id, kept.ExpiresAt})
		if err != nil {
			return err
		}
		i, err := item(tokenKey(company, id), 0, storedToken{c.ID, hash[:], kept.ExpiresAt})
		if err != nil {
			return err
		}
		i.Expires = kept.ExpiresAt.Unix() + 1
		// Fails if erasure has begun: the candidate gets no token any more.
		return s.commit(ctx, once[Token]{shown, kept}, put(i), issued,
			kv.Write{Check: &read.Key, If: notErased})
	})
	return shown, err
}

// issueToken returns the write that counts one more token, without those that have expired.
func (s *Store) issueToken(ctx context.Context, at candidateRef,
	token issuedToken) (kv.Write, error) {
	issued, read, err := get[issuedTokens](ctx, s, at.tokensKey())
	if err != nil && !errors.Is(err, dossier.ErrNotFound) {
		return kv.Write{}, err
	}
	now := s.now()
	issued.Tokens = slices.DeleteFunc(issued.Tokens, func(t issuedToken) bool {
		return !now.Before(t.ExpiresAt.Time)
	})
	if len(issued.Tokens) >= dossier.MaxTokens {
		return kv.Write{}, dossier.Errorf(dossier.CodeLimitReached,
			"A candidate has at most %d valid tokens.", dossier.MaxTokens)
	}
	issued.Tokens = append(issued.Tokens, token)
	// Fails if another token was issued meanwhile.
	i, err := item(at.tokensKey(), read.Rev, issued)
	i.Expires = now.Add(maxToken).Unix() + 1
	return put(i), err
}

// EndToken ends a candidate's token before its time; id is its ULID. It stops counting too. A token
// that is gone is no error.
func (s *Store) EndToken(ctx context.Context, company, id string) error {
	err := s.retryOnConflict(ctx, func() error {
		token, read, err := get[storedToken](ctx, s, tokenKey(company, id))
		if err != nil {
			return err
		}
		at, err := parseRef(company, token.CandidateID)
		if err != nil {
			return err
		}
		writes := []kv.Write{remove(read)}
		issued, counted, err := get[issuedTokens](ctx, s, at.tokensKey())
		switch {
		case err == nil:
			issued.Tokens = slices.DeleteFunc(issued.Tokens, func(t issuedToken) bool {
				return t.ULID == id
			})
			i, err := item(counted.Key, counted.Rev, issued)
			if err != nil {
				return err
			}
			i.Expires = counted.Expires
			writes = append(writes, put(i))
		case !errors.Is(err, dossier.ErrNotFound):
			return err
		}
		return s.engine.Commit(ctx, writes...)
	})
	if errors.Is(err, dossier.ErrNotFound) {
		return nil
	}
	return err
}
