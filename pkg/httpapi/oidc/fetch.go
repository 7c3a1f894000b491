package oidc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

const maxBody = 1 << 18 // bytes of an issuer's answer

// fetcher sends requests to the issuer. It reads whole responses of a bounded size, and asks no
// address too often. Its errors are *fetchError.
type fetcher struct {
	base http.RoundTripper
	now  func() time.Time

	mu     sync.Mutex
	last   map[string]time.Time // answered, by address; there are two of them
	failed map[string]failure   // by address, since the last answer
}

// failure is a request that was not answered.
type failure struct {
	at  time.Time
	err *fetchError
}

// fetchError is an issuer that did not answer.
type fetchError struct{ err error }

func (e *fetchError) Error() string { return e.err.Error() }
func (e *fetchError) Unwrap() error { return e.err }

var errTooSoon = errors.New("asked a moment ago")

// RoundTrip asks, unless the same was answered a moment ago.
func (f *fetcher) RoundTrip(r *http.Request) (*http.Response, error) {
	address := r.URL.String()
	f.mu.Lock()
	last, ok := f.last[address]
	failed, silent := f.failed[address]
	f.mu.Unlock()
	if silent && f.now().Before(failed.at.Add(askAgain)) {
		return nil, failed.err // it may hang, and every request would wait for it
	}
	if ok && f.now().Before(last.Add(fetchAgain)) {
		return nil, errTooSoon
	}
	resp, body, err := f.ask(r)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		// The moment is that of the end: it may have taken long.
		f.failed[address] = failure{f.now(), &fetchError{err}}
		return nil, f.failed[address].err
	}
	delete(f.failed, address)
	f.last[address] = f.now()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// ask sends the request and reads the whole response.
func (f *fetcher) ask(r *http.Request) (*http.Response, []byte, error) {
	resp, err := f.base.RoundTrip(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = resp.Body.Close() }() // only read from
	body, err := io.ReadAll(http.MaxBytesReader(nil, resp.Body, maxBody))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", resp.StatusCode)
	}
	return resp, body, err
}

// keySet distinguishes a key that does not exist from keys that can't be fetched, which the
// library's error does not. It leaves the latter in the outcome of the context.
type keySet struct{ remote *oidc.RemoteKeySet }

type (
	outcome    struct{ err error }
	outcomeKey struct{}
)

// VerifySignature checks the signature with the issuer's keys.
func (k keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.remote.VerifySignature(ctx, jwt)
	failed := (*fetchError)(nil)
	if out, ok := ctx.Value(outcomeKey{}).(*outcome); ok &&
		(errors.As(err, &failed) || errors.Is(err, context.Canceled) ||
			errors.Is(err, context.DeadlineExceeded)) {
		out.err = err
	}
	return payload, err
}
