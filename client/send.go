package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	defaultAttempts = 5
	maxElapsed      = 5 * time.Minute // from the first attempt to the last
)

// send sends a request and decodes the answer.
func send[T any](ctx context.Context, c *Client, r call) (Response[T], error) {
	var answer Response[T]
	got, err := c.do(ctx, r)
	if err != nil {
		return answer, err
	}
	answer.ETag, answer.RequestID = got.header.Get("ETag"), got.header.Get("X-Request-Id")
	return answer, r.decode(got, &answer.Value)
}

// decode decodes an answer.
func (r call) decode(got received, into any) error {
	if err := json.Unmarshal(got.body, into); err != nil {
		return fmt.Errorf("%s %s: the answer can't be read: %w", r.method, r.path, err)
	}
	return nil
}

// do sends a request, again where that is safe.
func (c *Client) do(ctx context.Context, r call) (received, error) {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return received{}, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
	}
	if r.idempotent && r.header.Get("Idempotency-Key") == "" {
		r.addHeader("Idempotency-Key", rand.Text())
	}
	wait := backoff.NewExponentialBackOff()
	if c.pause > 0 {
		wait.InitialInterval = c.pause
	}
	attempts := c.Attempts
	if attempts == 0 {
		attempts = defaultAttempts
	}
	got, err := backoff.Retry(ctx, func() (received, error) { return c.attempt(ctx, r, body) },
		backoff.WithBackOff(wait), backoff.WithMaxTries(attempts),
		backoff.WithMaxElapsedTime(maxElapsed))
	return got, unwrapped(ctx, got, err)
}

// received is the answer to one attempt; refused is set if it was a failure.
type received struct {
	header  http.Header
	body    []byte
	refused *Error
}

// attempt sends a request once. The error it returns is permanent, unless another attempt is safe.
func (c *Client) attempt(ctx context.Context, r call, body []byte) (received, error) {
	request, err := c.request(ctx, r, body)
	if err != nil {
		return received{}, backoff.Permanent(err)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return received{}, r.lost(ctx, err)
	}
	defer func() { _ = response.Body.Close() }() // it was read
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return received{}, r.lost(ctx, fmt.Errorf("%s %s: %w", r.method, r.path, err))
	}
	got := received{header: response.Header, body: text}
	if response.StatusCode == http.StatusOK {
		return got, nil
	}
	got.refused = refusal(r, response, text)
	if response.StatusCode != http.StatusTooManyRequests &&
		(response.StatusCode != http.StatusServiceUnavailable || !r.repeatable()) {
		return got, backoff.Permanent(got.refused)
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		return got, backoff.RetryAfter(seconds)
	}
	return got, got.refused
}

// request makes the request of an attempt.
func (c *Client) request(ctx context.Context, r call, body []byte) (*http.Request, error) {
	for segment := range strings.SplitSeq(strings.TrimPrefix(r.path, "/"), "/") {
		if segment == "" || segment == "." || segment == ".." {
			return nil, fmt.Errorf("%s %s: %q is not an id", r.method, r.path, segment)
		}
	}
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if r.header != nil {
		request.Header = r.header.Clone()
	}
	if r.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	return request, nil
}

// lost returns the error of a request without an answer: nobody knows whether it took effect.
func (r call) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil || !r.repeatable() {
		return backoff.Permanent(err)
	}
	return err
}

// repeatable reports whether a request that may have taken effect can be sent again.
func (r call) repeatable() bool { return r.method == http.MethodGet || r.idempotent }

// unwrapped returns the error of the last attempt, without what the retries put around it.
func unwrapped(ctx context.Context, got received, err error) error {
	var permanent *backoff.PermanentError
	switch {
	case err == nil:
		return nil
	case got.refused != nil && ctx.Err() != nil:
		return fmt.Errorf("%w, after: %w", err, got.refused)
	case got.refused != nil:
		return got.refused
	case errors.As(err, &permanent):
		return permanent.Err
	}
	return err
}
