package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// The words that say why an attempt failed. They hold nothing that the endpoint sent, and none of
// its addresses.
const (
	FailedStatus    = "statusNotSuccess"  // the status was not 2xx
	FailedRedirect  = "redirected"        // the status was 3xx; redirects are not followed
	FailedTimeout   = "timeout"           // the answer wasn't whole in time
	FailedName      = "nameNotResolved"   // DNS knows no address, or didn't answer
	FailedTarget    = "targetNotAllowed"  // the guard refused the URL or the address behind it
	FailedRefused   = "connectionRefused" // nobody listens there
	FailedConnect   = "connectionFailed"  // no connection for another reason
	FailedClosed    = "connectionClosed"  // the connection ended before the answer did
	FailedTLS       = "tlsFailed"         // handshake or certificate
	FailedHeaders   = "headersTooLarge"   // the answer's headers are over the limit
	FailedResponse  = "responseInvalid"   // what came isn't HTTP
	FailedSignature = "notSigned"         // no valid secret or message id: nothing was sent
	// the caller's context ended first; says nothing of the endpoint
	FailedInterrupted = "interrupted"
)

// maxRetryAfterText is longer than any date of HTTP.
const maxRetryAfterText = 64

// outcome classifies an exchange that began at began.
func outcome(r response, began, now time.Time) dossier.Outcome {
	o := dossier.Outcome{Result: dossier.Retry, Response: r.body, Attempt: dossier.Attempt{
		At: dossier.NewTime(began), StatusCode: r.status, DurationMS: r.took.Milliseconds(),
		Error: r.failure,
	}}
	switch {
	case r.status == http.StatusGone:
		o.Result = dossier.Gone // the status line is enough; a body that breaks off changes nothing
		o.Error = FailedStatus
	case r.failure == FailedInterrupted:
		o.Result = dossier.Interrupted
	case r.failure != "":
	case r.status >= 200 && r.status < 300:
		o.Result = dossier.Delivered
	case r.status >= 300 && r.status < 400:
		o.Error = FailedRedirect
	default:
		o.Error = FailedStatus
	}
	if o.Result == dossier.Retry && r.header != nil {
		o.RetryAfter = parseRetryAfter(r.header.Get("Retry-After"), now)
	}
	return o
}

// parseRetryAfter reads seconds or an HTTP date. What is neither, or past, is 0.
func parseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" || len(value) > maxRetryAfterText {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(MaxRetryAfter/time.Second) {
			return MaxRetryAfter
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), MaxRetryAfter)
}

// failure turns an error of the transport into one of the Failed words. ctx is the caller's.
func failure(ctx context.Context, err error) string {
	var timeout net.Error
	var name *net.DNSError
	var operation *net.OpError
	switch {
	case ctx.Err() != nil:
		return FailedInterrupted
	case errors.Is(err, ErrTarget):
		return FailedTarget
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return FailedTimeout
	case errors.As(err, &name):
		return FailedName
	case errors.Is(err, syscall.ECONNREFUSED):
		return FailedRefused
	case isTLS(err):
		return FailedTLS
	// net/http and its HTTP/2 have no type for it
	case strings.Contains(err.Error(), "response header"):
		return FailedHeaders
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return FailedClosed
	case errors.As(err, &operation) && operation.Op == "dial":
		return FailedConnect
	}
	return FailedResponse
}

func isTLS(err error) bool {
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	return errors.As(err, &certificate) || errors.As(err, &alert) || errors.As(err, &record) ||
		errors.As(err, &authority) ||
		strings.Contains(err.Error(), "tls: ") || errors.Is(err, http.ErrSchemeMismatch)
}
