package contract

import (
	"net/http"
	"strings"
)

// missingParts uploads a document of three parts one by one, has it rejected, and begins again.
func (s *service) missingParts() {
	_, request := s.asked(object{"name": "Pass",
		"requiredParts": []string{"front", "back", "photo"},
		"check":         object{"parser": "none", "decision": "manual"}})
	path := "/candidateDocumentTypes/" + request
	missing := func(what string, want ...any) {
		s.Helper()
		s.equal(what, s.one("GET", path, nil)["missingParts"], append([]any{}, want...))
	}
	missing("before the first upload", "front", "back", "photo")
	half := s.one("POST", path+"/upload", named("back"))
	s.equal("in the response", half["missingParts"], []any{"front", "photo"})
	missing("after one part", "front", "photo")
	s.one("POST", path+"/upload", named("back", "photo"))
	missing("after two parts", "front")
	s.one("POST", path+"/upload", named("front"))
	s.eventually("the check", func() bool {
		return s.one("GET", path, nil)["state"] == "inReview"
	})
	missing("once it is complete")
	s.one("POST", path+"/reject", object{"reason": "Blurred", "resubmit": true})
	missing("when it has to be uploaded again", "front", "back", "photo")
}

// unknownParts uploads parts that the type does not have: in a request, and announced.
func (s *service) unknownParts() {
	_, request := s.asked(object{"name": "Pass", "requiredParts": []string{"front", "back"},
		"check": object{"parser": "none", "decision": "manual"}})
	path := "/candidateDocumentTypes/" + request
	announced := named("front", "side")
	for n, part := range announced["parts"].([]object) {
		announced["parts"].([]object)[n] = object{"name": part["name"], "size": 10,
			"contentType": "image/png", "sha256": strings.Repeat("0", 64)}
	}
	for what, body := range map[string]object{"inline": named("front", "side"),
		"announced": announced} {
		problem := s.refuse("POST", path+"/upload", body, http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
		s.equal(what+": pointer", at(problem, "errors", 0, "pointer"), "/parts/1/name")
		s.equal(what+": code", at(problem, "errors", 0, "code"), "unknown")
		s.equal(what+": message", at(problem, "errors", 0, "message"),
			`This document type has no part "side". Its parts are: front, back.`)
	}
	s.equal("state", s.one("GET", path, nil)["state"], "requested")
	_, free := s.asked(object{"name": "Letter", "check": object{"parser": "none"}})
	s.one("POST", "/candidateDocumentTypes/"+free+"/upload", named("anything"))
}

// named returns an upload of pictures with these names.
func named(names ...string) object {
	parts := []object{}
	for _, name := range names {
		parts = append(parts, object{"name": name, "fileName": "a.png", "contentType": "image/png",
			"content": pixel})
	}
	return object{"parts": parts}
}

// changesRequest changes what a candidate is asked for, until it is asked for no more.
func (s *service) changesRequest() {
	s.Helper()
	candidate, request := s.asked(jsonType(anySubmission()))
	path := "/candidateDocumentTypes/" + request
	changed := s.one("PATCH", path, object{"dueAt": "2099-01-02T00:00:00Z", "required": false,
		"metadata": object{"note": "n"}})
	s.equal("dueAt", changed["dueAt"], "2099-01-02T00:00:00.000Z")
	s.equal("required", changed["required"], false)
	s.equal("note", at(changed, "metadata", "note"), "n")
	field := "shelf" + unique()
	s.create("/customFields", object{"entity": "document", "reference": field, "label": "Shelf",
		"type": "text"})
	s.one("PATCH", path, object{"customFields": object{field: "A-3"}})
	s.equal("custom field", at(s.one("GET", path, nil), "customFields", field), "A-3")
	s.refuse("PATCH", path, object{"customFields": object{"none" + field: "A-3"}},
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	s.one("PATCH", path, object{"dueAt": nil, "metadata": nil,
		"customFields": object{field: nil}})
	read := s.one("GET", path, nil)
	s.equal("custom field", at(read, "customFields", field), nil)
	s.equal("dueAt", read["dueAt"], nil)
	s.equal("note", at(read, "metadata", "note"), nil)
	s.refuse("PATCH", path, object{"state": "validated"}, http.StatusUnprocessableEntity,
		"VALIDATION_FAILED")
	s.ok("DELETE", path, nil)
	s.refuse("PATCH", path, object{"required": true}, http.StatusConflict,
		"DOCUMENT_TYPE_REMOVED")
	events := s.list("/candidates/" + candidate + "/events")
	s.equal("the last event", at(events, len(events)-1, "type"), "candidateDocumentRemoved")
}
