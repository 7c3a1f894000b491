package httpapi

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// conformance tests one route with its sample, on a copy of the seed.
type conformance struct {
	*seededAPI
	route
	goodRequest
}

// TestConformance tests each row of the route table against the rules for every route. A route
// without a sample fails, so that none is forgotten.
func TestConformance(t *testing.T) {
	t.Parallel()
	routes := (&API{}).routes(Groups())
	samples := allSamples()
	for name := range samples {
		if !slices.ContainsFunc(routes, func(rt route) bool { return rt.String() == name }) {
			t.Errorf("%s is no route", name)
		}
	}
	w := newSeed(t)
	for _, rt := range routes {
		t.Run(rt.String(), func(t *testing.T) {
			t.Parallel()
			s, ok := samples[rt.String()]
			if !ok {
				t.Fatal("the route has no row in samples")
			}
			a := conformance{w.open(t), rt, s}
			a.admission()
			a.ids()
			a.parameters()
			a.entityTags()
			a.bodies()
			conformance{w.open(t), rt, s}.good()
		})
	}
}

// with replaces the names in a text by ids; those in other take precedence.
func (a conformance) with(text string, other map[string]string) string {
	return os.Expand(text, func(name string) string {
		if id, ok := other[name]; ok {
			return id
		}
		if id, ok := a.own[name]; ok {
			return id
		}
		return a.keys[name]
	})
}

// request returns the sample as a call.
func (a conformance) request(header ...string) call {
	return call{method: a.method, target: a.with(a.at, nil), body: a.with(a.goodRequest.body, nil),
		header: header, key: a.keys[a.goodRequest.key]}
}

// admission sends every credential that must be refused, or that must not find the resource.
func (a conformance) admission() {
	if a.public {
		c := a.request()
		c.key = "x"
		a.ask(c)
		a.before = a.stored() // signing in stores a session
		return
	}
	c := a.request()
	c.key = "none"
	none := a.refuse(c, dossier.CodeUnauthorized, "")
	wrong := a.keys["own"][:len(a.keys["own"])-3] + "xyz"
	for _, key := range []string{"x", unknownKey, wrong, strings.ToUpper(a.keys["own"]),
		"dst" + a.keys["own"][3:], a.keys["expired"], a.keys["revoked"],
		strings.Repeat("x", 20_000), "a.b.c"} {
		c.key = key
		a.identical("a credential", none, a.refuse(c, dossier.CodeUnauthorized, ""))
	}
	if none.Header().Get("WWW-Authenticate") == "" {
		a.t.Error("401 without WWW-Authenticate")
	}
	if a.anyone {
		return
	}
	c.key = a.keys[a.scope]
	a.refuse(c, dossier.CodeForbidden, "")
	for _, token := range []string{"token", "token2"} {
		c.key = a.keys[token]
		switch name, filter := strings.CutPrefix(a.tokens, "?"); {
		case a.tokens == "":
			a.refuse(c, dossier.CodeForbidden, "")
		case filter:
			a.refuse(c, dossier.CodeForbidden, "")
			c.target = a.with(a.at+"?"+url.QueryEscape("filter["+name+"]")+"=$cnd", nil)
			if token == "token2" {
				a.refuse(c, dossier.CodeForbidden, "")
			} else if w := a.ask(c); w.Code != 200 {
				a.t.Errorf("the own candidate's token: %d %s", w.Code, w.Body)
			}
		case token == "token2":
			missing := c
			missing.target = a.with(a.at, a.absentIDs())
			a.identical("another candidate's dossier", a.ask(missing),
				a.refuse(c, dossier.CodeNotFound, ""))
		case a.method == "GET":
			if w := a.ask(c); w.Code != 200 {
				a.t.Errorf("the own candidate's token: %d %s", w.Code, w.Body)
			}
		case a.route.body == bodyNeeded:
			c.body = "{"
			a.refuse(c, dossier.CodeMalformed, "")
		}
	}
	a.unchanged("credentials")
}

const nobody = "01JD5T0000000000000000000C" // a ULID that nothing has

// absentID returns an id, in the form of another, that nothing has.
func absentID(id string) string {
	prefix, rest, _ := strings.Cut(id, "_")
	return prefix + "_" + strings.Repeat(nobody, len(rest)/len(nobody)) +
		"x"[:min(1, len(rest)%len(nobody))]
}

// absentIDs returns ids that nothing has, for each name in the path of the route.
func (a conformance) absentIDs() map[string]string {
	absent := map[string]string{}
	for _, name := range strings.Split(a.at, "$")[1:] {
		name, _, _ = strings.Cut(name, "/")
		absent[name] = absentID(a.own[name])
	}
	return absent
}

// ids sends ids that are absent, foreign, malformed or too long. All get the same 404, to the
// byte. So do ids of things of another kind, whether they exist or not.
func (a conformance) ids() {
	first := true
	for _, name := range strings.Split(a.at, "$")[1:] {
		name, _, _ = strings.Cut(name, "/")
		at := func(id string) call {
			c := a.request()
			c.target = a.with(a.at, map[string]string{name: id})
			return c
		}
		own := a.own[name]
		prefix, rest, _ := strings.Cut(own, "_")
		absent := a.refuse(at(absentID(own)), dossier.CodeNotFound, "")
		a.refuse(at("..%2f.."), dossier.CodeNotFound, "") // no address of this API
		others := []string{"x", "%20", "%00", "%ff", "%C3%A9", own + "0",
			strings.Repeat("x", 201), strings.Repeat("x", 5000), "cnd_", "a%2Fb"}
		if rest != "" {
			others = append(others, strings.ToLower(own), own[:len(own)-1], prefix+"_", "xxx_"+rest,
				prefix+"_"+nobody, prefix+"_"+strings.Repeat(nobody, 3))
		}
		// where the people of a company sign in is public
		if rest != "" && !strings.HasPrefix(a.at, "/public/$com/sign-in") {
			others = append(others, a.stranger[name])
		}
		if rest != "" && prefix+"_" != dossier.PrefixCompany { // a group sees its own
			others = append(others, a.sibling[name])
		}
		if second := a.own[name+"2"]; !first && second != "" {
			others = append(others, second) // of another candidate, or not requested
		}
		for _, id := range others {
			a.identical(name+" "+id, absent, a.refuse(at(id), dossier.CodeNotFound, ""))
		}
		for _, kind := range []string{"dty", "cnd", "frm"} {
			if prefix == kind {
				continue
			}
			other := a.refuse(at(absentID(a.own[kind])), dossier.CodeNotFound, "")
			for _, id := range []string{a.own[kind], a.sibling[kind], a.stranger[kind]} {
				got := a.refuse(at(id), dossier.CodeNotFound, "")
				if len(params(a.path)) == 1 { // with more ids, the sentence repeats this one
					a.identical(name+" "+id, other, got)
				}
			}
		}
		first = false
	}
}

// parameters sends query parameters that are unknown, repeated, empty, too long, too many or
// outside their closed lists.
func (a conformance) parameters() {
	if a.public {
		return
	}
	c := a.request()
	refuse := func(query string, code dossier.Code, pointer string) {
		c.target = a.with(a.at, nil) + "?" + query
		a.refuse(c, code, pointer)
	}
	refuse("nope=1", dossier.CodeValidation, "?nope")
	refuse("filter[nope]=1", dossier.CodeValidation, "?filter[nope]")
	refuse("%zz", dossier.CodeMalformed, "")
	refuse("a;b", dossier.CodeMalformed, "")
	refuse(strings.Repeat("x", 17<<10), dossier.CodeMalformed, "")
	for _, name := range a.route.parameters() {
		escaped := url.QueryEscape(name)
		refuse(escaped+"=", dossier.CodeValidation, "?"+name)
		refuse(escaped+"=%ff", dossier.CodeValidation, "?"+name)
		refuse(escaped+"="+strings.Repeat("x", 7000), dossier.CodeValidation, "?"+name)
		if strings.HasSuffix(name, "[]") {
			refuse(strings.Repeat(escaped+"=x&", 101), dossier.CodeValidation, "?"+name)
			continue
		}
		refuse(escaped+"=x&"+escaped+"=x", dossier.CodeValidation, "?"+name)
	}
	for _, name := range a.closed {
		bare, list := strings.CutSuffix(name, "[]")
		name = "filter[" + bare + "]" + map[bool]string{true: "[]"}[list]
		refuse(name+"=nope", dossier.CodeValidation, "?"+name)
	}
	if a.paging == unpaged {
		refuse("page[size]=1", dossier.CodeValidation, "?page[size]")
		refuse("page[after]=x", dossier.CodeValidation, "?page[after]")
		return
	}
	for _, size := range []string{"0", "101", "-1", "x", "1.0", "01", "%2B1",
		"99999999999999999999"} {
		refuse("page[size]="+size, dossier.CodeValidation, "?page[size]")
	}
	for _, after := range []string{"x", "AAAA", "%21", "*", "eA"} {
		refuse("page[after]="+after, dossier.CodeMalformed, "?page[after]")
	}
	a.foreignLists()
}

// foreignLists requests lists with ids and cursors of other companies. No response shows that
// these exist.
func (a conformance) foreignLists() {
	for _, name := range a.filters {
		kind := map[string]string{"candidateId": "cnd", "integrationId": "int"}[name]
		if kind == "" {
			continue
		}
		at := func(id string) call {
			return call{method: "GET", target: a.with(a.at, nil) + "?filter[" + name + "]=" + id}
		}
		absent := a.ask(at(kind + "_" + nobody))
		for _, id := range []string{a.sibling[kind], a.stranger[kind], "x", kind + "_"} {
			a.identical("filter "+name, absent, a.ask(at(id)))
		}
	}
	theirs := a.ask(call{method: "GET", target: a.with(a.at, a.sibling) + "?page[size]=1",
		key: a.keys["sibling"]})
	link := theirs.Header().Get("Link")
	if theirs.Code != 200 || link == "" {
		return
	}
	target, err := url.Parse(link[1:strings.Index(link, ">")])
	if err != nil {
		a.t.Fatal(err)
	}
	a.refuse(call{method: "GET",
		target: a.with(a.at, nil) + "?page[size]=100&page[after]=" +
			target.Query().Get("page[after]")},
		dossier.CodeMalformed, "?page[after]")
	a.unchanged("lists")
}

// entityTags sends changes with a stale or malformed If-Match.
func (a conformance) entityTags() {
	if a.method != "PATCH" && !a.conditional {
		return
	}
	for tag, code := range map[string]dossier.Code{`"999"`: dossier.CodePrecondition,
		`W/"1"`: dossier.CodePrecondition, `"x"`: dossier.CodePrecondition,
		"1": dossier.CodeValidation, `"1`: dossier.CodeValidation,
		`"1", "2"`: dossier.CodeValidation} {
		pointer := ""
		if code == dossier.CodeValidation {
			pointer = "#header/If-Match"
		}
		a.refuse(a.request("If-Match", tag), code, pointer)
	}
}

// secrets matches the values that only the first response shows.
var secrets = regexp.MustCompile(`,"secret":"[^"]+"|"token":"[^"]+",?`)

// good sends the sample, which succeeds. Repeated under one Idempotency-Key it has one effect.
func (a conformance) good() {
	c := a.request()
	if a.method != "POST" {
		w := a.ask(c)
		if w.Code != 200 {
			a.t.Errorf("the sample: %d %s", w.Code, w.Body)
		}
		a.versions(w)
		return
	}
	if a.unkept {
		if first, again := a.ask(c), a.ask(c); first.Code != 200 || again.Code != 200 ||
			first.Body.String() == again.Body.String() {
			a.t.Errorf("the sample twice: %d %s, %d %s", first.Code, first.Body, again.Code,
				again.Body)
		}
		return
	}
	for _, key := range []string{strings.Repeat("k", 256), "a\tb", "é"} {
		a.refuse(a.request("Idempotency-Key", key), dossier.CodeValidation,
			"#header/Idempotency-Key")
	}
	c.header = []string{"Idempotency-Key", "k"}
	first := a.ask(c)
	if first.Code != 200 {
		a.t.Fatalf("the sample: %d %s", first.Code, first.Body)
	}
	a.versions(first)
	a.before = a.stored()
	again := a.ask(c)
	if secret := secrets.FindString(first.Body.String()); again.Code != 200 ||
		again.Body.String() != strings.Replace(first.Body.String(), secret, "", 1) {
		a.t.Errorf("sent again: %d %s, and first %s", again.Code, again.Body, first.Body)
	}
	a.unchanged("sent again")
	if a.pure {
		return
	}
	c.body = "{ " + strings.TrimPrefix(c.body, "{")
	if c.body == "{ " {
		c.body += "}"
	}
	a.refuse(c, dossier.CodeKeyReused, "")
}
