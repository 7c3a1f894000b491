package golden

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// exception is a deliberate change: what was recorded at these pointers of the answers to these
// paths may be different now. The tests fail where nothing needs it.
type exception struct {
	paths   *regexp.Regexp
	key     string         // of the caller
	pointer *regexp.Regexp // of the first difference; a header is #header/Name, the status #status
	reason  string
}

// exceptions are the deliberate changes since each format was written.
var exceptions = map[string][]exception{
	"e5822c8": {{
		paths:   regexp.MustCompile(`^/(documentTypes|registration-pages|candidateDocumentTypes)`),
		key:     "partner",
		pointer: regexp.MustCompile(`/submission/rules$`),
		reason:  "a company that a type is shared with does not see its rules",
	}},
}

// comparison compares what a service answers with a recording.
type comparison struct {
	t          *testing.T
	h          http.Handler
	exceptions []exception
	used       map[int]bool
	added      map[string]int // members that were not recorded, by path and pointer
	skip       func(answer) bool
	volatile   func(answer, jsontext.Pointer) bool // places that depend on the time
	parts      bool                                // links are followed
}

// most bounds the differing answers that are reported one by one.
const most = 10

// run compares all answers of a recording. It reports the first difference of each answer.
func (c *comparison) run(r recording) {
	c.t.Helper()
	c.used, c.added = map[int]bool{}, map[string]int{}
	compared, different := 0, 0
	for _, a := range r.Answers {
		if c.skip != nil && c.skip(a) {
			continue
		}
		compared++
		got := ask(c.t, c.h, a.Key, r.Keys[a.Key], a.Path)
		if a.Part != nil && c.parts && got.Status == http.StatusOK {
			got.Part = follow(c.t, c.h, got.Body)
		}
		at, what := c.difference(a, got)
		if what == "" {
			continue
		}
		if different++; different <= most {
			c.t.Errorf("GET %s as %s:\n\tat %q %s", a.Path, a.Key, at, what)
		}
	}
	if different > most {
		c.t.Errorf("%d of %d answers differ", different, compared)
	}
	if compared == 0 {
		c.t.Error("nothing was compared")
	}
	for n, e := range c.exceptions {
		if !c.used[n] {
			c.t.Errorf("no answer needs the exception %d any more: %s", n, e.reason)
		}
	}
	for _, where := range slices.Sorted(maps.Keys(c.added)) {
		c.t.Logf("added since: %s (in %d places)", where, c.added[where])
	}
}

// difference returns where an answer first differs from the recorded one, and how; nothing where
// it does not.
func (c *comparison) difference(want, got answer) (at jsontext.Pointer, what string) {
	if want.Status != got.Status && !c.excepted(want, "#status") {
		return "#status", fmt.Sprintf("was %d and is %d %s", want.Status, got.Status, got.Body)
	}
	for _, name := range recorded {
		pointer := jsontext.Pointer("#header/" + name)
		was, recorded := want.Header[name]
		is := got.Header[name]
		if !recorded && is != "" {
			c.add(want, pointer)
		} else if was != is && !c.excepted(want, pointer) {
			return pointer, fmt.Sprintf("was %q and is %q", was, is)
		}
	}
	if want.Part != nil && c.parts && (got.Part == nil || *want.Part != *got.Part) {
		return "/url", fmt.Sprintf("led to %+v and leads to %+v", want.Part, got.Part)
	}
	var was, is any
	for _, err := range []error{json.Unmarshal(want.Body, &was), json.Unmarshal(got.Body, &is)} {
		if err != nil {
			return "", err.Error()
		}
	}
	return c.value(want, "", was, is)
}

// value compares a value and everything in it. Members that were not recorded are noted.
func (c *comparison) value(
	a answer, at jsontext.Pointer, want, got any,
) (jsontext.Pointer, string) {
	if c.excepted(a, at) {
		return "", ""
	}
	switch was := want.(type) {
	case map[string]any:
		is, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(was)) {
			member, ok := is[name]
			if !ok && !c.excepted(a, at.AppendToken(name)) {
				return at.AppendToken(name), fmt.Sprintf("was %s and is missing", text(was[name]))
			}
			if at, what := c.value(a, at.AppendToken(name), was[name], member); what != "" {
				return at, what
			}
		}
		for name := range is {
			if _, ok := was[name]; !ok {
				c.add(a, at.AppendToken(name))
			}
		}
		return "", ""
	case []any:
		is, ok := got.([]any)
		if !ok {
			break
		}
		for n := range min(len(was), len(is)) {
			if at, what := c.value(a, at.AppendToken(strconv.Itoa(n)), was[n], is[n]); what != "" {
				return at, what
			}
		}
		if len(was) != len(is) {
			return at, fmt.Sprintf("had %d elements and has %d", len(was), len(is))
		}
		return "", ""
	default:
		if want == got {
			return "", ""
		}
	}
	return at, fmt.Sprintf("was %s and is %s", text(want), text(got))
}

// excepted reports whether a place may differ.
func (c *comparison) excepted(a answer, at jsontext.Pointer) bool {
	if c.volatile != nil && c.volatile(a, at) {
		return true
	}
	for n, e := range c.exceptions {
		if a.Key == e.key && e.paths.MatchString(a.Path) && e.pointer.MatchString(string(at)) {
			c.used[n] = true
			return true
		}
	}
	return false
}

var (
	query  = regexp.MustCompile(`\?.*`)
	id     = regexp.MustCompile(`/[a-z]{3}_[0-9A-Z]+`)
	number = regexp.MustCompile(`/[0-9]+`)
)

// add notes a member that was not recorded.
func (c *comparison) add(a answer, at jsontext.Pointer) {
	where := id.ReplaceAllString(query.ReplaceAllString(a.Path, ""), "/{id}")
	c.added[path.Clean(where)+" "+number.ReplaceAllString(string(at), "/*")]++
}

// text shows a value in a failure.
func text(v any) string {
	out, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err.Error()
	}
	if len(out) > 300 {
		return string(out[:300]) + "…"
	}
	return string(out)
}
