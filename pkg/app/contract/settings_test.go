package contract

import (
	"net/http"
	"net/url"
	"slices"
)

// anySubmission is a submission with one rule that changes nothing.
func anySubmission() object {
	return object{"rules": []object{{"conditionsType": "or",
		"conditions": []object{{"type": "context", "reference": "email", "operator": "isEmpty"}},
		"actions":    []object{}}}}
}

// hasSubmission fails unless the document type carries the rule of anySubmission.
func (s *service) hasSubmission(where string, documentType any) {
	s.Helper()
	rule := at(documentType, "submission", "rules", 0)
	if at(rule, "conditionsType") != "or" || at(rule, "conditions", 0, "reference") != "email" ||
		at(rule, "id") == nil {
		s.Errorf("%s: no submission in %v", where, documentType)
	}
}

func (s *service) typeWithSubmission() string {
	s.Helper()
	return s.create("/documentTypes", object{"name": "Permit", "submission": anySubmission()})
}

var documentTypeRows = []row{
	{"GET list returns submission", func(s *service) {
		id := s.typeWithSubmission()
		s.eventually("the document type in the list", func() bool {
			found := find(s.list("/documentTypes?page[size]=100"), "id", id)
			if found != nil {
				s.hasSubmission("list", found)
			}
			return found != nil
		})
	}},
	{"POST accepts submission", func(s *service) {
		made := s.one("POST", "/documentTypes",
			object{"name": "Permit", "submission": anySubmission()})
		s.hasSubmission("POST", made)
	}},
	{"POST returns submission when none is given", func(s *service) {
		made := s.one("POST", "/documentTypes", object{"name": "Permit"})
		s.equal("rules", at(made, "submission", "rules"), []any{})
	}},
	{"GET returns submission", func(s *service) {
		s.hasSubmission("GET", s.one("GET", "/documentTypes/"+s.typeWithSubmission(), nil))
	}},
	{"PATCH accepts submission", func(s *service) {
		id := s.create("/documentTypes", object{"name": "Permit"})
		s.hasSubmission("PATCH", s.one("PATCH", "/documentTypes/"+id,
			object{"submission": anySubmission()}))
		s.hasSubmission("GET", s.one("GET", "/documentTypes/"+id, nil))
	}},
	{"a partner's documents go to the owner's parser service once the partner confirmed its host",
		(*service).parserConfirmed},
	{"calls of parser services are logged", (*service).parserCalls},
}

var scenarioRows = []row{
	{"POST returns submission in documentTypes", func(s *service) {
		made := s.one("POST", "/scenarios", s.scenario("candidateMessageSent"))
		s.hasSubmission("POST", at(made, "documentTypes", 0))
		s.equal("eventName", made["eventName"], "candidateMessageSent")
	}},
	{"GET returns submission in documentTypes", func(s *service) {
		id := s.create("/scenarios", s.scenario("candidateRejected"))
		read := s.one("GET", "/scenarios/"+id, nil)
		s.hasSubmission("GET", at(read, "documentTypes", 0))
		s.equal("eventName", read["eventName"], "candidateRejected")
	}},
	{"PATCH accepts eventName and returns submission", func(s *service) {
		id := s.create("/scenarios", s.scenario("candidateRejected"))
		changed := s.one("PATCH", "/scenarios/"+id,
			object{"eventName": "candidatePassVerificationFailed"})
		s.hasSubmission("PATCH", at(changed, "documentTypes", 0))
		s.equal("eventName", changed["eventName"], "candidatePassVerificationFailed")
	}},
	{"GET list filters by any of the given events", func(s *service) {
		rejected := s.create("/scenarios", s.scenario("candidateRejected"))
		verified := s.create("/scenarios", s.scenario("candidatePassVerificationVerified"))
		sent := s.create("/scenarios", s.scenario("candidateMessageSent"))
		events := url.QueryEscape("filter[events][]")
		path := "/scenarios?page[size]=100&" + events + "=candidateRejected&" + events +
			"=candidatePassVerificationVerified"
		s.eventually("both scenarios in the list", func() bool {
			list := s.list(path)
			if find(list, "id", sent) != nil {
				s.Fatalf("the filter lets a scenario of candidateMessageSent through")
			}
			found := find(list, "id", rejected)
			if found == nil || find(list, "id", verified) == nil {
				return false
			}
			s.hasSubmission("list", at(found, "documentTypes", 0))
			return true
		})
	}},
	{"a notification is sent with values in place of its placeholders", func(s *service) {
		s.create("/scenarios", object{"name": "S", "eventName": "candidateUpdated",
			"notification": object{"subject": "S", "text": "Dear {{firstName}}, thank you."}})
		candidate := s.create("/candidates", object{"firstName": "Ada"})
		s.one("PATCH", "/candidates/"+candidate, object{"firstName": "Grace"})
		s.eventually("the notification", func() bool {
			return find(s.list("/candidates/"+candidate+"/messages"), "text",
				"Dear Grace, thank you.") != nil
		})
	}},
}

// scenario returns an inactive scenario of an event, which asks for a document type with a
// submission.
func (s *service) scenario(event string) object {
	s.Helper()
	return object{"name": "S", "eventName": event, "active": false,
		"documentTypeIds": []string{s.typeWithSubmission()}}
}

var pageRows = []row{
	{"GET list returns submission in documents", func(s *service) {
		id := s.page("list")
		s.eventually("the page in the list", func() bool {
			found := find(s.list("/registration-pages?page[size]=100"), "id", id)
			if found != nil {
				s.hasSubmission("list", at(found, "documents", 0, "documentType"))
			}
			return found != nil
		})
	}},
	{"GET returns submission in documents", func(s *service) {
		read := s.one("GET", "/registration-pages/"+s.page("get"), nil)
		s.hasSubmission("GET", at(read, "documents", 0, "documentType"))
	}},
	{"a page asks for custom fields", func(s *service) {
		s.create("/customFields", object{"entity": "candidate", "reference": "askedYears",
			"label": "Years", "type": "number"})
		page := s.create("/registration-pages", object{"name": "P", "slug": "asks",
			"customFields": []object{{"reference": "askedYears", "required": true}}})
		public := "/public/" + at(s.one("GET", "/sessions/current", nil), "company",
			"id").(string) + "/registration-pages/" + page
		s.equal("label", at(s.one("GET", public, nil), "customFields", 0, "label"), "Years")
		who := object{"firstName": "Ada", "email": "ada@example.com"}
		problem := s.refuse("POST", public+"/register", who, http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
		s.equal("pointer", at(problem, "errors", 0, "pointer"), "/customFields/askedYears")
		who["customFields"] = object{"askedYears": 3}
		made := s.one("POST", public+"/register", who)
		s.equal("years", at(s.one("GET", "/candidates/"+at(made, "candidateId").(string), nil),
			"customFields", "askedYears"), 3.0)
	}},
}

func (s *service) page(slug string) string {
	s.Helper()
	return s.create("/registration-pages", object{"name": "P", "slug": slug,
		"documents": []object{{"documentTypeId": s.typeWithSubmission(), "required": true}}})
}

// eventNames are the four events that the interface adds.
var eventNames = []string{"candidateRejected", "candidatePassVerificationVerified",
	"candidatePassVerificationFailed",
	"candidateMessageSent"}

func (s *service) integration(event string) object {
	return object{"name": "I", "triggerEvent": event,
		"target": object{"type": "webhook", "url": s.receiver.URL}}
}

var integrationRows = []row{
	{"POST carries triggerEvent", func(s *service) {
		for _, name := range eventNames {
			s.equal("triggerEvent", s.one("POST", "/integrations",
				s.integration(name))["triggerEvent"], name)
		}
	}},
	{"GET carries triggerEvent", func(s *service) {
		id := s.create("/integrations", s.integration("candidateRejected"))
		s.equal("triggerEvent", s.one("GET", "/integrations/"+id, nil)["triggerEvent"],
			"candidateRejected")
	}},
	{"PATCH carries triggerEvent", func(s *service) {
		id := s.create("/integrations", s.integration("candidateRejected"))
		changed := s.one("PATCH", "/integrations/"+id,
			object{"triggerEvent": "candidateMessageSent"})
		s.equal("triggerEvent", changed["triggerEvent"], "candidateMessageSent")
	}},
	{"GET list filters by triggerEvent", func(s *service) {
		in := s.create("/integrations", s.integration("candidatePassVerificationFailed"))
		out := s.create("/integrations", s.integration("candidateRejected"))
		path := "/integrations?page[size]=100&filter[triggerEvent]=candidatePassVerificationFailed"
		s.eventually("the integration in the list", func() bool {
			list := s.list(path)
			if find(list, "id", out) != nil {
				s.Fatalf("the filter lets another event through: %v", list)
			}
			found := find(list, "id", in)
			return found != nil && found["triggerEvent"] == "candidatePassVerificationFailed"
		})
	}},
	{"POST send-init-request accepts triggerEvent", func(s *service) {
		for _, name := range eventNames {
			report := s.one("POST", "/integrations/send-init-request",
				object{"url": s.receiver.URL, "triggerEvent": name})
			s.equal("delivered", report["delivered"], true)
		}
		s.refuse("POST", "/integrations/send-init-request",
			object{"url": s.receiver.URL, "triggerEvent": "candidateLost"},
			422, "VALIDATION_FAILED")
	}},
	{"GET logs returns eventName", func(s *service) {
		id := s.create("/integrations", s.integration("candidateRejected"))
		candidate := s.candidate()
		s.ok("POST", "/candidates/"+candidate+"/reject", object{"reason": "r"})
		s.eventually("the log entry", func() bool {
			entry := find(s.list("/integrations/logs?filter[integrationId]="+id+
				"&filter[candidateId]="+candidate), "integrationId", id)
			return entry != nil && entry["eventName"] == "candidateRejected"
		})
	}},
}

// causes are the calls that cause each of the four events.
var causes = map[string]struct {
	path string
	body object
}{
	"candidateRejected":                 {"/reject", object{"reason": "r"}},
	"candidatePassVerificationVerified": {"/passVerification", object{"status": "verified"}},
	"candidatePassVerificationFailed":   {"/passVerification", object{"status": "failed"}},
	"candidateMessageSent":              {"/messages", object{"text": "Hello"}},
}

var eventRows = func() []row {
	var list []row
	for _, name := range eventNames {
		list = append(list, row{name + " reaches an integration", func(s *service) {
			id := s.create("/integrations", s.integration(name))
			candidate := s.candidate()
			s.ok("POST", "/candidates/"+candidate+causes[name].path, causes[name].body)
			s.delivered(name, candidate)
			s.ok("PATCH", "/integrations/"+id, object{"state": "disabled"})
		}}, row{name + " starts a scenario", func(s *service) {
			wanted := s.create("/documentTypes", object{"name": "Card"})
			id := s.create("/scenarios",
				object{"name": "S", "eventName": name, "documentTypeIds": []string{wanted}})
			candidate := s.candidate()
			s.ok("POST", "/candidates/"+candidate+causes[name].path, causes[name].body)
			s.eventually("the document type requested", func() bool {
				return slices.ContainsFunc(s.list("/candidateDocumentTypes?filter[candidateId]="+
					candidate), func(v any) bool {
					return at(v, "documentType", "id") == wanted
				})
			})
			s.ok("PATCH", "/scenarios/"+id, object{"active": false})
		}})
	}
	return list
}()

// delivered waits until the receiver has an event of the candidate, and returns it.
func (s *service) delivered(name, candidate string) (event object) {
	s.Helper()
	s.eventually("the delivery of "+name, func() bool {
		for _, e := range s.receiver.events() {
			if e["type"] == name && e["candidateId"] == candidate {
				event = e
			}
		}
		return event != nil
	})
	return event
}

func (s *service) candidate(types ...string) string {
	s.Helper()
	id := s.create("/candidates", object{"firstName": "Ada", "nationality": "NLD"})
	for _, documentType := range types {
		s.ok("POST", "/candidateDocumentTypes",
			object{"candidateId": id, "documentTypeId": documentType})
	}
	return id
}
