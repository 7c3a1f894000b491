// Package seal encrypts the secrets that the table holds, with AES-256-GCM under one key that is
// kept apart from the table.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// prefix begins every sealed text. A text without it was stored before sealing and is returned as
// it is.
const prefix = "sealed:1:"

// minKey is the shortest key in bytes.
const minKey = 32

// Box seals and opens texts. Its methods may be called from any number of goroutines.
type Box struct{ aead cipher.AEAD }

// New makes a Box of a secret of at least 32 bytes.
func New(secret []byte) (*Box, error) {
	if len(secret) < minKey {
		return nil, fmt.Errorf("the seal key has %d bytes, at least %d are needed", len(secret),
			minKey)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "dossier secrets at rest", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &Box{aead}, err
}

// NewKey returns a random key as text.
func NewKey() string { return rand.Text() + rand.Text() }

// Seal encrypts a text for its owner, the id of the entity that holds it: nobody can move a sealed
// text to another entity. A sealed text is returned as it is.
func (b *Box) Seal(text, owner string) string {
	if strings.HasPrefix(text, prefix) {
		return text
	}
	return prefix + base64.RawStdEncoding.EncodeToString(
		b.aead.Seal(nil, nil, []byte(text), []byte(owner)))
}

// errOpen does not say more: the text is a secret.
var errOpen = errors.New(
	"a stored secret does not open: it was sealed with another key, or for another entity")

// Open is the inverse of Seal.
func (b *Box) Open(sealed, owner string) (string, error) {
	encoded, ok := strings.CutPrefix(sealed, prefix)
	if !ok {
		return sealed, nil
	}
	bytes, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil {
		return "", errOpen
	}
	text, err := b.aead.Open(nil, nil, bytes, []byte(owner))
	if err != nil {
		return "", errOpen
	}
	return string(text), nil
}
