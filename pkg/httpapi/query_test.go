package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// cursor is a cursor of the store; ofRow returns it as clients get it from the lists of queried.
var cursor = kv.Place{Sort: "s", Key: kv.Key{PK: "p", SK: "s"}}.Cursor()

func listRow() *route {
	return &route{filters: []string{"events[]", "triggerEvent"}, paging: paged}
}

func queried(rt *route, raw string) (*request, error) {
	r := &request{Request: &http.Request{URL: &url.URL{RawQuery: raw}}, route: rt}
	return r, r.readQuery()
}

func ofRow(filters string) string {
	r, _ := queried(listRow(), filters)
	return r.listMark() + cursor
}

func TestQuery(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw string
		code      dossier.Code
		fields    []string
	}{
		{"OK none", "", "", nil},
		{"OK", "filter[events][]=a&filter[events][]=b&filter[triggerEvent]=c&page[size]=10", "",
			nil},
		{"OK escaped", "filter%5Bevents%5D%5B%5D=a&page%5Bsize%5D=10", "", nil},
		{"OK half escaped", "filter%5bevents][]=a", "", nil},
		{"ErrUnknown", "filter[evnts][]=a&sort=x", dossier.CodeValidation,
			[]string{"?filter[evnts][] unknown", "?sort unknown"}},
		{"ErrListAsOne", "filter[events]=a", dossier.CodeValidation,
			[]string{"?filter[events] unknown"}},
		{"ErrOneAsList", "filter[triggerEvent][]=a", dossier.CodeValidation,
			[]string{"?filter[triggerEvent][] unknown"}},
		{"ErrCase", "filter[TriggerEvent]=a", dossier.CodeValidation,
			[]string{"?filter[TriggerEvent] unknown"}},
		{"ErrTwice", "filter[triggerEvent]=a&filter[triggerEvent]=b", dossier.CodeValidation,
			[]string{"?filter[triggerEvent] duplicate"}},
		{"ErrEmpty", "filter[triggerEvent]=", dossier.CodeValidation,
			[]string{"?filter[triggerEvent] required"}},
		{"ErrLong", "filter[triggerEvent]=" + strings.Repeat("x", 201), dossier.CodeValidation,
			[]string{"?filter[triggerEvent] tooLong"}},
		{"ErrMany", strings.Repeat("filter[events][]=a&", 101), dossier.CodeValidation,
			[]string{"?filter[events][] tooMany"}},
		{"ErrUTF8", "filter[triggerEvent]=%ff", dossier.CodeValidation,
			[]string{"?filter[triggerEvent] malformed"}},
		{"ErrEscape", "filter[triggerEvent]=%zz", dossier.CodeMalformed, []string{}},
		{"ErrSemicolon", "a;b", dossier.CodeMalformed, []string{}},
		{"ErrHuge", strings.Repeat("x", maxQuery+1), dossier.CodeMalformed, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := queried(listRow(), c.raw)
			checkError(t, err, c.code, c.fields)
		})
	}
}

func TestQueryNamesTheNearest(t *testing.T) {
	t.Parallel()
	_, err := queried(listRow(), "filter[evnts][]=a")
	if err == nil || !strings.Contains(err.Error(), `Did you mean "filter[events][]"?`) {
		t.Error(err)
	}
	r, err := queried(listRow(), "filter[triggerEvent]=candidateRejcted")
	if err != nil {
		t.Fatal(err)
	}
	err = r.validateFilter("filter[triggerEvent]", event.Names)
	if err == nil || !strings.Contains(err.Error(),
		`Did you mean "candidateRejected"?`) {
		t.Error(err)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	r, err := queried(listRow(),
		"filter[events][]=a&filter%5Bevents%5D%5B%5D=b&filter[triggerEvent]=c%2Bd+e")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, r.anyOf("events")); diff != "" {
		t.Error(diff)
	}
	if got := r.filter("triggerEvent"); got != "c+d e" {
		t.Error(got)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw string
		paging    paging
		size      int
		after     string
		code      dossier.Code
		fields    []string
	}{
		{"OK default", "", paged, 50, "", "", nil},
		{"OK all", "", uncut, 0, "", "", nil},
		{"OK all cut", "page[size]=7", uncut, 7, "", "", nil},
		{"OK least", "page[size]=1", paged, 1, "", "", nil},
		{"OK most", "page[size]=100&page[after]=" + ofRow(""), paged, 100, cursor, "", nil},
		{"ErrCursor without mark", "page[after]=" + cursor, paged, 0, "", dossier.CodeMalformed,
			[]string{"?page[after] malformed"}},
		{"ErrCursor of another list", "page[after]=" + ofRow("filter[events][]=a"), paged, 0, "",
			dossier.CodeMalformed, []string{"?page[after] malformed"}},
		{"ErrZero", "page[size]=0", paged, 0, "", dossier.CodeValidation,
			[]string{"?page[size] outOfRange"}},
		{"ErrOver", "page[size]=101", paged, 0, "", dossier.CodeValidation,
			[]string{"?page[size] outOfRange"}},
		{"ErrText", "page[size]=ten", paged, 0, "", dossier.CodeValidation,
			[]string{"?page[size] outOfRange"}},
		{"ErrSign", "page[size]=%2B5", paged, 0, "", dossier.CodeValidation,
			[]string{"?page[size] outOfRange"}},
		{"ErrHuge", "page[size]=99999999999999999999", paged, 0, "", dossier.CodeValidation,
			[]string{"?page[size] outOfRange"}},
		{"ErrCursor", "page[after]=nonsense", paged, 0, "", dossier.CodeMalformed,
			[]string{"?page[after] malformed"}},
		{"ErrCursor not base64", "page[after]=%21", paged, 0, "", dossier.CodeMalformed,
			[]string{"?page[after] malformed"}},
		{"ErrNoPages", "page[size]=5", unpaged, 0, "", dossier.CodeValidation,
			[]string{"?page[size] unknown"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := queried(&route{paging: c.paging}, c.raw)
			size, after := 0, ""
			if err == nil {
				size, after, err = r.page()
			}
			checkError(t, err, c.code, c.fields)
			if err == nil && (size != c.size || after != c.after) {
				t.Errorf("size %d, after %q", size, after)
			}
		})
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	row := settingsRow("GET", "/lists/{id}", dossier.ScopeSettingsRead)
	row.filters, row.paging = []string{"events[]"}, paged
	var next string
	row.handle = func(r *request) (any, error) {
		return pageResult{items: []string(nil), next: next}, nil
	}
	b := newTestAPI(t, withRoutes(Config{}, row))
	w := b.do(t, call{method: "GET",
		target: "/lists/a%2Fb?page[size]=2&filter[events][]=x&filter[events][]=y"})
	if w.Body.String() != "[]" || w.Result().Header.Get("Link") != "" {
		t.Errorf("the last page: %s, Link %q", w.Body, w.Result().Header.Get("Link"))
	}
	next = cursor
	mark := marked(b.do(t, call{method: "GET",
		target: "/lists/a%2Fb?filter[events][]=y&filter[events][]=x"}))
	target := "/lists/a%2Fb?page[size]=2&filter[events][]=x&filter[events][]=y&page[after]=" +
		mark + kv.Place{Sort: "t", Key: kv.Key{PK: "p", SK: "t"}}.Cursor()
	link := b.do(t, call{method: "GET", target: target}).Result().Header.Get("Link")
	ref, ok := strings.CutSuffix(link, `>; rel="next"`)
	u, err := url.Parse(strings.TrimPrefix(ref, "<"))
	if !ok || err != nil {
		t.Fatalf("Link %q: %v", link, err)
	}
	want := url.Values{"page[size]": {"2"}, "page[after]": {mark + cursor},
		"filter[events][]": {"x", "y"}}
	if diff := cmp.Diff(want, u.Query()); diff != "" || u.EscapedPath() != "/lists/a%2Fb" {
		t.Errorf("%s: %s", u, diff)
	}
	r := httptest.NewRequest("GET", u.String(), nil)
	if got := b.serveRaw(r).Code; got != 200 {
		t.Errorf("the link leads to %d", got)
	}
}

// marked returns the text before the cursor in the Link header of a response.
func marked(w *httptest.ResponseRecorder) string {
	_, after, _ := strings.Cut(w.Header().Get("Link"), url.QueryEscape(pageAfter)+"=")
	mark, _, _ := strings.Cut(after, cursor)
	return mark
}

// A cursor is valid only for the list that returned it: the same filters, in any order, with any
// page size.
func TestCursorOfAnotherList(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	one := h.candidate(t)
	h.candidate(t)
	for range 2 {
		ok[dossier.Form](t, h, "POST", "/forms", `{"name":"F"}`)
		ok[dossier.Message](t, h, "POST", "/candidates/"+one+"/messages", `{"text":"x"}`)
	}
	const list = "/candidates?filter[status][]=collecting&filter[status][]=approved&page[size]=1"
	after := func(target string) string {
		w := h.do(t, call{method: "GET", target: target})
		ref, _, _ := strings.Cut(w.Header().Get("Link"), ">")
		u, err := url.Parse(strings.TrimPrefix(ref, "<"))
		if err != nil || u.Query().Get(pageAfter) == "" {
			t.Fatalf("%s: Link %q", target, w.Header().Get("Link"))
		}
		return "&page[after]=" + u.Query().Get(pageAfter)
	}
	cursor := after(list)
	for _, target := range []string{list,
		"/candidates?filter[status][]=approved&filter[status][]=collecting&page[size]=2"} {
		if rest := ok[[]dossier.Candidate](t, h, "GET", target+cursor, ""); len(rest) != 1 ||
			rest[0].ID == one {
			t.Errorf("OK: %s: %+v", target, rest)
		}
	}
	messages := after("/candidates/" + one + "/messages?page[size]=1")
	for _, target := range []string{"/candidates?page[size]=1" + cursor,
		"/candidates?filter[status][]=collecting" + cursor, "/forms?page[size]=1" + cursor,
		"/forms?page[size]=1" + messages, "/candidates/" + one + "/events?page[size]=1" + messages,
		list + after("/forms?page[size]=1")} {
		h.refused(t, call{method: "GET", target: target}, dossier.CodeMalformed,
			"?page[after] malformed")
	}
}
