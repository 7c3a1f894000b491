package contract

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// asked returns a candidate who is asked for a document of a new type, and the id of the candidate
// document type.
func (s *service) asked(documentType object) (candidate, request string) {
	s.Helper()
	candidate = s.candidate(s.create("/documentTypes", documentType))
	return candidate, at(s.list("/candidateDocumentTypes?filter[candidateId]="+candidate), 0,
		"id").(string)
}

// jsonType returns a document type whose documents are read as JSON and validated by the check.
func jsonType(submission object) object {
	return object{"name": "Permit", "requiredParts": []string{"front"}, "submission": submission,
		"check": object{"parser": "json", "decision": "automatic"}}
}

// validated uploads the document and waits until it is validated.
func (s *service) validated(request string) {
	s.Helper()
	s.ok("POST", "/candidateDocumentTypes/"+request+"/upload", parts(parsed))
	s.eventually("the validation", func() bool {
		return s.one("GET", "/candidateDocumentTypes/"+request, nil)["state"] == "validated"
	})
}

// ran validates a document under the rules and returns the rule run.
func (s *service) ran(rules ...object) (candidate string, run object) {
	s.Helper()
	candidate, request := s.asked(jsonType(object{"rules": rules}))
	s.validated(request)
	run, _ = at(s.list("/candidateDocumentTypes/"+request+"/ruleRuns"), 0).(object)
	if run == nil {
		s.Fatal("no rule run")
	}
	return candidate, run
}

var requestRows = []row{
	{"GET list returns submission in documentType", func(s *service) {
		candidate := s.candidate(s.typeWithSubmission())
		item := at(s.list("/candidateDocumentTypes?filter[candidateId]="+candidate), 0)
		s.hasSubmission("list", at(item, "documentType"))
	}},
	{"GET returns submission in documentType", func(s *service) {
		candidate := s.candidate(s.typeWithSubmission())
		id := at(s.list("/candidateDocumentTypes?filter[candidateId]="+candidate), 0, "id").(string)
		s.hasSubmission("GET", s.one("GET", "/candidateDocumentTypes/"+id, nil)["documentType"])
	}},
}

var uploadRows = []row{
	{"POST candidateDocumentTypes upload uploads a document", func(s *service) {
		s.uploads("candidateDocumentTypes")
	}},
	{"POST containers upload uploads a document", func(s *service) { s.uploads("containers") }},
	{"409 while a check runs on candidateDocumentTypes", func(s *service) {
		s.frozen("candidateDocumentTypes")
	}},
	{"409 while a check runs on containers", func(s *service) { s.frozen("containers") }},
	{"readings say where each value stood, and stay when it is corrected", (*service).readings},
	{"missingParts names the parts that an upload has yet to bring", (*service).missingParts},
	{"a part that the document type does not have is refused", (*service).unknownParts},
	{"PATCH changes what is asked for", (*service).changesRequest},
	{"the client retries after the check has finished", func(s *service) {
		_, request := s.asked(jsonType(anySubmission()))
		s.validated(request)
		again := s.one("POST", "/containers/"+request+"/upload", parts(parsed))
		s.equal("version", at(again, "replacement", "document", "version"), 2)
	}},
	{"a validated document stays in force until a newer one is validated", (*service).staysInForce},
}

// staysInForce has a candidate replace a validated document by mistake, and then with a good one.
func (s *service) staysInForce() {
	s.Helper()
	candidate, request := s.asked(object{"name": "Permit", "check": object{"parser": "json",
		"decision": "automatic", "required": []string{"permit.number"}}})
	s.validated(request)
	path := "/candidateDocumentTypes/" + request
	first := s.one("GET", path, nil)
	upload := func(content, after string) object {
		s.Helper()
		s.as(candidate).ok("POST", path+"/upload", parts(content))
		var now object
		s.eventually(after, func() bool {
			now = s.one("GET", path, nil)
			return now["lock"] == nil
		})
		s.equal(after, at(now, "state"), "validated")
		s.equal("status", s.one("GET", "/candidates/"+candidate, nil)["status"], "approved")
		return now
	}
	now := upload(`{"permit":{}}`, "a document without the number")
	s.equal("in force", now["document"], first["document"])
	s.equal("the newer one", at(now, "replacement", "state"), "needsResubmission")
	s.equal("reason", at(now, "replacement", "document", "reasons", 0, "code"), "MISSING_VALUE")
	now = upload(parsed, "a good document")
	s.equal("version", at(now, "document", "version"), 3)
	s.equal("nothing newer", now["replacement"], nil)
}

func (s *service) uploads(collection string) {
	s.Helper()
	_, request := s.asked(object{"name": "Letter",
		"check": object{"parser": "none", "decision": "manual"}})
	answer := s.one("POST", "/"+collection+"/"+request+"/upload",
		object{"parts": []object{{"name": "front",
			"fileName": "a.png", "contentType": "image/png", "content": pixel}}})
	s.equal("version", at(answer, "document", "version"), 1)
}

// pixel is a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// frozen uploads to a type whose check waits for a parser service, and uploads again.
func (s *service) frozen(collection string) {
	s.Helper()
	_, request := s.asked(object{"name": "Slow",
		"check": object{"parser": "http", "decision": "automatic",
			"http": object{"url": s.receiver.parser(s.T)}}})
	first := s.one("POST", "/candidateDocumentTypes/"+request+"/upload", pngParts())
	s.equal("state", first["state"], "processing")
	status, body, header := s.send("POST", "/"+collection+"/"+request+"/upload", pngParts())
	if status != http.StatusConflict ||
		at(body, "code") != "NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING" {
		s.Errorf("the second upload: %d %v", status, body)
	}
	if header.Get("Retry-After") == "" || at(body, "lock", "expiresAt") == nil {
		s.Errorf("the refusal does not say when to retry: %v, Retry-After %q", body,
			header.Get("Retry-After"))
	}
}

func pngParts() object {
	return object{"parts": []object{
		{"name": "front", "fileName": "a.png", "contentType": "image/png", "content": pixel},
	}}
}

var validationRows = []row{
	{"a document whose rules have run is not validated again", func(s *service) {
		_, request := s.asked(jsonType(object{"rules": []object{}}))
		s.validated(request)
		path := "/candidateDocumentTypes/" + request
		s.ok("POST", path+"/reject", object{"reason": "r"})
		s.refuse("POST", path+"/validate", nil, http.StatusConflict, "INVALID_TRANSITION")
		s.equal("state", s.one("GET", path, nil)["state"], "rejected")
		s.validated(request) // with another upload
	}},
	{"writes parsed values back, then runs rules, then the status, then events", func(s *service) {
		field := s.field("number")
		s.ok("POST", "/integrations", s.integration("candidateDocumentValidated"))
		documentType := jsonType(object{
			"rules": []object{{"conditionsType": "and", "conditions": []object{
				{"type": "context", "reference": "cf_" + field, "operator": "isEqual",
					"value": []string{"NL-204"}}},
				"actions": []object{}}},
		})
		documentType["writeBack"] = []object{{"from": "permit.number", "to": "cf_" + field}}
		candidate, request := s.asked(documentType)
		s.validated(request)
		s.equal("written back", at(s.one("GET", "/candidates/"+candidate, nil), "customFields",
			field), "NL-204")
		run := at(s.list("/candidateDocumentTypes/"+request+"/ruleRuns"), 0)
		s.equal("the rule reads the written value", at(run, "rules", 0, "matched"), true)
		s.equal("status before", at(run, "statusBefore"), "inReview")
		s.equal("status after", at(run, "statusAfter"), "approved")
		event := s.delivered("candidateDocumentValidated", candidate)
		s.equal("the event carries the status after the rules", at(event, "data", "status"),
			"approved")
	}},
	{"rules of a shared document type are not applied", func(s *service) {
		partner, partnerID := s.partner()
		shared := jsonType(anySubmission())
		shared["sharedWith"] = []string{partnerID}
		id := s.create("/documentTypes", shared)
		candidate := partner.candidate(id)
		request := at(partner.list("/candidateDocumentTypes?filter[candidateId]="+candidate), 0,
			"id").(string)
		partner.validated(request)
		run := at(partner.list("/candidateDocumentTypes/"+request+"/ruleRuns"), 0)
		s.equal("applied", at(run, "applied"), false)
		if at(run, "notAppliedReason") == nil {
			s.Errorf("the run does not say why: %v", run)
		}
	}},
}

// field makes a custom field of candidates with a reference of its own and returns the reference.
func (s *service) field(prefix string) string {
	s.Helper()
	reference := prefix + unique()
	s.ok("POST", "/customFields",
		object{"entity": "candidate", "reference": reference, "label": "Number", "type": "text"})
	return reference
}

var linkNext = regexp.MustCompile(`<([^>]+)>; rel="?next"?`)

var messageRows = []row{
	{"GET returns all messages of the candidate", func(s *service) {
		candidate := s.candidate()
		for range 120 {
			s.ok("POST", "/candidates/"+candidate+"/messages", object{"text": "Hello"})
		}
		s.equal("messages", len(s.list("/candidates/"+candidate+"/messages")), 120)
	}},
	{"GET with sort=-createdAt returns the newest first", func(s *service) {
		path := "/candidates/" + s.candidate() + "/messages"
		for n := range 3 {
			s.ok("POST", path, object{"text": fmt.Sprint(n)})
		}
		_, answer, header := s.send("GET", path+"?sort=-createdAt&page[size]=2", nil)
		page := answer.([]any)
		s.equal("first page", len(page), 2)
		s.equal("newest", at(page, 0, "text"), "2")
		s.equal("next to newest", at(page, 1, "text"), "1")
		next := linkNext.FindStringSubmatch(header.Get("Link"))
		if next == nil {
			s.Fatalf("no next page: %v", header)
		}
		page = s.list(strings.TrimPrefix(next[1], s.url))
		s.equal("second page", len(page), 1)
		s.equal("oldest", at(page, 0, "text"), "0")
		s.equal("all", at(s.list(path+"?sort=-createdAt"), 2, "text"), "0")
		s.refuse("GET", path+"?sort=text", nil, http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
	}},
	{"GET of events with sort=-createdAt returns the newest first", func(s *service) {
		candidate := s.candidate()
		s.ok("POST", "/candidates/"+candidate+"/messages", object{"text": "Hello"})
		path := "/candidates/" + candidate + "/events"
		s.equal("first", at(s.list(path), 0, "type"), "candidateCreated")
		s.equal("newest", at(s.list(path+"?sort=-createdAt"), 0, "type"),
			"candidateMessageSent")
		s.refuse("GET", path+"?sort=sequence", nil, http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
	}},
	{"POST sends a message", func(s *service) {
		candidate := s.candidate()
		sent := s.one("POST", "/candidates/"+candidate+"/messages", object{"text": "Hello"})
		s.equal("state", sent["state"], "unread")
		s.equal("listed", at(s.list("/candidates/"+candidate+"/messages"), 0, "text"), "Hello")
	}},
	{"POST read marks the message as read by an administrator", func(s *service) {
		candidate := s.candidate()
		id := s.as(candidate).create("/candidates/"+candidate+"/messages", object{"text": "Hello"})
		read := s.one("POST", "/candidates/"+candidate+"/messages/"+id+"/read", nil)
		s.equal("state", read["state"], "read")
		if read["readByAdministratorAt"] == nil || read["readByCandidateAt"] != nil {
			s.Errorf("read by the wrong side: %v", read)
		}
	}},
	{"POST read marks an own message of the administrator too", func(s *service) {
		path := "/candidates/" + s.candidate() + "/messages"
		id := s.create(path, object{"text": "Hello"})
		s.equal("state", s.one("POST", path+"/"+id+"/read", nil)["state"], "read")
		s.refuse("DELETE", path+"/"+id, nil, http.StatusConflict, "MESSAGE_ALREADY_READ")
	}},
	{"DELETE deletes an own unread administrator message", func(s *service) {
		path := "/candidates/" + s.candidate() + "/messages"
		s.ok("DELETE", path+"/"+s.create(path, object{"text": "Hello"}), nil)
		s.equal("messages", len(s.list(path)), 0)
	}},
	{"DELETE refuses a message that was read", func(s *service) {
		candidate := s.candidate()
		path := "/candidates/" + candidate + "/messages"
		id := s.create(path, object{"text": "Hello"})
		s.as(candidate).ok("POST", path+"/"+id+"/read", nil)
		s.refuse("DELETE", path+"/"+id, nil, http.StatusConflict, "MESSAGE_ALREADY_READ")
	}},
	{"the candidate reads the questions of a form and answers them", func(s *service) {
		field := object{"reference": "has", "label": "Has", "type": "boolean", "required": true}
		form := s.create("/forms", object{"name": "F", "fields": []object{field}})
		candidate := s.create("/candidates", object{"formIds": []string{form}})
		path, own := "/candidates/"+candidate+"/forms/"+form, s.as(candidate)
		s.equal("questions", at(own.one("GET", path, nil), "fields"), []any{field})
		own.one("POST", path, object{"answers": object{"has": true}})
		s.equal("state", at(own.one("GET", path, nil), "state"), "submitted")
		own.refuse("GET", "/forms/"+form, nil, http.StatusForbidden, "FORBIDDEN")
	}},
	{"a search takes the beginning of a name, e-mail or external id", func(s *service) {
		mark := "Zs" + unique()
		const find = "/candidates?filter[search]="
		id := s.create("/candidates", object{"firstName": "Ádám " + mark,
			"lastName": mark + " Kiss", "email": mark + "@example.com", "externalId": mark})
		for _, text := range []string{"adam " + mark, mark, strings.ToUpper(mark) + "%20kiss",
			mark + "@"} {
			list := s.list(find + strings.ReplaceAll(text, " ", "%20"))
			s.equal(text, len(list), 1)
			s.equal(text, at(list, 0, "id"), id)
		}
		s.one("PATCH", "/candidates/"+id, object{"firstName": "Eva"})
		s.equal("moved", len(s.list(find+"adam%20"+mark)), 0)
		s.one("DELETE", "/candidates/"+id, nil)
		s.equal("erased", len(s.list(find+mark)), 0)
		s.refuse("GET", find+"a", nil, http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
		s.refuse("GET", "/candidates?sort=age", nil, http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
	}},
	{"a document type is missing from who has yet to bring it", func(s *service) {
		dt := s.create("/documentTypes", object{"name": "Licence"})
		missing, ofType := "/candidates?filter[missing]="+dt,
			"/candidateDocumentTypes?filter[documentTypeId]="+dt
		id := s.create("/candidates", object{"documentTypeIds": []string{dt}})
		s.equal("missing", at(s.list(missing), 0, "id"), id)
		asked := s.list(ofType)
		s.equal("asked", at(asked, 0, "candidateId"), id)
		s.one("DELETE", "/candidateDocumentTypes/"+at(asked, 0, "id").(string), nil)
		s.equal("not asked any more", len(s.list(missing)), 0)
		s.equal("removed", at(s.list(ofType+"&filter[state][]=removed"), 0, "candidateId"), id)
		s.equal("expiring", len(s.list(ofType+"&sort=expiresAt")), 0)
		s.refuse("GET", missing+"&sort=name", nil, http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
	}},
	{"DELETE refuses a message of another author", func(s *service) {
		path := "/candidates/" + s.candidate() + "/messages"
		id := s.create(path, object{"text": "Hello"})
		other := *s
		other.key = at(s.one("POST", "/keys", object{"name": "Other", "kind": "administrator",
			"scopes": []string{"messages:read", "messages:write"}}), "secret").(string)
		other.refuse("DELETE", path+"/"+id, nil, http.StatusForbidden, "NOT_MESSAGE_AUTHOR")
	}},
}

// as returns the service as the candidate calls it.
func (s *service) as(candidate string) *service {
	s.Helper()
	other := *s
	other.key = at(s.one("POST", "/candidates/"+candidate+"/tokens", object{}), "token").(string)
	return &other
}
