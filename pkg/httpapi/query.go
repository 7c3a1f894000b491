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
	maxCursor       = 6000     // bytes: the longest keys in base64, and the mark of the list
	defaultPage     = 50
	maxPage         = 100
)

const (
	pageSize  = "page[size]"
	pageAfter = "page[after]"
)

// parameters returns the names of the query parameters that the route takes.
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
	if len(rt.includes) > 0 {
		names = append(names, "include")
	}
	if len(rt.sorts) > 0 {
		names = append(names, "sort")
	}
	if rt.paging != unpaged {
		names = append(names, pageSize, pageAfter)
	}
	return names
}

// readQuery validates the query string. A parameter that the route does not take is an error.
func (r *request) readQuery() error {
	raw := r.URL.RawQuery
	if len(raw) > maxQuery {
		return dossier.Errorf(dossier.CodeMalformed, "The query string has more than %d bytes.",
			maxQuery)
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return dossier.Errorf(dossier.CodeMalformed,
			"The query string has an invalid escape or separator.")
	}
	var p dossier.Problems
	known := r.route.parameters()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			p.Add("?"+name, dossier.ProblemUnknown, "There is no parameter %s.%s",
				dossier.Clip(name), dossier.Hint(name, known, "parameters"))
			continue
		}
		validateValues(&p, name, query[name])
	}
	r.query = query
	return p.Err()
}

// validateValues records what is wrong with the values of one parameter.
func validateValues(p *dossier.Problems, name string, values []string) {
	if list := strings.HasSuffix(name, "[]"); !list && len(values) > 1 {
		p.Say("?"+name, dossier.ProblemDuplicate, "is given more than once")
		return
	}
	if len(values) > maxFilterValues {
		p.Say("?"+name, dossier.ProblemTooMany, "has more than %d values", maxFilterValues)
		return
	}
	longest := maxFilterValue
	if name == pageAfter {
		longest = maxCursor
	}
	for _, v := range values {
		switch {
		case v == "":
			p.Say("?"+name, dossier.ProblemRequired, "is empty")
		case !utf8.ValidString(v):
			p.Say("?"+name, dossier.ProblemMalformed, "is not valid UTF-8")
		case utf8.RuneCountInString(v) > longest:
			p.Say("?"+name, dossier.ProblemTooLong, "has more than %d characters", longest)
		}
	}
}

// page returns the requested size of the page, 1 to 100, and the cursor to resume at. The size of
// an uncut list is 0, without limit, unless it is given. A cursor that is malformed or belongs to
// another list is MALFORMED_REQUEST.
func (r *request) page() (size int, after string, err error) {
	size = defaultPage
	if r.route.paging == uncut {
		size = 0
	}
	if text := r.query.Get(pageSize); text != "" {
		size, err = strconv.Atoi(text)
		if err != nil || size < 1 || size > maxPage || strconv.Itoa(size) != text {
			var p dossier.Problems
			p.Say("?"+pageSize, dossier.ProblemOutOfRange, "must be a number from 1 to %d",
				maxPage)
			return 0, "", p.Err()
		}
	}
	if r.limit > 0 && (size == 0 || size > r.limit) {
		size = r.limit
	}
	text := r.query.Get(pageAfter)
	if text == "" {
		return size, "", nil
	}
	after, own := strings.CutPrefix(text, r.listMark())
	if _, err := kv.ParseCursor(after); err != nil || !own {
		return 0, "", &dossier.Error{Code: dossier.CodeMalformed,
			Detail: "The cursor does not belong to this list.", Fields: []dossier.FieldError{
				{Pointer: "?" + pageAfter, Code: dossier.ProblemMalformed,
					Message: "The cursor must come from a Link header of this list."}}}
	}
	return size, after, nil
}

// listMark begins every cursor. It identifies the list and its filters: with other filters, a
// cursor could skip items.
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

// filter returns the value of `filter[name]`, "" if it is not given.
func (r *request) filter(name string) string { return r.query.Get("filter[" + name + "]") }

// anyOf returns the values of `filter[name][]`, none if it is not given.
func (r *request) anyOf(name string) []string { return r.query["filter["+name+"][]"] }

// validateFilter refuses values of a filter that are not in a closed list.
func (r *request) validateFilter(parameter string, allowed []string) error {
	var p dossier.Problems
	for _, v := range r.query[parameter] {
		p.Word("?"+parameter, v, allowed)
	}
	return p.Err()
}
