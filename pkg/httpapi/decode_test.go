package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// thing has a member of every kind that requests have.
type thing struct {
	Name    string         `json:"name"`
	Count   int            `json:"count"`
	Size    uint8          `json:"size"`
	Ratio   float64        `json:"ratio"`
	On      bool           `json:"on"`
	DueAt   dossier.Time   `json:"dueAt,omitzero"`
	Tags    []string       `json:"tags"`
	Part    *thingPart     `json:"part,omitzero"`
	Parts   []thingPart    `json:"parts"`
	Extra   map[string]any `json:"extra"`
	Value   any            `json:"value,omitzero"`
	Content []byte         `json:"content,omitzero"`
}

type thingPart struct {
	ID    string `json:"id,omitzero"`
	Label string `json:"label"`
}

// nested returns a body with n lists in each other.
func nested(n int) string {
	return `{"value":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
}

var decodeCases = []struct {
	name, body string
	code       dossier.Code
	fields     []string
}{
	{"OK",
		`{"name":"a","count":-1,"size":255,"ratio":1e3,"on":true,"dueAt":"2026-01-02T03:04:05Z","tags":["x"],"part":{"id":"p","label":"l"},
		"parts":[{"label":"m"}],"extra":{"a":[1,{"b":null}]},"value":"v","content":"AAEC"}`, "",
		nil},
	{"OK empty", ` {} `, "", nil},
	{"ErrNull",
		`{"name":null,"part":null,"tags":[null],"dueAt":null,"extra":{"a":null},"value":null,"parts":[{"label":null}]}`, dossier.CodeValidation,
		[]string{"/name null", "/part null", "/tags/0 null", "/dueAt null",
			"/parts/0/label null"}},
	{"ErrNull beside another", `{"name":null,"count":"x"}`, dossier.CodeValidation,
		[]string{"/count wrongType", "/name null"}},
	{"OK depth", nested(63), "", nil},
	{"OK brackets in a text", `{"name":"\"` + strings.Repeat("[", 100) + `\\"}`, "", nil},
	{"ErrDepth", nested(64), dossier.CodeMalformed,
		[]string{"/value" + strings.Repeat("/0", 63) + " tooDeep"}},
	{"ErrDepth huge", nested(100000), dossier.CodeMalformed,
		[]string{"/value" + strings.Repeat("/0", 63) + " tooDeep"}},
	{"ErrNotJSON", `{"name":`, dossier.CodeMalformed, []string{"/name malformed"}},
	{"ErrTrailing", `{} x`, dossier.CodeMalformed, []string{" malformed"}},
	{"ErrTwoValues", `{}{}`, dossier.CodeMalformed, []string{" malformed"}},
	{"ErrTrailingComma", `{"name":"a",}`, dossier.CodeMalformed, []string{" malformed"}},
	{"ErrSingleQuotes", `{'name':'a'}`, dossier.CodeMalformed, []string{" malformed"}},
	{"ErrNaN", `{"ratio":NaN}`, dossier.CodeMalformed, []string{"/ratio malformed"}},
	{"ErrUTF8", "{\"name\":\"\xff\"}", dossier.CodeMalformed, []string{"/name malformed"}},
	{"ErrSurrogate", `{"name":"\ud800"}`, dossier.CodeMalformed, []string{"/name malformed"}},
	{"ErrDuplicate", `{"name":"a","name":"b"}`, dossier.CodeMalformed,
		[]string{"/name duplicate"}},
	{"ErrDuplicate escaped", `{"name":"a","n\u0061me":"b"}`, dossier.CodeMalformed,
		[]string{"/name duplicate"}},
	{"ErrDuplicate deep", `{"extra":{"a":[{"b":1,"b":2}]}}`, dossier.CodeMalformed,
		[]string{"/extra/a/0/b duplicate"}},
	{"ErrDuplicate behind unknown", `{"nope":1,"extra":{"b":1,"b":2}}`, dossier.CodeMalformed,
		[]string{"/extra/b duplicate"}},
	{"ErrArray", `[]`, dossier.CodeValidation, []string{" wrongType"}},
	{"ErrNull", `null`, dossier.CodeValidation, []string{" wrongType"}},
	{"ErrText", `"x"`, dossier.CodeValidation, []string{" wrongType"}},
	{"ErrUnknown all", `{"nmae":1,"name":"a","extra2":{},"part":{"lable":"x"}}`,
		dossier.CodeValidation,
		[]string{"/extra2 unknown", "/nmae unknown", "/part/lable unknown"}},
	{"ErrUnknown null", `{"nope":null}`, dossier.CodeValidation, []string{"/nope unknown"}},
	{"ErrUnknown escaped", `{"a/b~":1}`, dossier.CodeValidation, []string{"/a~1b~0 unknown"}},
	{"ErrCase", `{"Name":"a"}`, dossier.CodeValidation, []string{"/Name unknown"}},
	{"ErrReadOnly", `{"id":"x","state":"y","createdAt":"z","owner":1,"part":{"owner":1}}`,
		dossier.CodeValidation,
		[]string{"/createdAt readOnly", "/id readOnly", "/owner readOnly",
			"/part/owner unknown", "/state readOnly"}},
	{"ErrTypes",
		`{"name":1,"count":"x","on":"true","tags":"a","part":[],"parts":[{"label":2},3],"extra":[],"dueAt":"tomorrow","content":"!"}`,
		dossier.CodeValidation, []string{"/content wrongType", "/count wrongType",
			"/dueAt wrongType", "/extra wrongType", "/name wrongType",
			"/on wrongType", "/part wrongType", "/parts/0/label wrongType",
			"/parts/1 wrongType", "/tags wrongType"}},
	{"ErrRange",
		`{"count":99999999999999999999,"size":256,"ratio":1e999,"value":1e999,"extra":{"a":-1e999}}`, dossier.CodeValidation,
		[]string{"/count outOfRange", "/extra/a outOfRange", "/ratio outOfRange",
			"/size outOfRange", "/value outOfRange"}},
	{"ErrFraction", `{"count":1.5,"size":-1}`, dossier.CodeValidation,
		[]string{"/count wrongType", "/size wrongType"}},
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range decodeCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := decode[thing](&request{body: []byte(c.body)}, "owner")
			checkError(t, err, c.code, c.fields)
		})
	}
}

func checkError(t *testing.T, err error, code dossier.Code, fields []string) {
	t.Helper()
	if code == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	e := (*dossier.Error)(nil)
	if !errors.As(err, &e) {
		t.Fatalf("error is %v", err)
	}
	if e.Code != code {
		t.Errorf("code %s, not %s: %v", e.Code, code, err)
	}
	if diff := cmp.Diff(fields, pointers(e.Fields)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestDecodeNamesTheNearest(t *testing.T) {
	t.Parallel()
	_, err := decode[thing](&request{body: []byte(`{"NAME":"a","tgas":[]}`)})
	e := (*dossier.Error)(nil)
	if !errors.As(err, &e) || len(e.Fields) != 2 {
		t.Fatal(err)
	}
	for i, want := range []string{"name", "tags"} {
		if !strings.HasSuffix(e.Fields[i].Message, "Did you mean \""+want+"\"?") {
			t.Errorf("%s: %s", e.Fields[i].Pointer, e.Fields[i].Message)
		}
	}
}

func TestDecodePatch(t *testing.T) {
	t.Parallel()
	current := func() thing {
		return thing{Name: "old", Count: 3, Tags: []string{"a", "b"},
			Part: &thingPart{ID: "p", Label: "l"}, Extra: map[string]any{"x": 1.0, "y": "z"}}
	}
	crowd := `{"extra":{"a":0`
	for i := range maxMembers {
		crowd += fmt.Sprintf(`,"m%d":0`, i)
	}
	crowd += `}}`
	for _, c := range []struct {
		name, body string
		want       func(*thing)
		code       dossier.Code
		fields     []string
	}{
		{"OK absent keeps", `{}`, func(*thing) {}, "", nil},
		{"OK replaces", `{"name":"new","count":0}`, func(v *thing) {
			v.Name, v.Count = "new", 0
		}, "", nil},
		{"OK null clears", `{"name":null,"part":null,"extra":{"x":null}}`, func(v *thing) {
			v.Name, v.Part = "", nil
			delete(v.Extra, "x")
		}, "", nil},
		{"OK array replaces", `{"tags":["c"]}`, func(v *thing) { v.Tags = []string{"c"} }, "", nil},
		{"OK merges deep", `{"part":{"label":"m"},"extra":{"n":{"o":true}}}`, func(v *thing) {
			v.Part.Label = "m"
			v.Extra["n"] = map[string]any{"o": true}
		}, "", nil},
		{"ErrUnknown null", `{"nope":null,"part":{"nope":null}}`, nil, dossier.CodeValidation,
			[]string{"/nope unknown", "/part/nope unknown"}},
		{"ErrDuplicate", `{"name":"a","name":null}`, nil, dossier.CodeMalformed,
			[]string{"/name duplicate"}},
		{"ErrReadOnly", `{"id":null}`, nil, dossier.CodeValidation, []string{"/id readOnly"}},
		{"ErrArray", `[]`, nil, dossier.CodeValidation, []string{" wrongType"}},
		{"ErrCrowd", crowd, nil, dossier.CodeValidation, []string{"/extra tooMany"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := decodePatch(&request{body: []byte(c.body)}, current())
			checkError(t, err, c.code, c.fields)
			if c.want == nil || err != nil {
				return
			}
			want := current()
			c.want(&want)
			if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var bodyCases = []struct {
	name string
	call call
	want int
}{
	{"OK", call{method: "POST", target: "/things", body: `{}`}, 200},
	{"OK charset", call{method: "POST", target: "/things", body: `{}`,
		header: []string{"Content-Type", "", "Content-Type",
			"Application/JSON; charset=UTF-8"}}, 200},
	{"OK merge patch", call{method: "PATCH", target: "/things", body: `{}`,
		header: []string{"Content-Type", "", "Content-Type", "application/merge-patch+json"}},
		200},
	{"OK delete is not read", call{method: "DELETE", target: "/things", body: `nonsense`}, 200},
	{"OK optional", call{method: "POST", target: "/optional"}, 200},
	{"OK none", call{method: "POST", target: "/none"}, 200},
	{"OK none but braces", call{method: "POST", target: "/none", body: `{}`}, 200},
	{"OK at the limit", call{method: "POST", target: "/small", body: `{"name":"123456789"}`},
		200},
	{"ErrNone", call{method: "POST", target: "/none", body: `{"name":"a"}`}, 422},
	{"ErrEmpty", call{method: "POST", target: "/things"}, 400},
	{"ErrBlank", call{method: "POST", target: "/things", body: " \n"}, 400},
	{"ErrMerge patch on POST", call{method: "POST", target: "/things", body: `{}`,
		header: []string{"Content-Type", "", "Content-Type", "application/merge-patch+json"}},
		415},
	{"ErrText", call{method: "POST", target: "/things", body: `{}`,
		header: []string{"Content-Type", "", "Content-Type", "text/plain"}}, 415},
	{"ErrNoType", call{method: "POST", target: "/things", body: `{}`,
		header: []string{"Content-Type", ""}}, 415},
	{"ErrCharset", call{method: "POST", target: "/things", body: `{}`,
		header: []string{"Content-Type", "", "Content-Type",
			"application/json; charset=latin1"}}, 415},
	{"ErrGzip", call{method: "POST", target: "/things", body: `{}`,
		header: []string{"Content-Encoding", "gzip"}}, 415},
	{"ErrLarge", call{method: "POST", target: "/small", body: `{"name":"1234567890"}`}, 413},
	{"ErrLarge default", call{method: "POST", target: "/things",
		body: `{"name":"` + strings.Repeat("x", 1<<20) + `"}`}, 413},
}

func TestBody(t *testing.T) {
	t.Parallel()
	read := func(r *request) (any, error) { return decode[thing](r) }
	row := func(method, path string) route {
		return route{method: method, path: path, scope: dossier.ScopeSettingsWrite, handle: read}
	}
	none, optional, small := row("POST", "/none"), row("POST", "/optional"), row("POST", "/small")
	none.body, optional.body, small.bodyLimit = bodyNone, bodyOptional, 20
	none.handle = (&API{}).health
	b := newTestAPI(t, withRoutes(Config{Rate: 1e6, Burst: 1e6}, row("POST", "/things"),
		row("PATCH", "/things"), row("DELETE", "/things"), none, optional, small))
	b.paths[0].find("DELETE").handle = (&API{}).health
	for _, c := range bodyCases {
		if w := b.do(t, c.call); w.Code != c.want {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
	r, err := http.NewRequest("POST", "/small",
		struct{ *strings.Reader }{strings.NewReader(`{"name":"1234567890"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if w := b.serveRaw(r); w.Code != 413 {
		t.Errorf("a long body of unknown length: %d", w.Code)
	}
}

// In a merge patch null removes a member; a list is replaced, so null has no meaning in it.
func TestNullInPatch(t *testing.T) {
	t.Parallel()
	now := thing{Name: "a", Tags: []string{"x"}}
	after, err := decodePatch(&request{body: []byte(`{"name":null,"part":null,"tags":null}`)}, now)
	if err != nil || after.Name != "" || after.Tags != nil {
		t.Errorf("%+v %v", after, err)
	}
	_, err = decodePatch(&request{
		body: []byte(`{"name":null,"tags":["x",null],"parts":[{"label":null}]}`),
	}, now)
	checkError(t, err, dossier.CodeValidation, []string{"/tags/1 null", "/parts/0/label null"})
}

// One response names only some of many nulls.
func TestManyNulls(t *testing.T) {
	t.Parallel()
	body := []byte(`{"tags":[` + strings.Repeat("null,", 1000) + `null]}`)
	_, err := decode[thing](&request{body: body})
	if refused := (*dossier.Error)(nil); !errors.As(err, &refused) ||
		refused.Code != dossier.CodeValidation || len(refused.Fields) != maxProblems {
		t.Errorf("%v", err)
	}
}
