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

// answers finds the answer that is kept for a request that was sent before. The key with another request is IDEMPOTENCY_KEY_REUSED.
type answers interface {
	Replay(ctx context.Context, i store.Idempotency) (answer []byte, found bool, err error)
}

const maxIdempotencyKey = 255

// done is the answer to a request that was done before.
func done(kept []byte) answer { return answer{status: http.StatusOK, body: kept} }

// idempotent returns the answer to a POST that was done before under the same Idempotency-Key; else the context in which the use case
// keeps its answer, in its own transaction.
func (a *API) idempotent(ctx context.Context, r *request) (context.Context, []byte, error) {
	header := r.Header.Values("Idempotency-Key")
	if r.Method != http.MethodPost || r.route.public || len(header) == 0 {
		return ctx, nil, nil
	}
	if len(header) > 1 || !printable(header[0]) {
		var p dossier.Problems
		p.Add("#header/Idempotency-Key", "malformed", "is not 1 to %d printable ASCII characters", maxIdempotencyKey)
		return ctx, nil, p.Err()
	}
	i := store.Idempotency{
		CompanyID:   r.principal.CompanyID,
		PrincipalID: r.principal.ID,
		Key:         header[0],
		BodyHash:    requestHash(r),
	}
	kept, found, err := a.replay.Replay(ctx, i)
	if err != nil || found {
		return ctx, kept, err
	}
	return store.WithIdempotency(ctx, i), nil, nil
}

func printable(key string) bool {
	for _, c := range []byte(key) {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return key != "" && len(key) <= maxIdempotencyKey
}

// requestHash tells one request from another: method, path and body.
func requestHash(r *request) string {
	h := sha256.New()
	_, _ = io.WriteString(h, r.Method+" "+r.URL.EscapedPath()+"\n")
	_, _ = h.Write(r.body)
	return hex.EncodeToString(h.Sum(nil))
}
