package model

import (
	"cmp"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// parserCall is one call of a parser service.
type parserCall struct {
	of       *request
	document *document
	status   int
}

// call notes that the parser service of the type is asked.
func (r *request) call() {
	if !r.docType.parser {
		return
	}
	status := 200
	if r.of.company.model.down {
		status = 502
	}
	r.of.company.calls = append(r.of.company.calls, &parserCall{r, r.document, status})
}

func (c *parserCall) view(host string) object {
	return object{"documentTypeId": c.of.docType.id, "candidateDocumentTypeId": c.of.id(),
		"candidateId": c.of.of.id, "documentId": c.document.id, "version": c.document.version,
		"host": host, "statusCode": c.status}
}

// host is the host of the parser services.
func (s *session) host() string { return strings.TrimPrefix(s.endpoints.url, "http://") }

// confirmParser confirms where the documents of a type go that another company shares.
func (s *session) confirmParser() {
	of := rapid.SampledFrom(s.companies).Draw(s.T, "confirms")
	by := s.someone(of)
	t := rapid.SampledFrom([]*docType{s.companies[0].types[0], s.companies[0].types[0],
		s.companies[1].types[0], s.companies[1].types[1]}).Draw(s.T, "type")
	host := rapid.SampledFrom([]string{s.host(), s.host(), "example.com"}).Draw(s.T, "host")
	s.ask(sending{call: call{by: by, scope: "settings:write", key: s.key()}, method: "POST",
		path: "/documentTypes/" + t.id + "/parser/confirm", body: object{"host": host},
		kind: "parser", do: func() result {
			switch {
			case !slices.Contains(s.model.types(by.company), t):
				return notFound
			case t.owner == by.company:
				return notNow
			case host != s.host():
				return invalid
			}
			t.confirmed[by.company] = true
			return ok(object{"id": t.id,
				"parserConfirmation": object{"host": host, "confirmed": true}})
		}})
}

// observeCalls compares the log of the calls of parser services, in any order.
func (s *session) observeCalls(c *company) {
	status, got, err := s.service.send("GET", "/integrations/parser-calls?page[size]=100",
		c.people[0].secret, "", nil)
	all, isList := got.([]any)
	if err != nil || status != 200 || !isList {
		s.Fatalf("parser calls: %d %v %v", status, got, err)
	}
	if len(c.calls) > 100 {
		return // more than a page
	}
	order := func(a, b any) int {
		of := func(v any, name string) string { return v.(object)[name].(string) }
		return cmp.Or(strings.Compare(of(a, "documentId"), of(b, "documentId")),
			cmp.Compare(number(a.(object)["statusCode"]), number(b.(object)["statusCode"])))
	}
	for n := range all {
		all[n] = seen["call"](all[n].(object))
	}
	want := list(c.calls, func(x *parserCall) any { return x.view(s.host()) })
	slices.SortFunc(all, order)
	slices.SortFunc(want, order)
	s.compare("GET /integrations/parser-calls", all, want)
}

// number is a number of JSON or of the model.
func number(v any) float64 {
	if n, whole := v.(int); whole {
		return float64(n)
	}
	n, _ := v.(float64)
	return n
}
