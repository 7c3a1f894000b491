package httpapi

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// request is what a handler gets: the HTTP request with its body and parameters read, and who calls.
type request struct {
	*http.Request
	id        string // of the request, on the answer and in the log
	principal dossier.Principal
	body      []byte
	query     url.Values // checked against the route
	route     *route
	most      int // items of a list that fit into an answer; 0 is any number
}

// exchange is one request and what becomes of it.
type exchange struct {
	*request
	w      http.ResponseWriter
	start  time.Time
	allow  string // methods, where the one asked for is not among them
	err    error  // what was rendered, nil for a success
	answer answer
}

// param returns a path parameter, decoded.
func (r *request) param(name string) string { return r.PathValue(name) }

var entityTag = pattern(`^(W/)?"([\x21\x23-\x7e]*)"$`)

// ifMatch returns the revision that If-Match asks for. ok is false, and the revision 0, where the header is absent or `*`. An entity tag
// that this API can't have given matches nothing: PRECONDITION_FAILED.
func (r *request) ifMatch() (rev int64, ok bool, err error) {
	header := r.Header.Values("If-Match")
	if len(header) == 0 || len(header) == 1 && header[0] == "*" {
		return 0, false, nil
	}
	tag := entityTag().FindStringSubmatch(header[0])
	if len(header) > 1 || tag == nil {
		var p dossier.Problems
		p.Add("#header/If-Match", "malformed", "is not one entity tag in double quotes, or *")
		return 0, false, p.Err()
	}
	rev, err = strconv.ParseInt(tag[2], 10, 64)
	if err != nil || rev < 1 || tag[1] != "" || strconv.FormatInt(rev, 10) != tag[2] {
		return 0, false, dossier.Errorf(dossier.CodePrecondition, "It was changed meanwhile: If-Match names another version.")
	}
	return rev, true, nil
}
