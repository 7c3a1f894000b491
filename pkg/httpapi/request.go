package httpapi

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// request is the input of a handler: the HTTP request with its body and parameters read, and the
// authenticated principal.
type request struct {
	*http.Request
	id        string // of the request, in the response and in the log
	principal dossier.Principal
	expires   dossier.Time // of the credential; zero: it does not end by itself
	keyEnds   dossier.Time // of the key behind the credential; zero: never
	external  bool         // a JWT, or the session of a person who signed in at a provider
	body      []byte
	query     url.Values // checked against the route
	route     *route
	limit     int // items of a list that fit into a response; 0 is no limit
}

// exchange is one request with its response.
type exchange struct {
	*request
	endpoint *endpoint // nil: the path has none
	w        http.ResponseWriter
	start    time.Time
	allow    string // methods, if that of the request is not among them
	err      error  // what was rendered, nil for a success
	response response
	rest     io.Reader // of a body that is too large, to be read after the response
}

// param returns a path parameter, decoded.
func (r *request) param(name string) string { return r.PathValue(name) }

var entityTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(W/)?"([\x21\x23-\x7e]*)"$`)
})

// ifMatch returns the revision in If-Match. ok is false, and the revision 0, if the header is
// absent or `*`. An entity tag that this API can't have issued matches nothing:
// PRECONDITION_FAILED.
func (r *request) ifMatch() (rev int64, ok bool, err error) {
	header := r.Header.Values("If-Match")
	if len(header) == 0 || len(header) == 1 && header[0] == "*" {
		return 0, false, nil
	}
	tag := entityTag().FindStringSubmatch(header[0])
	if len(header) > 1 || tag == nil {
		var p dossier.Problems
		p.Say("#header/If-Match", dossier.ProblemMalformed,
			"must be one entity tag in double quotes, or *")
		return 0, false, p.Err()
	}
	rev, err = strconv.ParseInt(tag[2], 10, 64)
	if err != nil || rev < 1 || tag[1] != "" || strconv.FormatInt(rev, 10) != tag[2] {
		return 0, false, dossier.Errorf(dossier.CodePrecondition,
			"The resource has changed: If-Match names another version.")
	}
	return rev, true, nil
}
