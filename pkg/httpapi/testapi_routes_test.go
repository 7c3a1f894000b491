package httpapi

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// The credentials of the tests, all of company one but the last.
const (
	companyULID = "01JAAAAAAAAAAAAAAAAAAAAAAA"
	keyULID     = "01JKKKKKKKKKKKKKKKKKKKKKKK"
	readerULID  = "01JKRRRRRRRRRRRRRRRRRRRRRR"
	expiredULID = "01JKEEEEEEEEEEEEEEEEEEEEEE"
	tokenULID   = "01JTTTTTTTTTTTTTTTTTTTTTTT"
	candULID    = "01JCCCCCCCCCCCCCCCCCCCCCCC"
	otherULID   = "01JCDDDDDDDDDDDDDDDDDDDDDD"

	secretText = "s3cr3ts3cr3ts3cr3ts3cr3t"
	adminKey   = "dsr_" + companyULID + keyULID + "_" + secretText
	readerKey  = "dsr_" + companyULID + readerULID + "_" + secretText
	expiredKey = "dsr_" + companyULID + expiredULID + "_" + secretText
	unknownKey = "dsr_" + companyULID + otherULID + "_" + secretText
	wrongKey   = "dsr_" + companyULID + keyULID + "_" + "x" + secretText
	token      = "dst_" + companyULID + tokenULID + "_" + secretText
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fakeCredentials keeps credentials in a map. If err is set, every look-up returns it.
type fakeCredentials struct {
	mu    sync.Mutex
	byID  map[string]store.Credential
	err   error
	reads int
}

func newFakeCredentials() *fakeCredentials {
	company := "com_" + companyULID
	hash := sha256.Sum256([]byte(secretText))
	admin := dossier.Principal{Kind: dossier.KindAdministrator, ID: "key_" + keyULID, Name: "Ann",
		CompanyID: company, Scopes: dossier.Scopes}
	reader := dossier.Principal{Kind: dossier.KindIntegration, ID: "key_" + readerULID,
		CompanyID: company, Scopes: []string{dossier.ScopeSettingsRead}}
	candidate := dossier.Principal{Kind: dossier.KindCandidate, ID: "cnd_" + candULID,
		CompanyID: company, CandidateID: "cnd_" + candULID}
	return &fakeCredentials{byID: map[string]store.Credential{
		keyULID:     {Principal: admin, Hash: hash},
		readerULID:  {Principal: reader, Hash: hash},
		expiredULID: {Principal: admin, Hash: hash, ExpiresAt: dossier.NewTime(start)},
		"token " + tokenULID: {Principal: candidate, Hash: hash,
			ExpiresAt: dossier.NewTime(start.Add(5 * time.Second))},
	}}
}

func (k *fakeCredentials) Credential(_ context.Context, companyID, id string,
	isToken, _ bool) (store.Credential, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reads++
	if k.err != nil {
		return store.Credential{}, k.err
	}
	if isToken {
		id = "token " + id
	}
	c, ok := k.byID[id]
	if !ok || companyID != "com_"+companyULID {
		return store.Credential{}, dossier.ErrNotFound
	}
	return c, nil
}

// Session finds nothing: sessions are tested on a store.
func (k *fakeCredentials) Session(context.Context, string, string, string,
	bool) (store.Credential, error) {
	return store.Credential{}, dossier.ErrNotFound
}

func (k *fakeCredentials) PersonSession(context.Context, string, string, string,
	bool) (store.Credential, error) {
	return store.Credential{}, dossier.ErrNotFound
}

// fakeResponses keeps stored responses in a map.
type fakeResponses struct {
	mu   sync.Mutex
	kept map[store.Idempotency][]byte
}

func (s *fakeResponses) Replay(_ context.Context, i store.Idempotency) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, body := range s.kept {
		if k.Key == i.Key && k.PrincipalID == i.PrincipalID && k.CompanyID == i.CompanyID {
			if k.BodyHash != i.BodyHash {
				return nil, false, dossier.Errorf(dossier.CodeKeyReused,
					"This Idempotency-Key was already used with another request.")
			}
			return body, true, nil
		}
	}
	return nil, false, nil
}
