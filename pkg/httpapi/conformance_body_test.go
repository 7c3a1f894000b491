package httpapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// bodies sends every body that has to be refused.
func (a conformance) bodies() {
	if a.method == "GET" || a.method == "DELETE" {
		return
	}
	c := a.request()
	refuse := func(body string, code dossier.Code, pointer string, header ...string) {
		c.body, c.header = body, header
		a.refuse(c, code, pointer)
	}
	good := c.body
	if good == "" {
		good = "{}"
	}
	if a.route.body == bodyNeeded {
		refuse("", dossier.CodeMalformed, "")
		refuse(" \n", dossier.CodeMalformed, "")
	}
	for _, body := range []string{"{", `{"a"`, `{"a":}`, `{"a":1,}`, "{} x", "{}{}", "nul",
		`{'a':1}`, "\x00", "{\"\xff\":1}", "{\"a\":\"\xff\"}", `{"a":"\ud800"}`,
		`{"a":1,"a":2}`, `{"a":{"b":1,"b":1}}`, `{"a":` + strings.Repeat("[", 100_000),
		`{"a":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + "}"} {
		refuse(body, dossier.CodeMalformed, "")
	}
	for _, body := range []string{"null", "[]", "1", `"x"`, "true"} {
		refuse(body, dossier.CodeValidation, "")
	}
	limit := a.bodyLimit
	if limit == 0 {
		limit = defaultBodyLimit
	}
	refuse(good+strings.Repeat(" ", int(limit)), dossier.CodeTooLarge, "")
	for _, header := range [][]string{{"Content-Type", ""},
		{"Content-Type", "", "Content-Type", "text/plain"},
		{"Content-Type", "", "Content-Type", "application/json; charset=latin1"},
		{"Content-Type", "", "Content-Type", "multipart/form-data"}, {"Content-Encoding", "gzip"}} {
		refuse(good, dossier.CodeMediaType, "", header...)
	}
	var tree any
	if err := json.Unmarshal([]byte(good), &tree); err != nil {
		a.t.Fatal(err)
	}
	a.members("", tree, func(change any, pointer jsontext.Pointer, code dossier.Code) {
		refuse(a.changed(tree, pointer, change), code, string(pointer))
	})
	for _, name := range []string{"id", "state", "createdAt"} {
		refuse(a.changed(tree, jsontext.Pointer("/"+name), "x"), dossier.CodeValidation, "/"+name)
	}
	a.nulls(tree, "", tree)
}

// wrong has a value of each JSON type but null.
var wrong = map[string]any{"text": "x", "number": 1.5, "boolean": true, "object": map[string]any{},
	"list": []any{}}

func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "text"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "list"
	}
	return "object"
}

// members calls refuse with every value that a place of the body does not accept: an unknown
// member, another type, a text or list that is too long, an id of another company.
func (a conformance) members(at jsontext.Pointer, v any,
	refuse func(change any, pointer jsontext.Pointer, code dossier.Code)) {
	code := dossier.CodeValidation
	open := slices.Contains(a.goodRequest.any, string(at))
	for name, other := range wrong {
		if at != "" && name != typeOf(v) && !open {
			refuse(other, at, code)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if slices.Contains(a.free, string(at)) {
			return
		}
		refuse(1.5, at.AppendToken("nope~/"), code)
		for name, member := range v {
			a.members(at.AppendToken(name), member, refuse)
		}
	case []any:
		if !open {
			refuse(slices.Repeat([]any{append(v, "x")[0]}, 1001), at, code)
		}
		if len(v) > 0 && !open {
			a.members(at.AppendToken("0"), v[0], refuse)
		}
	case string:
		if slices.Contains(a.free, string(at)) {
			return
		}
		refuse(strings.Repeat("x", 5001), at, code)
		for name, id := range a.own {
			if id != v || !strings.Contains(id, "_") {
				continue
			}
			for _, other := range []string{id[:4] + nobody, a.sibling[name], a.stranger[name],
				"x"} {
				refuse(other, at, code)
			}
		}
	}
}

// changed returns the body with another value at a pointer.
func (a conformance) changed(tree any, pointer jsontext.Pointer, value any) string {
	text, err := json.Marshal(tree)
	if err != nil {
		a.t.Fatal(err)
	}
	var clone any
	if err := json.Unmarshal(text, &clone); err != nil {
		a.t.Fatal(err)
	}
	holder := (&explanation{tree: clone}).find(pointer.Parent())
	switch h := holder.(type) {
	case map[string]any:
		h[pointer.LastToken()] = value
	case []any:
		h[0] = value
	default:
		a.t.Fatalf("%s has no holder", pointer)
	}
	text, err = json.Marshal(clone)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}

// nulls sends null and an empty text in each place. Either may be accepted or refused; a refusal
// must store nothing.
func (a conformance) nulls(tree any, at jsontext.Pointer, v any) {
	values := []any{nil, ""}
	if _, text := v.(string); !text {
		values = values[:1]
	}
	for _, value := range values {
		if at == "" {
			break
		}
		c := a.request()
		c.body = a.changed(tree, at, value)
		if w := a.ask(c); w.Code == 200 {
			a.before = a.stored()
		} else {
			a.unchanged(fmt.Sprintf("null at %s", at))
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			a.nulls(tree, at.AppendToken(name), member)
		}
	case []any:
		if len(v) > 0 {
			a.nulls(tree, at.AppendToken("0"), v[0])
		}
	}
}
