package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// storedResponses finds the stored response to a request that was sent before. The same key with
// another request is IDEMPOTENCY_KEY_REUSED.
type storedResponses interface {
	Replay(ctx context.Context, i store.Idempotency) (response []byte, found bool, err error)
}

const maxIdempotencyKey = 255

// done returns the response to a request that was done before.
func (r *request) done(kept []byte) (response, error) {
	body, err := r.visibleStored(kept)
	return response{status: http.StatusOK, body: body}, err
}

// idempotent returns the stored response to a POST with the same Idempotency-Key, or else the
// context in which the use case stores its response in its own transaction.
func (a *API) idempotent(ctx context.Context, r *request) (context.Context, []byte, error) {
	header := r.Header.Values("Idempotency-Key")
	if r.Method != http.MethodPost || r.route.public || len(header) == 0 {
		return ctx, nil, nil
	}
	if len(header) > 1 || !validIdempotencyKey(header[0]) {
		var p dossier.Problems
		p.Say("#header/Idempotency-Key", dossier.ProblemMalformed,
			"must be 1 to %d printable ASCII characters", maxIdempotencyKey)
		return ctx, nil, p.Err()
	}
	i := store.Idempotency{
		CompanyID:   r.principal.CompanyID,
		PrincipalID: r.principal.ID,
		Key:         header[0],
		BodyHash:    requestHash(r),
	}
	kept, found, err := a.stored.Replay(ctx, i)
	if err != nil || found {
		return ctx, kept, err
	}
	return store.WithIdempotency(ctx, i), nil, nil
}

func validIdempotencyKey(key string) bool {
	for _, c := range []byte(key) {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return key != "" && len(key) <= maxIdempotencyKey
}

// requestHash returns a hash of method, path and body.
func requestHash(r *request) string {
	h := sha256.New()
	_, _ = io.WriteString(h, r.Method+" "+r.URL.EscapedPath()+"\n")
	_, _ = h.Write(r.body)
	return hex.EncodeToString(h.Sum(nil))
}
