package contract

import (
	"crypto/rand"
	"net/http"
	"strings"
)

func unique() string { return strings.ToLower(rand.Text()[:10]) }

func rule(kind string, conditions []object, actions ...object) object {
	if actions == nil {
		actions = []object{}
	}
	return object{"conditionsType": kind, "conditions": conditions, "actions": actions}
}

func condition(kind, reference, operator string, value any) object {
	c := object{"type": kind, "reference": reference, "operator": operator}
	if value != nil {
		c["value"] = value
	}
	return c
}

// matches runs one rule and fails unless it matches as wanted.
func (s *service) matches(want bool, kind string, conditions ...object) {
	s.Helper()
	_, run := s.ran(rule(kind, conditions))
	s.equal(kind, at(run, "rules", 0, "matched"), want)
}

var (
	holds = condition("fields", "permit.class", "isEqual", []string{"CE"})
	fails = condition("fields", "permit.class", "isEqual", []string{"B"})
)

var submissionRows = []row{
	{"rules are evaluated in order", func(s *service) {
		card := s.create("/documentTypes", object{"name": "Card"})
		ask := object{"type": "addDocumentType", "value": card}
		seen := condition("context", "documentTypes", "contains", []string{card})
		_, run := s.ran(rule("and", []object{seen}), rule("and", []object{holds}, ask),
			rule("and", []object{seen}))
		s.equal("before the action", at(run, "rules", 0, "matched"), false)
		s.equal("after the action", at(run, "rules", 2, "matched"), true)
	}},
}

var ruleRows = []row{
	{"id is set by the service", func(s *service) {
		made := s.one("POST", "/documentTypes",
			jsonType(object{"rules": []object{rule("or", []object{holds}),
				rule("or", []object{fails})}}))
		first, second := at(made, "submission", "rules", 0, "id"),
			at(made, "submission", "rules", 1, "id")
		if first == nil || second == nil || first == second {
			s.Errorf("the ids are %v and %v", first, second)
		}
	}},
	{"conditionsType and needs every condition", func(s *service) {
		s.matches(false, "and", holds, fails)
		s.matches(true, "and", holds, holds)
	}},
	{"conditionsType or needs one condition", func(s *service) {
		s.matches(true, "or", fails, holds)
		s.matches(false, "or", fails, fails)
	}},
	{"a rule that did not match says which values would have to be others", func(s *service) {
		number := condition("fields", "permit.number", "isEqual", []string{"NL-205"})
		belgian := condition("context", "nationality", "isEqual", []string{"BEL"})
		list := []object{rule("and", []object{holds, number, belgian}),
			rule("or", []object{belgian, number}), rule("and", []object{holds, fails}),
			rule("and", []object{holds})}
		_, run := s.ran(list...)
		s.saysWhyNot(run)
		simulated := s.one("POST", "/documentTypes/"+
			s.create("/documentTypes", jsonType(object{"rules": list}))+"/submission/simulate",
			object{"parsed": object{"permit": object{"class": "CE"}}})
		s.equal("simulated", at(simulated, "rules", 0, "whyNot", 1, "message"),
			"nationality would have to be BEL.")
	}},
	{"mode shadow records a rule that changes nothing, until it is live", func(s *service) {
		card := s.create("/documentTypes", object{"name": "Card"})
		tried := rule("and", []object{holds}, object{"type": "addDocumentType", "value": card})
		tried["mode"] = "shadow"
		asks := func(list ...object) (asked bool, run object) {
			candidate, run := s.ran(list...)
			for _, item := range s.list("/candidateDocumentTypes?filter[candidateId]=" +
				candidate) {
				asked = asked || at(item, "documentType", "id") == card
			}
			return asked, run
		}
		asked, run := asks(tried)
		s.equal("asked for", asked, false)
		s.equal("matched", at(run, "rules", 0, "matched"), true)
		s.equal("mode", at(run, "rules", 0, "mode"), "shadow")
		s.equal("changed", at(run, "rules", 0, "actions", 0, "changed"), false)
		s.equal("reason", at(run, "rules", 0, "actions", 0, "reason"), "shadow")
		tried["mode"] = "off"
		asked, run = asks(tried)
		s.equal("asked for by a rule that is off", asked, false)
		s.equal("off matched", at(run, "rules", 0, "matched"), false)
		tried["mode"] = "live"
		asked, _ = asks(tried)
		s.equal("asked for by a live rule", asked, true)
	}},
	{"each change of the rules is a version, and one can be restored", func(s *service) {
		dt := "/documentTypes/" + s.create("/documentTypes",
			jsonType(object{"rules": []object{rule("and", []object{holds})}}))
		bad := s.one("PATCH", dt, object{"submission": object{"rules": []object{}}})
		s.equal("the bad rules", len(at(bad, "submission", "rules").([]any)), 0)
		versions := s.list(dt + "/submission/versions")
		s.equal("versions", len(versions), 2)
		s.equal("the newest", at(versions[0], "version"), 2.0)
		s.equal("difference", at(s.one("GET", dt+"/submission/versions/1/diff/2", nil), "changes",
			0, "message"), "Rule 1 was removed.")
		restored := s.one("POST", dt+"/submission/versions/1/restore", nil)
		s.equal("restored", at(restored, "submission", "rules", 0, "id"),
			at(versions[1], "submission", "rules", 0, "id"))
	}},
	{"tests of the rules refuse a save that breaks them", func(s *service) {
		match := object{"name": "driver", "parsed": object{"permit": object{"class": "CE"}},
			"expect": object{"rules": []object{{"position": 1, "matched": true}}}}
		made := s.one("POST", "/documentTypes", jsonType(object{
			"rules": []object{rule("and", []object{holds})}, "tests": []object{match}}))
		s.equal("the rule of the test", at(made, "submission", "tests", 0, "expect", "rules", 0,
			"id"), at(made, "submission", "rules", 0, "id"))
		broken := rule("and", []object{fails})
		broken["id"] = at(made, "submission", "rules", 0, "id")
		problem := s.refuse("PATCH", "/documentTypes/"+at(made, "id").(string),
			object{"submission": object{"rules": []object{broken}}},
			http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		s.equal("pointer", at(problem, "errors", 0, "pointer"), "/submission/tests/0")
		s.equal("sentence", at(problem, "errors", 0, "message"), `The test "driver" fails. `+
			"Rule 1 should match, and does not. To match, permit.class would have to be B.")
	}},
	{"tests of the rules run without a save", func(s *service) {
		match := object{"name": "driver", "parsed": object{"permit": object{"class": "CE"}},
			"expect": object{"rules": []object{{"position": 1, "matched": true}}}}
		made := s.one("POST", "/documentTypes", jsonType(object{
			"rules": []object{rule("and", []object{holds})}, "tests": []object{match}}))
		path := "/documentTypes/" + at(made, "id").(string) + "/submission/simulate"
		s.equal("passed", at(s.one("POST", path, object{"tests": true}), "tests", 0, "passed"),
			true)
		broken := rule("and", []object{fails})
		broken["id"] = at(made, "submission", "rules", 0, "id")
		failed := s.one("POST", path, object{"tests": true,
			"submission": object{"rules": []object{broken}}})
		s.equal("failed", at(failed, "tests", 0, "passed"), false)
		s.equal("sentence", at(failed, "tests", 0, "unmet", 0),
			"Rule 1 should match, and does not. To match, permit.class would have to be B.")
	}},
	{"a rule run can be kept as a test", func(s *service) {
		_, run := s.ran(rule("and", []object{holds}))
		kept := s.one("POST", "/candidateDocumentTypes/"+
			at(run, "candidateDocumentTypeId").(string)+"/ruleRuns/"+at(run, "id").(string)+
			"/keepAsTest", object{"name": "as it ran"})
		s.equal("parsed", at(kept, "submission", "tests", 0, "parsed", "permit", "class"), "CE")
		s.equal("matched", at(kept, "submission", "tests", 0, "expect", "rules", 0, "matched"),
			true)
	}},
	{"a simulation over past documents says what proposed rules would do", (*service).overHistory},
	{"mode takes no other word", func(s *service) {
		wrong := rule("and", []object{})
		wrong["mode"] = "dark"
		problem := s.refuse("POST", "/documentTypes", jsonType(object{"rules": []object{wrong}}),
			http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		s.equal("pointer", at(problem, "errors", 0, "pointer"), "/submission/rules/0/mode")
	}},
	{"conditionsType takes no other word", func(s *service) {
		s.refuse("POST", "/documentTypes",
			object{"name": "T", "submission": object{"rules": []object{rule("xor", nil)}}},
			http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	}},
}

// saysWhyNot compares the explanations in a run of four rules, of which the last matched.
func (s *service) saysWhyNot(run any) {
	s.Helper()
	s.equal("number", at(run, "rules", 0, "whyNot", 0, "value"), "NL-205")
	s.equal("of the condition", at(run, "rules", 0, "whyNot", 0, "conditions", 0), 1.0)
	s.equal("nationality", at(run, "rules", 0, "whyNot", 1, "value"), "BEL")
	s.equal("and", at(run, "rules", 0, "whyNotMessage"),
		"To match, permit.number would have to be NL-205, and nationality would have to be BEL.")
	s.equal("changes of or", len(at(run, "rules", 1, "whyNot").([]any)), 1)
	s.equal("or, NL-204 is nearer to NL-205 than NLD to BEL", at(run, "rules", 1, "whyNotMessage"),
		"To match, permit.number would have to be NL-205.")
	s.equal("changes of an impossible rule", len(at(run, "rules", 2, "whyNot").([]any)), 0)
	s.equal("an impossible rule", at(run, "rules", 2, "whyNotMessage"),
		"The conditions exclude each other, so the rule never matches.")
	s.equal("changes of a match", len(at(run, "rules", 3, "whyNot").([]any)), 0)
	s.equal("a match", at(run, "rules", 3, "whyNotMessage"), nil)
}

// operatorCases are values that make each operator true and false.
var operatorCases = []struct {
	operator string
	yes, no  string // references
	value    any
}{
	{"isEmpty", "permit.empty", "permit.class", nil},
	{"isNotEmpty", "permit.class", "permit.empty", nil},
	{"isEqual", "permit.class", "permit.number", []string{"B", "CE"}},
	{"isNotEqual", "permit.number", "permit.class", []string{"B", "CE"}},
	{"contains", "permit.number", "permit.class", []string{"204"}},
	{"notContains", "permit.class", "permit.number", []string{"204"}},
}

var conditionRows = func() []row {
	list := []row{
		{"type fields reads the parsed document by a dotted reference", func(s *service) {
			_, run := s.ran(rule("and", []object{holds}))
			s.equal("read", at(run, "rules", 0, "conditions", 0, "read"), "CE")
		}},
		{"type context reads a candidate key", func(s *service) {
			s.matches(true, "and", condition("context", "nationality", "isEqual", []string{"NLD"}))
		}},
		{"reference cf reads a candidate custom field", func(s *service) {
			s.matches(true, "and", condition("context", "cf_"+s.field("cf"), "isEmpty", nil))
		}},
		{"reference dcf reads a document custom field", func(s *service) {
			reference := "dcf" + unique()
			s.ok("POST", "/customFields",
				object{"entity": "document", "reference": reference, "label": "L", "type": "text"})
			documentType := jsonType(object{"rules": []object{rule("and",
				[]object{condition("context", "dcf_"+reference, "isEqual", []string{"NL-204"})})}})
			documentType["writeBack"] = []object{
				{"from": "permit.number", "to": "dcf_" + reference},
			}
			_, request := s.asked(documentType)
			s.validated(request)
			s.equal("matched", at(s.list("/candidateDocumentTypes/"+request+"/ruleRuns"), 0,
				"rules", 0, "matched"), true)
		}},
		{"value takes one text as well as a list", func(s *service) {
			s.matches(true, "and", condition("fields", "permit.class", "isEqual", "CE"))
		}},
		{"contains compares the elements of a list", func(s *service) {
			s.matches(true, "and", condition("fields", "permit.tags", "contains",
				[]string{"b", "z"}))
		}},
	}
	for _, c := range operatorCases {
		list = append(list, row{"operator " + c.operator, func(s *service) {
			s.matches(true, "and", condition("fields", c.yes, c.operator, c.value))
			s.matches(false, "and", condition("fields", c.no, c.operator, c.value))
		}})
	}
	return list
}()

var actionRows = []row{
	{"addDocumentType asks for it, with metadata", func(s *service) {
		card := s.create("/documentTypes", object{"name": "Card"})
		candidate, _ := s.ran(rule("and", []object{holds},
			object{"type": "addDocumentType", "value": card,
				"metadata": object{"required": false, "note": "n"}}))
		for _, item := range s.list("/candidateDocumentTypes?filter[candidateId]=" + candidate) {
			if at(item, "documentType", "id") == card {
				s.equal("required", at(item, "required"), false)
				s.equal("note", at(item, "metadata", "note"), "n")
				return
			}
		}
		s.Error("the document type was not requested")
	}},
	{"removeDocumentType stops asking for it", func(s *service) {
		card := s.create("/documentTypes", object{"name": "Card"})
		permit := s.create("/documentTypes", jsonType(object{"rules": []object{
			rule("and", []object{holds}, object{"type": "removeDocumentType", "value": card})}}))
		candidate := s.candidate(card, permit)
		list := s.list("/candidateDocumentTypes?filter[candidateId]=" + candidate)
		for _, item := range list {
			if at(item, "documentType", "id") == permit {
				s.validated(at(item, "id").(string))
			}
		}
		for _, item := range list {
			if at(item, "documentType", "id") == card {
				s.equal("state", s.one("GET", "/candidateDocumentTypes/"+at(item, "id").(string),
					nil)["state"], "removed")
			}
		}
	}},
	{"removeForm removes the form", func(s *service) {
		form := s.create("/forms", object{"name": "F",
			"fields": []object{{"reference": "a", "label": "A", "type": "text", "required": true}}})
		permit := s.create("/documentTypes", jsonType(object{"rules": []object{
			rule("and", []object{holds}, object{"type": "removeForm", "value": form})}}))
		page := s.create("/registration-pages",
			object{"name": "P", "slug": unique(), "formIds": []string{form},
				"documents": []object{{"documentTypeId": permit, "required": true}}})
		candidate := s.create("/registration-pages/"+page+"/register", object{"firstName": "Ada"})
		s.equal("forms before", len(
			at(s.one("GET", "/candidates/"+candidate, nil), "forms").([]any)), 1)
		s.validated(at(s.list("/candidateDocumentTypes?filter[candidateId]="+candidate), 0,
			"id").(string))
		s.equal("forms after", len(at(s.one("GET", "/candidates/"+candidate, nil),
			"forms").([]any)), 0)
	}},
	{"applyPreset applies the preset", func(s *service) {
		preset := s.create("/presets", object{"name": "P", "set": object{"language": "nl"}})
		candidate, _ := s.ran(rule("and", []object{holds},
			object{"type": "applyPreset", "value": preset}))
		s.equal("language", s.one("GET", "/candidates/"+candidate, nil)["language"], "nl")
	}},
	{"sendNotification sends the message of the scenario", func(s *service) {
		note := s.create("/scenarios",
			object{"name": "N", "eventName": "candidateMessageSent", "active": false,
				"notification": object{"subject": "S", "text": "Please upload."}})
		candidate, _ := s.ran(rule("and", []object{holds},
			object{"type": "sendNotification", "value": note}))
		s.equal("text", at(s.list("/candidates/"+candidate+"/messages"), 0, "text"),
			"Please upload.")
	}},
	{"value is the id of an entity of the right kind", func(s *service) {
		form := s.create("/forms", object{"name": "F", "fields": []object{}})
		for _, value := range []string{form, "dty_unknown"} {
			problem := s.refuse("POST", "/documentTypes", jsonType(object{"rules": []object{
				rule("and", []object{holds}, object{"type": "addDocumentType", "value": value})}}),
				http.StatusUnprocessableEntity, "VALIDATION_FAILED")
			s.equal("pointer", at(problem, "errors", 0, "pointer"),
				"/submission/rules/0/actions/0/value")
		}
	}},
}
