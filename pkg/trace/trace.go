// Package trace carries the W3C trace context of a request to what follows from it: through
// contexts, and through the items of tasks. It makes no spans; a Tracer does, where one is set.
package trace

import (
	"context"
	"net/http"
	"strings"
)

// Header is the HTTP header of a trace context, in the form that http.Header has it.
const Header = "Traceparent"

// The lengths of a trace context: version, trace id, id of the parent span and flags, in lower-case
// hexadecimal digits with a hyphen between them.
const (
	length   = len("00-") + idLength + len("-") + spanLength + len("-01")
	idLength = 32

	spanLength = 16
)

// Parse returns the trace context in a traceparent header as version 00 writes it, and "" for what
// is none. A later version may append members, which are left out.
func Parse(header string) string {
	if len(header) < length || strings.HasPrefix(header, "ff") ||
		len(header) > length && (strings.HasPrefix(header, "00") || header[length] != '-') {
		return ""
	}
	header = header[:length]
	for n, c := range []byte(header) {
		switch hyphen := n == 2 || n == 3+idLength || n == 4+idLength+spanLength; {
		case hyphen != (c == '-'):
			return ""
		case !hyphen && (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return ""
		}
	}
	if zero(ID(header)) || zero(header[4+idLength:][:spanLength]) {
		return ""
	}
	if strings.HasPrefix(header, "00") {
		return header
	}
	return "00" + header[2:]
}

func zero(digits string) bool { return strings.Trim(digits, "0") == "" }

// FromHeaders returns the trace context of a request, "" if it has none.
func FromHeaders(h http.Header) string {
	sent := h[Header]
	if len(sent) != 1 {
		return ""
	}
	return Parse(sent[0])
}

// FromAmazon returns the trace context of an X-Amzn-Trace-Id header, which API Gateway adds to each
// request, "" if it is none. The trace id is that of AWS X-Ray; nothing is sampled.
func FromAmazon(header string) string {
	var id, span string
	for member := range strings.SplitSeq(header, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(member), "=")
		switch name {
		case "Root":
			id = strings.ReplaceAll(strings.TrimPrefix(value, "1-"), "-", "")
		case "Parent":
			span = value
		}
	}
	if span == "" && len(id) == idLength {
		span = id[idLength-spanLength:] // without a span of its own the gateway names none
	}
	return Parse("00-" + id + "-" + span + "-00")
}

// ID returns the trace id of a trace context, 32 digits, or "".
func ID(parent string) string {
	if len(parent) != length {
		return ""
	}
	return parent[3:][:idLength]
}

type parentKey struct{}

// With returns a context whose work has the parent, a trace context. Without one it is ctx.
func With(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}
	return context.WithValue(ctx, parentKey{}, parent)
}

// From returns the trace context of a context, or "".
func From(ctx context.Context) string {
	parent, _ := ctx.Value(parentKey{}).(string)
	return parent
}
