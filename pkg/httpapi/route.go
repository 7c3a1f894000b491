package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// route is one row of the table of routes and scopes.
type route struct {
	method      string // GET, POST, PATCH or DELETE; HEAD and OPTIONS come with them
	path        string // a pattern of http.ServeMux, without a method
	scope       string // one of dossier.Scopes: what a key has to carry
	public      bool   // no credential is asked for
	guests      bool   // a public route that one address may call so often only
	anyone      bool   // every credential is let in, whatever its scopes
	credentials bool   // makes or ends a credential: the caller's is read freshly
	// a POST whose answer shows a secret to whoever asks: no Idempotency-Key is taken
	unkept      bool
	conditional bool // a POST that takes If-Match
	// tokens names the parameter that must be the token's own candidate for a candidate's token to
	// be accepted: a path parameter, or `?candidateId` for the filter of that name. Empty: no
	// tokens.
	tokens string
	// what may stand in `filter[…]`: "triggerEvent" for one value, "events[]" for any of several
	filters   []string
	includes  []string // what `include` may name
	sorts     []string // what `sort` may name
	paging    paging
	body      bodyKind
	bodyLimit int64 // bytes [1 MB]
	handle    func(*request) (any, error)
}

// paging is the way in which a list is returned.
type paging int

const (
	unpaged paging = iota // no list
	paged                 // 50 at once
	uncut                 // all at once, where no page[size] is given
)

// bodyKind says which body a POST or PATCH has. That of a GET or DELETE is not read.
type bodyKind int

const (
	bodyNeeded   bodyKind = iota
	bodyOptional          // nothing is the same as {}
	bodyNone              // nothing, or {}
)

const defaultBodyLimit = 1 << 20

// fresh reports whether the route has to see a credential as it is now.
func (rt route) fresh() bool { return rt.credentials || rt.scope == dossier.ScopeKeys }

func (rt route) String() string { return rt.method + " " + rt.path }

// check returns what is wrong with a row.
func (rt route) check() error {
	switch {
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPatch,
		http.MethodDelete}, rt.method):
		return fmt.Errorf("httpapi: %v: method", rt)
	case !strings.HasPrefix(rt.path, "/") || strings.HasSuffix(rt.path, "/"):
		return fmt.Errorf("httpapi: %v: path", rt)
	case rt.handle == nil:
		return fmt.Errorf("httpapi: %v has no handler", rt)
	case rt.public && (rt.scope != "" || rt.tokens != ""):
		return fmt.Errorf("httpapi: %v is public, with a scope", rt)
	case rt.guests && !rt.public || rt.anyone && (rt.public || rt.scope != "" || rt.tokens != ""):
		return fmt.Errorf("httpapi: %v: who is let in is said twice", rt)
	case !rt.public && !rt.anyone && !slices.Contains(dossier.Scopes, rt.scope):
		return fmt.Errorf("httpapi: %v has no scope, or one that does not exist: %q", rt, rt.scope)
	}
	name, filter := strings.CutPrefix(rt.tokens, "?")
	if filter && !slices.Contains(rt.filters, name) ||
		!filter && name != "" && !slices.Contains(params(rt.path), name) {
		return fmt.Errorf("httpapi: %v has no parameter %q", rt, rt.tokens)
	}
	return nil
}

// params returns the names of the parameters of a path pattern.
func params(pattern string) []string {
	var names []string
	for segment := range strings.SplitSeq(pattern, "/") {
		if strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") {
			names = append(names, segment[1:len(segment)-1])
		}
	}
	return names
}

// endpoint is one path with its methods.
type endpoint struct {
	path   string
	params []string
	routes []*route
	allow  string // the Allow header
}

// endpoints puts the routes of one path together, and checks each.
func endpoints(routes []route) ([]*endpoint, error) {
	var list []*endpoint
	byPath := map[string]*endpoint{}
	seen := map[string]bool{}
	for i := range routes {
		rt := &routes[i]
		if err := rt.check(); err != nil {
			return nil, err
		}
		if seen[rt.String()] {
			return nil, fmt.Errorf("httpapi: %v is there twice", rt)
		}
		seen[rt.String()] = true
		e := byPath[rt.path]
		if e == nil {
			e = &endpoint{path: rt.path, params: params(rt.path)}
			byPath[rt.path] = e
			list = append(list, e)
		}
		e.routes = append(e.routes, rt)
	}
	for _, e := range list {
		e.allow = e.methods()
	}
	return list, nil
}

func (e *endpoint) methods() string {
	var all []string
	for _, rt := range e.routes {
		all = append(all, rt.method)
		if rt.method == http.MethodGet {
			all = append(all, http.MethodHead)
		}
	}
	all = append(all, http.MethodOptions)
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// find returns the route of a method, nil where there is none. HEAD is a GET whose body is not
// sent.
func (e *endpoint) find(method string) *route {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, rt := range e.routes {
		if rt.method == method {
			return rt
		}
	}
	return nil
}

// options answers OPTIONS, a browser's question before a request from another origin included. Like
// every success it is 200.
func (e *endpoint) options() response {
	return response{status: http.StatusOK, allow: e.allow, preflight: true}
}

// validParams reports whether the path parameters can be ids at all; others are the id of nothing.
func validParams(e *endpoint, r *http.Request) bool {
	for _, name := range e.params {
		v := r.PathValue(name)
		if v == "" || len(v) > dossier.MaxID || !utf8.ValidString(v) {
			return false
		}
		for _, c := range v {
			if !unicode.IsPrint(c) {
				return false
			}
		}
	}
	return true
}
