package httpapi

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"
)

// clientLabel returns the label in the log of the network that a request comes from: a keyed hash,
// by which the requests of one day are recognized as one client's and no address is found out
// without the key. The next day a client has another label.
func (a *API) clientLabel(r *http.Request) string {
	h := hmac.New(sha256.New, a.cfg.LogKey)
	_, _ = h.Write([]byte(a.cfg.Now().UTC().Format(time.DateOnly) + " " + network(r)))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// newLogKey returns the key of a process to which none is given.
func newLogKey() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return key
}
