package model

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"pgregory.net/rapid"
)

// actions returns the steps of a session, which come in any order.
func (s *session) actions() map[string]func(*rapid.T) {
	all := map[string]func(){
		"create": s.create, "change": s.change, "reject": s.reject, "reopen": s.reopen,
		"pass": s.verifyPass, "token": s.token, "ask for": s.askFor, "form": s.submitForm,
		"ask for form": s.askForForm, "open form": s.reopenForm,
		"apply": s.applyPreset, "take back": s.takePresetBack, "rename": s.rename,
		"import": s.importCandidate, "import again": s.importCandidate,
		"checker": s.breakChecker, "confirm": s.confirmParser,
		"check again": s.checkAgain,
		"upload":      s.upload, "upload again": s.upload, "upload more": s.upload,
		"bring":       s.bring,
		"bring again": s.bring, "bring more": s.bring,
		"validate": s.validate, "refuse": s.refuseDocument, "remove": s.remove,
		"send": s.sendMessage, "read": s.readMessage, "delete": s.deleteMessage,
		"look": s.look, "list": s.listRequests, "again": s.again, "share": s.share,
		"rules": s.otherRules, "endpoint": s.endpoint, "settle": s.settle, "observe": s.observe,
		"clock": func() {
			s.tick(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, 10 * time.Minute,
				time.Hour}).Draw(s.T, "tick"))
		},
	}
	for _, kind := range kinds {
		all["work on "+kind] = func() { s.work(kind) }
	}
	actions := map[string]func(*rapid.T){}
	for name, do := range all {
		actions[name] = func(t *rapid.T) {
			s.T = t
			do()
		}
	}
	return actions
}

func (s *session) create() {
	o := rapid.SampledFrom(s.companies).Draw(s.T, "of")
	by, types := s.someone(o), s.model.types(o)
	if by.company != o && by.candidate == nil {
		o, types = by.company, s.model.types(by.company)
	}
	body := object{"firstName": rapid.SampledFrom([]string{"Ada", " Grace"}).Draw(s.T, "name")}
	asked := types[:min(len(types), rapid.SampledFrom([]int{0, 1, 2, 2, 3, 4}).Draw(s.T, "types"))]
	body["documentTypeIds"] = list(asked, func(t *docType) any { return t.id })
	var forms []*form
	if len(o.forms) > 0 && s.flip("form") {
		forms = o.forms
		body["formIds"] = []string{o.forms[0].id}
	}
	s.ask(sending{call: call{by: by, scope: "candidates:write", key: s.key()}, method: "POST",
		path: "/candidates", body: body, kind: "candidate", do: func() result {
			c := &candidate{company: o, fields: object{}, reacted: map[int][]*scenario{},
				brought: map[*preset]*brought{},
				texts:   map[string]string{"firstName": body["firstName"].(string)}}
			why := cause{by: by}
			c.emit(why, "candidateCreated", nil)
			for _, t := range asked {
				c.ask(why, t, true, nil, nil)
			}
			for _, f := range forms {
				c.open(f)
			}
			c.status = c.judge()
			status := c.status
			c.events[0].data = as(object{"status": status})
			o.candidates = append(o.candidates, c)
			answer := ok(c.view())
			answer.learn = func(got object) {
				c.id, _ = got["id"].(string)
				answer.body["id"] = c.id
			}
			return answer
		}})
}

// decide asks for a change of a candidate, which answers with the candidate.
func (s *session) decide(c *candidate, path string, body object, do func(by *principal) *result) {
	by := s.someone(c.company)
	method := map[bool]string{true: "PATCH", false: "POST"}[path == ""]
	k := ""
	if path != "" {
		k = s.key()
	}
	s.ask(sending{call: call{by: by, scope: "candidates:write", about: c, key: k},
		method: method, path: "/candidates/" + c.id + path, body: body, kind: "candidate",
		do: func() result {
			if refused := do(by); refused != nil {
				return *refused
			}
			c.settle(cause{by: by})
			return ok(c.view())
		}})
}

func (s *session) change() {
	c := s.candidate()
	name := rapid.SampledFrom([]any{"Ada", "Bo", nil}).Draw(s.T, "lastName")
	s.decide(c, "", object{"lastName": name}, func(by *principal) *result {
		text, _ := name.(string)
		if c.texts["lastName"] != text {
			c.texts["lastName"] = text
			c.emit(cause{by: by}, "candidateUpdated", as(object{"changed": []string{"lastName"}}))
		}
		return nil
	})
}

func (s *session) reject() {
	c := s.candidate()
	s.decide(c, "/reject", object{"reason": "r"}, func(by *principal) *result {
		if c.rejected {
			return &notNow
		}
		before := c.status
		c.rejected, c.reason = true, "r"
		c.emit(cause{by: by}, "candidateRejected",
			as(object{"status": "rejected", "previousStatus": before}))
		return nil
	})
}

func (s *session) reopen() {
	c := s.candidate()
	s.decide(c, "/reopen", nil, func(*principal) *result {
		if !c.rejected {
			return &notNow
		}
		c.rejected, c.reason = false, ""
		return nil
	})
}

func (s *session) verifyPass() {
	c := s.candidate()
	status := rapid.SampledFrom([]string{"pending", "verified", "failed"}).Draw(s.T, "status")
	s.decide(c, "/passVerification", object{"status": status, "reason": "r"},
		func(by *principal) *result {
			c.verify(cause{by: by}, status, "r", nil)
			return nil
		})
}

// token gives a candidate a token, which joins the principals of the company.
func (s *session) token() {
	c := s.candidate()
	for _, p := range c.company.people {
		if p.candidate == c {
			s.Skip("has a token")
		}
	}
	made := s.must(c.company.people[0], "POST", "/candidates/"+c.id+"/tokens", nil)
	c.company.people = append(c.company.people, &principal{id: c.id, kind: "candidate",
		secret: made["token"].(string), company: c.company, candidate: c})
}

func (s *session) askFor() {
	c := s.candidate()
	by := s.someone(c.company)
	var all []*docType
	for _, o := range s.companies {
		all = append(all, o.types...)
	}
	t := rapid.SampledFrom(all).Draw(s.T, "type")
	required := s.flip("required")
	metadata := object{"note": "n", "candidate": object{"hint": "h"}}
	s.ask(sending{call: call{by: by, scope: "documents:write", key: s.key()}, method: "POST",
		path: "/candidateDocumentTypes", kind: "request", body: object{"candidateId": c.id,
			"documentTypeId": t.id, "required": required, "metadata": metadata},
		do: func() result {
			if c.company != by.company || !slices.Contains(s.model.types(by.company), t) {
				return invalid
			}
			if r := c.request(t); r != nil && r.state != "removed" {
				return refuse(409, "DOCUMENT_TYPE_ALREADY_REQUESTED")
			}
			why := cause{by: by}
			r := c.ask(why, t, required, metadata, nil)
			c.settle(why)
			return ok(r.view(by))
		}})
}

func (s *session) submitForm() {
	c := s.candidate()
	f := s.companies[0].forms[0]
	if len(c.company.forms) > 0 {
		f = c.company.forms[0]
	}
	by := s.someone(c.company)
	s.ask(sending{call: call{by: by, scope: "candidates:write", tokens: true, about: c,
		key: s.key()}, method: "POST", path: "/candidates/" + c.id + "/forms/" + f.id,
		body: object{"answers": object{"a": "x"}}, kind: "candidate", do: func() result {
			at := slices.IndexFunc(c.forms, func(o candidateForm) bool { return o.form == f })
			switch {
			case at < 0:
				return notFound
			case c.forms[at].state == "submitted":
				return notNow
			}
			c.forms[at].state, c.forms[at].answers = "submitted", object{"a": "x"}
			c.emit(cause{by: by}, "candidateFormSubmitted", as(object{"formId": f.id}))
			c.settle(cause{by: by})
			return ok(c.view())
		}})
}

// contents are documents; each member is of the few kinds that conditions compare with.
var contents = []object{
	{"name": "Ada", "grade": 5.0, "tags": []any{"a", "b"}, "deep": object{"code": "C1"}},
	{"name": "  Bo ", "grade": "7.50", "tags": []any{}, "born": "2001-02-03"},
	{"name": "Caf\u00e9", "grade": true, "tags": []any{"b", " a "}, "deep": object{"code": " "}},
	{"name": "", "grade": 7.5, "tags": "a", "born": "tomorrow", "deep": object{}},
	{"name": object{"first": "Ada"}, "tags": []any{"a", "a", 5.0}},
	{"bad": true, "name": "Ada"},
}

func (s *session) upload() {
	r := s.request()
	s.uploadTo(r, s.someone(r.of.company), rapid.SampledFrom([][]string{{"front"}, {"front"},
		{"back"}, {"front", "back"}}).Draw(s.T, "parts"))
}

// uploadTo uploads parts of these names.
func (s *session) uploadTo(r *request, by *principal, names []string) {
	path := rapid.SampledFrom([]string{"candidateDocumentTypes", "containers"}).Draw(s.T, "path")
	var parts []part
	var body []object
	for _, name := range names {
		content := rapid.SampledFrom(contents).Draw(s.T, "content")
		text, err := json.Marshal(content)
		if err != nil {
			s.Fatal(err)
		}
		parts = append(parts, part{name, content})
		body = append(body, object{"name": name, "fileName": name + ".json",
			"contentType": "application/json",
			"content":     base64.StdEncoding.EncodeToString(text)})
	}
	s.ask(sending{call: call{by: by, scope: "documents:write", tokens: true, about: r.of,
		key: s.key()}, method: "POST", path: "/" + path + "/" + r.id() + "/upload", kind: "request",
		body: object{"parts": body}, do: func() result {
			return r.of.request(r.docType).upload(by, parts)
		}})
}

// review asks for a decision on a document.
func (s *session) review(r *request, method, path string, body object,
	do func(r *request, by *principal) *result) {
	by := s.someone(r.of.company)
	scope := "documents:write"
	if method == http.MethodDelete && by.kind == "integration" {
		scope = "nobody:write"
	}
	k := ""
	if method == http.MethodPost {
		k = s.key()
	}
	s.ask(sending{call: call{by: by, scope: scope, about: r.of, key: k}, method: method,
		path: "/candidateDocumentTypes/" + r.id() + path, body: body, kind: "request",
		do: func() result {
			r := r.of.request(r.docType)
			if r.state == "processing" {
				return locked
			}
			if refused := do(r, by); refused != nil {
				return *refused
			}
			return ok(r.of.request(r.docType).view(by))
		}})
}

func (s *session) validate() {
	s.review(s.request(), "POST", "/validate", nil, func(r *request, by *principal) *result {
		from := []string{"inReview", "rejected", "checkFailed"}
		if r.document == nil || !slices.Contains(from, r.state) || r.document.ran {
			return &notNow
		}
		r.document.reasons = slices.DeleteFunc(slices.Clone(r.document.reasons),
			func(code string) bool { return code == "REJECTED_BY_REVIEWER" })
		r.validates(by)
		r.of.settle(cause{by: by, document: r.document})
		r.of.runRules()
		return nil
	})
}

func (s *session) refuseDocument() {
	resubmit := s.flip("resubmit")
	to, from := "rejected", []string{"inReview", "validated", "checkFailed", "needsResubmission"}
	if resubmit {
		to, from = "needsResubmission", from[:3]
	}
	of, body := s.request(), object{"reason": "r", "resubmit": resubmit}
	var named *document
	if of.force != nil && s.flip("in force") {
		named = of.force
		body["documentId"] = named.id
	}
	s.review(of, "POST", "/reject", body,
		func(r *request, by *principal) *result {
			why := cause{by: by, document: r.document}
			switch {
			case named != nil && named == r.force:
				r.refuseInForce(by, to)
				return nil
			case named != nil && named != r.document:
				return &notNow
			}
			if r.document == nil || !slices.Contains(from, r.state) {
				return &notNow
			}
			r.decide(why, to, "REJECTED_BY_REVIEWER")
			return nil
		})
}

func (s *session) remove() {
	s.review(s.request(), "DELETE", "", nil, func(r *request, by *principal) *result {
		if r.state == "removed" {
			return &notNow
		}
		r.state, r.force = "removed", nil
		why := cause{by: by, document: r.document}
		r.reportRemoved(why)
		r.of.settle(why)
		return nil
	})
}

// look reads a candidate, or a candidate document type, as anyone.
func (s *session) look() {
	c, by := s.candidate(), s.anyone()
	s.ask(sending{call: call{by: by, scope: "candidates:read", tokens: true, about: c},
		method: "GET", path: "/candidates/" + c.id, kind: "candidate",
		do: func() result { return ok(c.view()) }})
	for _, r := range c.requests {
		s.ask(sending{call: call{by: by, scope: "documents:read", tokens: true, about: c},
			method: "GET", path: "/candidateDocumentTypes/" + r.id(), kind: "request",
			do: func() result { return ok(r.view(by)) }})
	}
}

// listRequests lists the candidate document types of a candidate as one who may.
func (s *session) listRequests() {
	c := s.candidate()
	for _, by := range c.company.people {
		if by.candidate == c || by.candidate == nil && by.has("documents:read") {
			s.compareList(by, "/candidateDocumentTypes?page[size]=100&filter[candidateId]="+c.id,
				"request", list(c.requests, func(r *request) any { return r.view(by) }))
		}
	}
}

// again sends a request with an Idempotency-Key once more.
func (s *session) again() {
	if len(s.sent) == 0 {
		s.Skip("nothing was sent")
	}
	r := rapid.SampledFrom(s.sent).Draw(s.T, "sent")
	s.ask(r)
}

// share shares the first type of a company with its sibling, or withdraws it.
func (s *session) share() {
	t, with := s.companies[0].types[0], []*company{}
	if s.flip("shared") {
		with = s.companies[1:2]
	}
	s.must(s.companies[0].people[0], "PATCH", "/documentTypes/"+t.id,
		object{"sharedWith": list(with, func(c *company) any { return c.id })})
	t.save(with)
}

func (s *session) otherRules() {
	c := rapid.SampledFrom(s.companies).Draw(s.T, "of")
	s.changeRules(c, rapid.SampledFrom(c.types).Draw(s.T, "type"))
}

// endpoint has the endpoint of an integration answer otherwise from now on.
func (s *session) endpoint() {
	c := rapid.SampledFrom(s.companies).Draw(s.T, "of")
	i := rapid.SampledFrom(c.integrations).Draw(s.T, "integration")
	i.status = rapid.SampledFrom([]int{200, 200, 302, 500, 410}).Draw(s.T, "status")
	s.endpoints.at(i.secret).status = i.status
}
