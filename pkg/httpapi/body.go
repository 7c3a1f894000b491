package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// readBody reads the body of a POST or PATCH up to the limit and within the time of its route, and
// checks that it is meant to be JSON. decode looks at its content.
func (a *API) readBody(x *exchange) error {
	r := x.request
	if r.route.method != http.MethodPost && r.route.method != http.MethodPatch {
		return nil
	}
	limit, within := r.route.bodyLimit, a.cfg.BodyTime
	if limit == 0 {
		limit = defaultBodyLimit
	}
	if limit == uploadLimit {
		within = a.cfg.UploadTime
	}
	// Lambda has read the body already, and can't set it.
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(time.Now().Add(within))
	body, err := readUpTo(x.w, r.Request, limit)
	if errors.Is(err, errBodyTooLarge) {
		x.rest = r.Body
		_ = control.EnableFullDuplex() // the response goes out before the body has come
		tooLarge := dossier.Errorf(dossier.CodeTooLarge, "The body has more than %d bytes.", limit)
		if limit == uploadLimit {
			tooLarge.Detail += " Announce large files with size and sha256 instead of content."
		}
		return tooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return dossier.Errorf(dossier.CodeMalformed, "The body did not arrive within %v.", within)
	}
	if err != nil {
		return dossier.Errorf(dossier.CodeMalformed, "The body ended before it was complete.")
	}
	_ = control.SetReadDeadline(time.Time{}) // only the body was to be read in time
	return r.takeBody(body)
}

var errBodyTooLarge = errors.New("the body is too large")

// readUpTo reads a body; one that is larger than the limit is errBodyTooLarge.
func readUpTo(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, errBodyTooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if over := (*http.MaxBytesError)(nil); errors.As(err, &over) {
		return nil, errBodyTooLarge
	}
	return body, err
}

// takeBody checks a body that was read.
func (r *request) takeBody(body []byte) (err error) {
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

// drain sends the response and then reads the rest of a body that is refused. Closing the
// connection while the client still sends would reset it, and a client that sends everything first
// would never see the response.
func (x *exchange) drain() {
	if x.rest == nil {
		return
	}
	_ = http.NewResponseController(x.w).Flush() // Lambda's is sent whole
	_, _ = io.CopyN(io.Discard, x.rest, maxDrain)
}

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
