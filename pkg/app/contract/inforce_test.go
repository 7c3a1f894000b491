package contract

import (
	"fmt"
	"net/http"
	"time"
)

var inForceRows = []row{
	{"an import leaves a file in force and its replacement", (*service).importBesideFile},
	{"an import of other values takes the place of imported ones and of what was turned down",
		(*service).importOverRefused},
	{"an import writes a sibling's document back to the company's own fields",
		(*service).importsShared},
	{"a check of a replacement is started again, and the document in force stays",
		(*service).checksReplacementAgain},
}

// importBesideFile imports values where an uploaded file is in force, and a newer one was rejected.
func (s *service) importBesideFile() {
	s.Helper()
	dt := s.create("/documentTypes", object{"name": "Permit", "check": object{"parser": "json",
		"decision": "automatic", "required": []string{"permit.number"}}})
	external := unique()
	candidate := s.create("/candidates", object{"externalId": external, "firstName": "Ada",
		"documentTypeIds": []string{dt}})
	request := "cdt_" + candidate[len("cnd_"):] + dt[len("dty_"):]
	path := "/candidateDocumentTypes/" + request
	s.validated(request)
	s.ok("POST", path+"/upload", parts(`{"permit":{}}`))
	s.eventually("the check", func() bool {
		return at(s.one("GET", path, nil), "replacement", "state") == "needsResubmission"
	})
	before := s.one("GET", path, nil)
	got := s.one("POST", "/candidates/import", object{"externalId": external,
		"documents": []object{{"documentTypeId": dt, "parsed": object{"number": "other"}}}})
	s.equal("result", got["result"], "unchanged")
	s.equal("document", at(got, "documents", 0, "result"), "kept")
	s.equal("status", got["status"], "approved")
	s.equal("afterwards", s.one("GET", path, nil), before)
}

// importOverRefused imports where imported values are in force, and a file was rejected.
func (s *service) importOverRefused() {
	s.Helper()
	dt, _ := s.certificate()
	external := unique()
	got := s.one("POST", "/candidates/import", certified(external, dt, "N-1", far))
	path := "/candidateDocumentTypes/" +
		fmt.Sprint(at(got, "documents", 0, "candidateDocumentTypeId"))
	s.ok("POST", path+"/upload", pngParts())
	s.eventually("the check", func() bool {
		return at(s.one("GET", path, nil), "replacement", "state") == "inReview"
	})
	s.one("POST", path+"/reject", object{"reason": "not legible"})
	before := s.one("GET", path, nil)
	s.equal("in force", at(before, "document", "parsed", "number"), "N-1")
	s.equal("beside it", at(before, "replacement", "state"), "rejected")

	again := s.one("POST", "/candidates/import", certified(external, dt, "N-1", far))
	s.equal("the same values", at(again, "documents", 0, "result"), "unchanged")
	s.equal("afterwards", s.one("GET", path, nil), before)

	other := s.one("POST", "/candidates/import", certified(external, dt, "N-2", far))
	s.equal("other values", at(other, "documents", 0, "result"), "recorded")
	after := s.one("GET", path, nil)
	s.equal("in force", at(after, "document", "parsed", "number"), "N-2")
	s.equal("version", at(after, "document", "version"), 3)
	s.equal("beside it", after["replacement"], nil)
	s.equal("status", other["status"], "approved")
	candidate := fmt.Sprint(got["candidateId"])
	s.equal("written back", s.one("GET", "/candidates/"+candidate, nil)["phone"], "N-2")
	s.equal("listed as rejected", len(s.list("/candidateDocumentTypes?filter[candidateId]="+
		candidate+"&filter[state][]=rejected")), 0)
	s.equal("versions", len(s.list(path+"/documents")), 3)
}

// importsShared imports a document of a type that another company shares. Of the custom fields to
// which the owner writes back, the importing company has one, with another type.
func (s *service) importsShared() {
	s.Helper()
	partner, id := s.partner()
	reference := "grade" + unique()
	for _, entity := range []string{"candidate", "document"} {
		s.create("/customFields", object{"entity": entity, "reference": reference, "label": "G",
			"type": "text"})
	}
	partner.create("/customFields", object{"entity": "candidate", "reference": reference,
		"label": "G", "type": "number"})
	dt := s.create("/documentTypes", object{"name": "Diploma", "sharedWith": []string{id},
		"check": object{"parser": "json"},
		"writeBack": []object{{"from": "grade", "to": "cf_" + reference},
			{"from": "grade", "to": "dcf_" + reference}, {"from": "name", "to": "lastName"}}})
	got := partner.one("POST", "/candidates/import", object{"externalId": unique(),
		"documents": []object{{"documentTypeId": dt,
			"parsed": object{"grade": "7", "name": "Lovelace"}}}})
	candidate := partner.one("GET", "/candidates/"+got["candidateId"].(string), nil)
	s.equal("last name", candidate["lastName"], "Lovelace")
	s.equal("the company's own field", candidate["customFields"], object{reference: 7.0})
	document := partner.one("GET", "/candidateDocumentTypes/"+
		at(got, "documents", 0, "candidateDocumentTypeId").(string), nil)
	s.equal("the owner's field", document["customFields"], object{})
}

// checksReplacementAgain has the check of a newer document fail until it is not tried any more,
// and starts it again.
func (s *service) checksReplacementAgain() {
	s.Helper()
	path := "/read/" + unique()
	candidate, request := s.asked(object{"name": "Diploma", "check": object{"parser": "http",
		"decision": "automatic", "http": object{"url": s.receiver.fail(path, false)}}})
	url := "/candidateDocumentTypes/" + request
	s.ok("POST", url+"/upload", pngParts())
	s.eventually("the first check", func() bool {
		return s.one("GET", url, nil)["state"] == "validated"
	})
	first := s.one("GET", url, nil)["document"]
	s.refuse("POST", url+"/check", nil, http.StatusConflict, "INVALID_TRANSITION")

	s.receiver.fail(path, true)
	s.ok("POST", url+"/upload", pngParts())
	s.eventually("the first try", func() bool {
		return len(s.list("/integrations/parser-calls?filter[candidateId]="+candidate)) > 1
	})
	newer := func() any { return at(s.one("GET", url, nil), "replacement", "state") }
	for n := 1; newer() == "processing"; n++ {
		s.failOnce(s.later(time.Duration(n)*time.Hour), candidate)
	}
	inForce := func(replacement any) {
		s.Helper()
		now := s.one("GET", url, nil)
		s.equal("state", now["state"], "validated")
		s.equal("in force", now["document"], first)
		s.equal("beside it", at(now, "replacement", "state"), replacement)
		s.equal("status", s.one("GET", "/candidates/"+candidate, nil)["status"], "approved")
	}
	inForce("checkFailed")

	s.receiver.fail(path, false)
	again := s.one("POST", url+"/check", nil)
	s.equal("in force", again["document"], first)
	s.equal("beside it", at(again, "replacement", "state"), "processing")
	s.equal("version", at(again, "replacement", "document", "version"), 2)
	s.equal("locked", again["lock"] != nil, true)
	s.eventually("the check", func() bool {
		return at(s.one("GET", url, nil), "document", "version") == 2.0
	})
	s.equal("beside it", s.one("GET", url, nil)["replacement"], nil)
	s.equal("rule runs", len(s.list(url+"/ruleRuns")), 2)
}
