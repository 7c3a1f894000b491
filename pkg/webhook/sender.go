package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/trace"
)

const (
	defaultTimeout = 10 * time.Second
	maxHeaderBytes = 64 << 10
	maxReadBytes   = 64 << 10 // of an answer's body
	maxKeptBytes   = 1 << 10
)

// Config holds what a Sender can be told. The zero value is right for production.
type Config struct {
	// of one attempt, from the look-up of the name to the last byte of the body; 0: 10 s
	Timeout  time.Duration
	RootCAs  *x509.CertPool // whom to trust instead of the system's authorities; nil: the system's
	Resolver *net.Resolver  // how names are looked up; nil: the default
}

// Sender sends signed messages to endpoints. It is safe for concurrent use and holds a bounded
// number of idle connections.
type Sender struct {
	timeout   time.Duration
	transport *guardedTransport
}

// NewSender makes a Sender that reaches only what guard allows.
func NewSender(guard *Guard, cfg Config) *Sender {
	return newSender(guard, cfg, guard.control)
}

// newSender takes the function that is asked before each guarded connection, so that tests can
// count what passes it.
func newSender(guard *Guard, cfg Config,
	control func(network, address string, conn syscall.RawConn) error) *Sender {
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	guarded := &net.Dialer{Timeout: cfg.Timeout, Resolver: cfg.Resolver, Control: control}
	direct := &net.Dialer{Timeout: cfg.Timeout, Resolver: cfg.Resolver}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(address); err == nil &&
			guard.allowed[dialTarget(host, port)] {
			return direct.DialContext(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}
	return &Sender{timeout: cfg.Timeout,
		transport: &guardedTransport{guard: guard, base: &http.Transport{
			Proxy:                  nil, // a proxy would dial in our place, unguarded
			DialContext:            dial,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs},
			TLSHandshakeTimeout:    cfg.Timeout,
			DisableCompression:     true, // so that no answer is ever unpacked
			MaxResponseHeaderBytes: maxHeaderBytes,
			ForceAttemptHTTP2:      true,
			// An endpoint over HTTP/2 may send only what would be read anyway, instead of the usual
			// 4 MB per request.
			HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: maxReadBytes,
				MaxReceiveBufferPerConnection: 4 * maxReadBytes},
			MaxIdleConns:        100,
			MaxIdleConnsPerHost: 2,
			IdleConnTimeout:     30 * time.Second,
		}}}
}

// Transport returns the transport of the Sender: guarded addresses, no proxy, no decompression,
// bounded headers. It sets no time limit of its own for an answer, and leaves the size of bodies to
// its user.
func (s *Sender) Transport() http.RoundTripper { return s.transport }

// guardedTransport checks the URL of every request, also of one that a redirect made; the dialer
// below checks addresses.
type guardedTransport struct {
	guard *Guard
	base  *http.Transport
}

// RoundTrip sends one request, or fails with ErrTarget before anything is looked up.
func (t *guardedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.guard.checkURL(r.URL); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, &targetError{reason: err}
	}
	return t.base.RoundTrip(r)
}

type targetError struct{ reason error }

func (e *targetError) Error() string { return ErrTarget.Error() + ": " + e.reason.Error() }
func (e *targetError) Unwrap() error { return ErrTarget }

// Send makes one attempt. It always returns within the configured time, follows no redirect, reads
// at most 64 kB of the response, and records every failure in the Outcome. A 2xx whose body is not
// whole in time, or breaks off, is a Retry; one that goes on after 64 kB is Delivered.
func (s *Sender) Send(ctx context.Context, d dossier.Delivery) dossier.Outcome {
	_, r := s.exchange(ctx, d, maxKeptBytes)
	return outcome(r, d.At, time.Now())
}

// response is the response of an endpoint; failure is one of the Failed words if it is not whole.
type response struct {
	status  int
	header  http.Header
	body    []byte
	took    time.Duration
	failure string
}

// exchange sends d and reads the response, keeping the first keep bytes of its body. It returns
// the headers that it sent.
func (s *Sender) exchange(ctx context.Context, d dossier.Delivery,
	keep int) (http.Header, response) {
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, word := s.newRequest(limited, d)
	if word != "" {
		return nil, response{failure: word, took: time.Since(start)}
	}
	var r response
	// The transport itself, not a client: there is no redirect, cookie or retry to switch off.
	got, err := s.transport.RoundTrip(request)
	if err == nil {
		r.status, r.header = got.StatusCode, got.Header
		r.body, err = readBounded(got.Body, keep)
		got.Body.Close()
	}
	if err != nil {
		r.failure = failure(ctx, err)
	}
	r.took = time.Since(start)
	return request.Header, r
}

func (s *Sender) newRequest(ctx context.Context, d dossier.Delivery) (*http.Request, string) {
	if s.transport.guard.CheckURL(d.URL) != nil {
		return nil, FailedTarget
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return nil, FailedTarget
	}
	if signInto(request.Header, d.Secrets, d.ID, d.At, d.Body) != nil {
		return nil, FailedSignature
	}
	request.Header["Content-Type"] = []string{"application/json"}
	if parent := trace.From(ctx); parent != "" {
		request.Header[trace.Header] = []string{parent}
	}
	request.Header["User-Agent"] = []string{dossier.WebhookUserAgent}
	return request, ""
}

// readBounded reads at most maxReadBytes and returns the first keep of them. Reading to the end
// lets the connection be used again; a longer body costs the connection instead.
func readBounded(body io.Reader, keep int) ([]byte, error) {
	var kept bytes.Buffer
	if _, err := io.Copy(&kept, io.LimitReader(body, int64(keep))); err != nil {
		return kept.Bytes(), err
	}
	_, err := io.Copy(io.Discard, io.LimitReader(body, int64(maxReadBytes-keep)))
	return kept.Bytes(), err
}
