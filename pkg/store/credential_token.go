package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// maxToken is the longest validity of a candidate's token.
const maxToken = dossier.MaxTokenSeconds * time.Second

// storedToken is the item of a candidate's token. It holds no name, so that an erasure leaves
// nothing of the candidate in it.
type storedToken struct {
	CandidateID string       `json:"candidateId"`
	Hash        []byte       `json:"hash"` // SHA-256 of the secret
	ExpiresAt   dossier.Time `json:"expiresAt"`
}

// issuedTokens is the item that lists a candidate's tokens.
type issuedTokens struct {
	Tokens []issuedToken `json:"tokens"`
}

type issuedToken struct {
	ULID      string         `json:"ulid"`
	ExpiresAt dossier.Time   `json:"expiresAt"`
	CreatedBy *dossier.Actor `json:"createdBy,omitzero"` // tokens of earlier versions have none
}

// Token is a candidate's token. Its text is shown once, in the response that creates it.
type Token struct {
	ID        string         `json:"id"`
	Token     string         `json:"token,omitzero"`
	CreatedAt dossier.Time   `json:"createdAt"`
	ExpiresAt dossier.Time   `json:"expiresAt"`
	CreatedBy *dossier.Actor `json:"createdBy,omitzero"`
}

// shown returns the token without its text. Its ULID tells when it was made.
func (t issuedToken) shown() Token {
	made, _ := ulid.ParseStrict(t.ULID) // it was made here
	return Token{ID: dossier.PrefixToken + t.ULID, CreatedAt: dossier.NewTime(made.Timestamp()),
		ExpiresAt: t.ExpiresAt, CreatedBy: t.CreatedBy}
}

// valid removes the tokens that have expired.
func (i issuedTokens) valid(now dossier.Time) issuedTokens {
	i.Tokens = slices.DeleteFunc(i.Tokens, func(t issuedToken) bool {
		return !now.Before(t.ExpiresAt.Time)
	})
	return i
}

// secretToken is the id and the secret of a token that is being made.
type secretToken struct{ ulid, secret string }

func (s *Store) newToken() secretToken { return secretToken{s.newID(""), newSecret()} }

// text returns the token as the candidate's client sends it.
func (t secretToken) text(company string) string {
	return "dst_" + company[len(dossier.PrefixCompany):] + t.ulid + "_" + t.secret
}

// item makes the item of the token, which the table lets go of when the token has expired.
func (t secretToken) item(at candidateRef, expires dossier.Time) (kv.Item, error) {
	hash := sha256.Sum256([]byte(t.secret))
	i, err := item(tokenKey(at.company, t.ulid), 0, storedToken{string(at.id), hash[:], expires})
	i.Expires = expires.Unix() + 1
	return i, err
}

// CreateToken makes a token with which a candidate reads and answers in their own dossier. It is
// valid for at most a day; LIMIT_REACHED if the candidate has dossier.MaxTokens that are valid.
func (s *Store) CreateToken(ctx context.Context, company, candidate string,
	valid time.Duration) (Token, error) {
	at, err := parseRef(company, candidate)
	if err != nil {
		return Token{}, err
	}
	made := s.newToken()
	var shown Token
	err = s.retryOnConflict(ctx, func() error {
		_, read, err := s.readCandidate(ctx, at)
		if err != nil {
			return err
		}
		token := issuedToken{made.ulid, later(s.now(), min(valid, maxToken)), actorOf(ctx)}
		kept := token.shown()
		shown = kept
		shown.Token = made.text(company)
		issued, err := s.issueToken(ctx, at, token)
		if err != nil {
			return err
		}
		i, err := made.item(at, kept.ExpiresAt)
		if err != nil {
			return err
		}
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
	issued = issued.valid(now)
	if len(issued.Tokens) >= dossier.MaxTokens {
		return kv.Write{}, dossier.Errorf(dossier.CodeLimitReached,
			"A candidate can have at most %d valid tokens.", dossier.MaxTokens)
	}
	issued.Tokens = append(issued.Tokens, token)
	// Fails if another token was issued meanwhile.
	i, err := item(at.tokensKey(), read.Rev, issued)
	i.Expires = now.Add(maxToken).Unix() + 1
	return put(i), err
}

// Tokens returns the valid tokens of a candidate, the oldest first.
func (s *Store) Tokens(ctx context.Context, company, candidate string) ([]Token, error) {
	at, err := parseRef(company, candidate)
	if err != nil {
		return nil, err
	}
	if _, _, err := s.readCandidate(ctx, at); err != nil {
		return nil, err
	}
	list := []Token{}
	issued, _, err := get[issuedTokens](ctx, s, at.tokensKey())
	if err != nil && !errors.Is(err, dossier.ErrNotFound) {
		return nil, err
	}
	for _, t := range issued.valid(s.now()).Tokens {
		list = append(list, t.shown())
	}
	return list, nil
}

// RevokeToken ends a token of a candidate before its time.
func (s *Store) RevokeToken(ctx context.Context, company, candidate, id string) error {
	at, err := parseRef(company, candidate)
	if err != nil {
		return err
	}
	bare, ok := dossier.ParseID(dossier.PrefixToken, id, 1)
	if !ok {
		return dossier.ErrNotFound
	}
	if _, _, err := s.readCandidate(ctx, at); err != nil {
		return err
	}
	return s.endToken(ctx, company, bare, func(t storedToken) bool {
		return t.CandidateID == string(at.id) && s.now().Before(t.ExpiresAt.Time)
	})
}

// EndToken ends a candidate's token before its time; id is its ULID. A token that is gone is no
// error.
func (s *Store) EndToken(ctx context.Context, company, id string) error {
	err := s.endToken(ctx, company, id, func(storedToken) bool { return true })
	if errors.Is(err, dossier.ErrNotFound) {
		return nil
	}
	return err
}

// endToken deletes the token with this ULID, if it is one that is meant. It stops counting too.
func (s *Store) endToken(ctx context.Context, company, id string,
	meant func(storedToken) bool) error {
	return s.retryOnConflict(ctx, func() error {
		token, read, err := get[storedToken](ctx, s, tokenKey(company, id))
		if err != nil {
			return err
		}
		if !meant(token) {
			return dossier.ErrNotFound
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
}
