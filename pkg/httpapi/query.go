package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// The bounds of a query string.
const (
	maxQuery        = 16 << 10 // bytes
	maxFilterValues = 100      // of one filter
	maxFilterValue  = 200      // characters
	maxCursor       = 6000     // bytes: the longest keys, in base64, and the mark of the list
	defaultPage     = 50
	maxPage         = 100
)

const (
	pageSize  = "page[size]"
	pageAfter = "page[after]"
)

// parameters returns the names of every query parameter that the route takes.
func (rt *route) parameters() []string {
	var names []string
	for _, f := range rt.filters {
		name, list := strings.CutSuffix(f, "[]")
		name = "filter[" + name + "]"
		if list {
			name += "[]"
		}
		names = append(names, name)
	}
	if rt.paging != unpaged {
		names = append(names, pageSize, pageAfter)
	}
	return names
}

// readQuery checks the query string against the route. A parameter that the route does not take is named, never ignored.
func (r *request) readQuery() error {
	raw := r.URL.RawQuery
	if len(raw) > maxQuery {
		return dossier.Errorf(dossier.CodeMalformed, "The query is longer than %d bytes.", maxQuery)
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return dossier.Errorf(dossier.CodeMalformed, "The query can't be read: an escape or a separator is wrong.")
	}
	var p dossier.Problems
	known := r.route.parameters()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			p.Add("?"+name, "unknown", "is not a parameter of this address%s", suggest(name, known))
			continue
		}
		checkValues(&p, name, query[name])
	}
	r.query = query
	return p.Err()
}

func checkValues(p *dossier.Problems, name string, values []string) {
	if list := strings.HasSuffix(name, "[]"); !list && len(values) > 1 {
		p.Add("?"+name, "duplicate", "is given more than once")
		return
	}
	if len(values) > maxFilterValues {
		p.Add("?"+name, "tooMany", "has more than %d values", maxFilterValues)
		return
	}
	longest := maxFilterValue
	if name == pageAfter {
		longest = maxCursor
	}
	for _, v := range values {
		switch {
		case v == "":
			p.Add("?"+name, "required", "is empty")
		case !utf8.ValidString(v):
			p.Add("?"+name, "malformed", "is not UTF-8")
		case utf8.RuneCountInString(v) > longest:
			p.Add("?"+name, "tooLong", "is longer than %d characters", longest)
		}
	}
}

// page returns the size of the page that is asked for and the cursor to go on from. The size is 1 to 100, less where an answer holds
// less; on an uncut list it is 0, all of them, where none is given. A cursor that is none, or one of another list, is MALFORMED_REQUEST.
func (r *request) page() (size int, after string, err error) {
	size = defaultPage
	if r.route.paging == uncut {
		size = 0
	}
	if text := r.query.Get(pageSize); text != "" {
		size, err = strconv.Atoi(text)
		if err != nil || size < 1 || size > maxPage || strconv.Itoa(size) != text {
			var p dossier.Problems
			p.Add("?"+pageSize, "outOfRange", "is not a number from 1 to %d", maxPage)
			return 0, "", p.Err()
		}
	}
	if r.most > 0 && (size == 0 || size > r.most) {
		size = r.most
	}
	text := r.query.Get(pageAfter)
	if text == "" {
		return size, "", nil
	}
	after, own := strings.CutPrefix(text, r.listMark())
	if _, err := kv.ParseCursor(after); err != nil || !own {
		return 0, "", &dossier.Error{Code: dossier.CodeMalformed, Detail: "The cursor is not one of this list.", Fields: []dossier.FieldError{
			{Pointer: "?" + pageAfter, Code: "malformed", Message: "is not a cursor from a Link header of this list"}}}
	}
	return size, after, nil
}

// listMark begins every cursor of a list. It tells the list from others, and from itself with other filters, for which a cursor could
// leave things out.
func (r *request) listMark() string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %q", r.principal.CompanyID, r.URL.Path)
	for _, name := range slices.Sorted(maps.Keys(r.query)) {
		if name != pageSize && name != pageAfter {
			_, _ = fmt.Fprintf(h, " %q %q", name, slices.Sorted(slices.Values(r.query[name])))
		}
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:6])
}

// filter returns the value of `filter[name]`, "" where it is not given.
func (r *request) filter(name string) string { return r.query.Get("filter[" + name + "]") }

// anyOf returns the values of `filter[name][]`, none where it is not given.
func (r *request) anyOf(name string) []string { return r.query["filter["+name+"][]"] }

// oneOf checks the values of a filter against a closed list, and names the nearest one.
func (r *request) oneOf(parameter string, allowed []string) error {
	var p dossier.Problems
	for _, v := range r.query[parameter] {
		if !slices.Contains(allowed, v) {
			p.Add("?"+parameter, "invalid", "%q is not one of its values%s", clip(v), suggest(v, allowed))
		}
	}
	return p.Err()
}
