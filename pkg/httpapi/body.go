package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// readBody reads the body of a POST or PATCH up to the limit of its route and checks that it is
// meant to be JSON. What it says is looked at by decode.
func (r *request) readBody(w http.ResponseWriter) error {
	if r.route.method != http.MethodPost && r.route.method != http.MethodPatch {
		return nil
	}
	limit := r.route.bodyLimit
	if limit == 0 {
		limit = defaultBodyLimit
	}
	tooLarge := dossier.Errorf(dossier.CodeTooLarge, "The body has more than %d bytes.", limit)
	if limit == uploadLimit {
		tooLarge.Detail += " Announce large files with size and sha256 instead of content."
	}
	if r.ContentLength > limit {
		drain(r.Body)
		return tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if over := (*http.MaxBytesError)(nil); errors.As(err, &over) {
		drain(r.Body)
		return tooLarge
	}
	if err != nil {
		return dossier.Errorf(dossier.CodeMalformed, "The body ended before it was complete.")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		if r.route.body == bodyNeeded {
			return dossier.Errorf(dossier.CodeMalformed, "A JSON body is required.")
		}
		r.body = []byte("{}")
		return nil
	}
	if err := r.checkMediaType(); err != nil {
		return err
	}
	r.body = body
	if r.route.body == bodyNone {
		_, err = unmarshal[struct{}](body, nullRefused, nil)
	}
	return err
}

// maxDrain bounds what is read of a body that is too large.
const maxDrain = 32 << 20 // bytes

// drain reads the rest of a body that is refused. Closing the connection while the client still
// sends would reset it, and the client would never see the response.
func drain(body io.Reader) { _, _ = io.CopyN(io.Discard, body, maxDrain) }

// checkMediaType refuses a body that is not said to be JSON, or that is compressed or in another
// character set.
func (r *request) checkMediaType() error {
	accepted := []string{"application/json"}
	if r.route.method == http.MethodPatch {
		accepted = append(accepted, "application/merge-patch+json")
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := params["charset"]
	encoding := r.Header.Get("Content-Encoding")
	if err != nil || !slices.Contains(accepted, kind) ||
		charset != "" && !strings.EqualFold(charset, "utf-8") ||
		encoding != "" && !strings.EqualFold(encoding, "identity") {
		return dossier.Errorf(dossier.CodeMediaType,
			"The body must be %s, in UTF-8 and not compressed.", strings.Join(accepted, " or "))
	}
	return nil
}
