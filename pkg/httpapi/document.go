package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// documentCache lets clients and proxies keep the OpenAPI document, and ask whether it changed.
const documentCache = "public, no-cache"

// document is the OpenAPI document with its compressed form. Both have a strong entity tag.
type document struct {
	plain, compressed representation
}

// representation is one form of the document, as it is sent.
type representation struct {
	body          []byte
	tag, encoding string
	unchanged     bool // the client has it: 304
}

// newDocument compresses and hashes the document, which takes milliseconds.
func newDocument(text []byte) *document {
	sum := sha256.Sum256(text)
	tag := hex.EncodeToString(sum[:12])
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // fails for an unknown level only
	_, _ = w.Write(text)                                  // a buffer takes everything
	_ = w.Close()
	return &document{representation{body: text, tag: `"` + tag + `"`},
		representation{body: b.Bytes(), tag: `"` + tag + `-gzip"`, encoding: "gzip"}}
}

// negotiate returns the form for a client, without its body if the client has it.
func (d *document) negotiate(h http.Header) representation {
	r := d.plain
	if acceptsGzip(h.Values("Accept-Encoding")) {
		r = d.compressed
	}
	for tag := range strings.SplitSeq(strings.Join(h.Values("If-None-Match"), ","), ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		r.unchanged = r.unchanged || tag == "*" || tag == r.tag
	}
	return r
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3). What is not named is not accepted.
func acceptsGzip(headers []string) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(headers, ","), ","),
		func(part string) bool {
			coding, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
			return strings.EqualFold(coding, "gzip") &&
				strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" ||
				strings.EqualFold(coding, "gzip") && weight == ""
		})
}

// response returns the response with the representation.
func (r representation) response() response {
	a := response{status: http.StatusOK, body: r.body, etag: r.tag, encoding: r.encoding,
		cache: documentCache}
	if r.unchanged {
		a.status, a.body, a.encoding = http.StatusNotModified, nil, ""
	}
	return a
}
