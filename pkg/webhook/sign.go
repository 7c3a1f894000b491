package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Names of the three headers of Standard Webhooks, in Go's canonical form; on the wire their case
// has no meaning.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
	// Standard Webhooks asks for keys of 24 to 64 bytes.
	minSecretBytes = 24
	maxSecretBytes = 64
)

// ErrSecret is returned for a secret that is not "whsec_" and standard base64 of 24 to 64 bytes. It
// never holds the secret.
var ErrSecret = errors.New("webhook: the secret is malformed")

// ErrMessageID is returned for a message id that is empty, too long or not plain printable ASCII.
var ErrMessageID = errors.New("webhook: the message id is malformed")

// NewSecret makes a signing secret: "whsec_" and the standard base64 of 32 random bytes.
func NewSecret() string {
	key := make([]byte, secretBytes)
	rand.Read(key) // never fails: crypto/rand ends the process instead
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// Sign makes the three headers of Standard Webhooks over id, at (whole seconds) and body. Each
// secret gives one signature, in the order given, so that a receiver accepts the old and the new
// one while a secret is rotated. Errors: ErrMessageID; ErrSecret, also when there is no secret at
// all.
func Sign(secrets []string, id string, at time.Time, body []byte) (http.Header, error) {
	header := make(http.Header, 8)
	return header, signInto(header, secrets, id, at, body)
}

func signInto(header http.Header, secrets []string, id string, at time.Time, body []byte) error {
	if !plainID(id) {
		return ErrMessageID
	}
	if len(secrets) == 0 {
		return ErrSecret
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]byte, 0, len(secrets)*48)
	for i, secret := range secrets {
		key, err := decodeSecret(secret)
		if err != nil {
			return err
		}
		if i > 0 {
			signatures = append(signatures, ' ')
		}
		signatures = append(signatures, "v1,"...)
		signatures = base64.StdEncoding.AppendEncode(signatures, mac(key, id, timestamp, body))
	}
	header[HeaderID] = []string{id}
	header[HeaderTimestamp] = []string{timestamp}
	header[HeaderSignature] = []string{string(signatures)}
	return nil
}

func mac(key []byte, id, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return h.Sum(nil)
}

func decodeSecret(secret string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(secret, secretPrefix)
	if !ok {
		return nil, ErrSecret
	}
	// Strict: one secret has one spelling. Line breaks are skipped by the decoder, so they are
	// refused before.
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") || len(key) < minSecretBytes ||
		len(key) > maxSecretBytes {
		return nil, ErrSecret
	}
	return key, nil
}

func plainID(id string) bool {
	if id == "" || len(id) > 256 {
		return false
	}
	for i := range len(id) {
		// A dot would let two different (id, timestamp) pairs be signed as the same text.
		if id[i] <= ' ' || id[i] >= 0x7f || id[i] == '.' {
			return false
		}
	}
	return true
}
