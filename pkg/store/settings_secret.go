package store

import (
	"fmt"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Sealer encrypts the secrets of integrations and parser services at rest. owner is the id of the
// entity that holds the text.
type Sealer interface {
	// Seal encrypts a text; a sealed one is returned as it is.
	Seal(text, owner string) string
	// Open decrypts a text; one that was stored before sealing is returned as it is.
	Open(text, owner string) (string, error)
}

// sealSecrets encrypts the signing secrets of an integration, those stored before sealing too.
func (s *Store) sealSecrets(i *storedIntegration) {
	if s.cfg.Seal == nil {
		return
	}
	for n := range i.Secrets {
		i.Secrets[n].Secret = s.cfg.Seal.Seal(i.Secrets[n].Secret, i.ID)
	}
}

// openSecrets returns the secrets that sign now, the newest first: two during a rotation.
func (s *Store) openSecrets(i *storedIntegration, now dossier.Time) ([]string, error) {
	secrets := i.secrets(now)
	for n, secret := range secrets {
		var err error
		if secrets[n], err = s.openSecret(secret, i.ID); err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

// sealParser encrypts the secret of a document type's parser service.
func (s *Store) sealParser(dt *storedType) {
	if http := dt.Check.HTTP; s.cfg.Seal != nil && http != nil {
		dt.Check.HTTP = &dossier.HTTPParser{URL: http.URL,
			Secret: s.cfg.Seal.Seal(http.Secret, dt.ID)}
	}
}

// openParser returns the document type with the secret of its parser service in the clear.
func (s *Store) openParser(dt dossier.DocumentType) (dossier.DocumentType, error) {
	http := dt.Check.HTTP
	if http == nil {
		return dt, nil
	}
	secret, err := s.openSecret(http.Secret, dt.ID)
	dt.Check.HTTP = &dossier.HTTPParser{URL: http.URL, Secret: secret}
	return dt, err
}

func (s *Store) openSecret(text, owner string) (string, error) {
	if s.cfg.Seal == nil {
		return text, nil
	}
	secret, err := s.cfg.Seal.Open(text, owner)
	if err != nil {
		return "", fmt.Errorf("secret of %s: %w", owner, err)
	}
	return secret, nil
}
