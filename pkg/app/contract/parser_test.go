package contract

import (
	"net/http"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

// parserConfirmed shares a type that a parser service reads: the documents of the partner go there
// only while the address is the one that the partner confirmed.
func (s *service) parserConfirmed() {
	s.Helper()
	partner, id := s.partner()
	read := s.receiver.URL + "/read/" + unique()
	documentType := s.create("/documentTypes", object{"name": "Diploma",
		"sharedWith": []string{id},
		"check": object{"parser": "http", "decision": "automatic",
			"required": []string{"number"}, "http": object{"url": read}}})
	path := "/documentTypes/" + documentType
	host := strings.TrimPrefix(s.receiver.URL, "http://")
	s.equal("the owner's own document", s.read(documentType), "validated")

	s.equal("before", partner.read(documentType), "inReview PARSER_NOT_CONFIRMED")
	partner.refuse("POST", path+"/parser/confirm", object{"host": "example.com"},
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	answer := partner.one("POST", path+"/parser/confirm", object{"host": host})
	s.equal("confirmed", at(answer, "parserConfirmation", "confirmed"), true)
	s.equal("confirmed", partner.read(documentType), "validated")

	for _, address := range []string{read + "/moved", read} {
		s.one("PATCH", path, object{"check": object{"http": object{"url": address}}})
		s.equal("changed", partner.read(documentType), "inReview PARSER_NOT_CONFIRMED")
	}
}

// read has a document of a new candidate checked. It returns the state and the codes of the
// reasons, and fails unless exactly the validated document was sent to the parser service.
func (s *service) read(documentType string) string {
	s.Helper()
	candidate := s.candidate(documentType)
	request := at(s.list("/candidateDocumentTypes?filter[candidateId]="+candidate), 0,
		"id").(string)
	upload := s.one("POST", "/candidateDocumentTypes/"+request+"/upload", pngParts())
	document := at(upload, "document", "id").(string)
	var after object
	s.eventually("the check", func() bool {
		after = s.one("GET", "/candidateDocumentTypes/"+request, nil)
		return after["state"] != "processing"
	})
	token := *s
	token.key = at(s.one("POST", "/candidates/"+candidate+"/tokens", nil), "token").(string)
	theirs := token.one("GET", "/candidateDocumentTypes/"+request, nil)
	s.equal("reasons that the candidate sees", at(theirs, "document", "reasons"), []any{})
	outcome := after["state"].(string)
	reasons, _ := at(after, "document", "reasons").([]any)
	for _, reason := range reasons {
		outcome += " " + at(reason, "code").(string)
	}
	sent := false
	for _, request := range s.receiver.events() {
		sent = sent || request["documentId"] == document
	}
	s.equal("sent to the parser service", sent, outcome == "validated")
	return outcome
}

// parserCalls has two parser services called, one of which fails: each call is logged with its
// outcome, for the company of the document alone, and until the candidate is erased.
func (s *service) parserCalls() {
	s.Helper()
	good, bad := s.receiver.URL+"/read/"+unique(), s.receiver.fail("/fails/"+unique(), true)
	host := strings.TrimPrefix(s.receiver.URL, "http://")
	for _, want := range []struct {
		url    string
		status float64
		error  any
	}{
		{good, 200, nil},
		{bad, 500, "The parser service answered with status 500."},
		{s.receiver.URL, 200,
			"The parser service gave an unusable response: it is not the expected JSON."},
	} {
		candidate, request := s.asked(object{"name": "Diploma",
			"check": object{"parser": "http", "http": object{"url": want.url}}})
		upload := s.one("POST", "/candidateDocumentTypes/"+request+"/upload", pngParts())
		calls := "/integrations/parser-calls?filter[candidateId]=" + candidate
		s.eventually("the call in the log", func() bool { return len(s.list(calls)) > 0 })
		call := s.list(calls)[0]
		documentType := at(upload, "documentType", "id").(string)
		for name, value := range map[string]any{"candidateId": candidate,
			"candidateDocumentTypeId": request, "documentTypeId": documentType,
			"documentId": at(upload, "document", "id"), "version": 1, "host": host,
			"statusCode": want.status, "error": want.error} {
			s.equal(name+" of "+want.url, at(call, name), value)
		}
		if _, measured := at(call, "durationMs").(float64); !measured || at(call, "at") == nil {
			s.Errorf("no duration or time: %v", call)
		}
		ofType := "/integrations/parser-calls?filter[documentTypeId]=" + documentType
		s.equal("calls of the type", s.list(ofType), []any{call})
		partner, _ := s.partner()
		s.equal("calls that another company sees", partner.list(ofType), []any{})
		s.ok("DELETE", "/candidates/"+candidate, nil)
		s.eventually("the end of the entry", func() bool { return len(s.list(ofType)) == 0 })
	}
}

// checksAgain has a check fail until it is not tried any more, and starts it again.
func (s *service) checksAgain() {
	s.Helper()
	path := "/read/" + unique()
	url := s.receiver.fail(path, true)
	candidate, request := s.asked(object{"name": "Diploma",
		"check": object{"parser": "http", "decision": "automatic", "http": object{"url": url}}})
	at := "/candidateDocumentTypes/" + request
	s.ok("POST", at+"/upload", pngParts())
	s.refuse("POST", at+"/check", nil, http.StatusConflict,
		"NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING")
	s.eventually("the first try", func() bool {
		return len(s.list("/integrations/parser-calls?filter[candidateId]="+candidate)) > 0
	})
	for n := 1; s.one("GET", at, nil)["state"] == "processing"; n++ {
		s.failOnce(s.later(time.Duration(n)*time.Hour), candidate)
	}
	s.equal("state", s.one("GET", at, nil)["state"], "checkFailed")
	s.receiver.fail(path, false)
	again := s.one("POST", at+"/check", nil)
	s.equal("state", again["state"], "processing")
	s.equal("version", again["document"].(object)["version"], 1)
	s.equal("locked", again["lock"] != nil, true)
	s.eventually("the check", func() bool { return s.one("GET", at, nil)["state"] == "validated" })
	s.refuse("POST", at+"/check", nil, http.StatusConflict, "INVALID_TRANSITION")
}

// failOnce has the check of a candidate fail once more.
func (s *service) failOnce(later *store.Store, candidate string) {
	s.Helper()
	var cursors store.SweepCursors
	for range 100 {
		due, _, err := later.Due(s.Context(), 100, &cursors)
		if err != nil {
			s.Fatal(err)
		}
		for _, task := range due {
			if _, owner, _ := task.Owner(); owner != candidate || task.Kind != store.TaskCheck {
				continue
			}
			claim, ok, err := later.ClaimCheck(s.Context(), task)
			if err == nil && ok {
				err = later.FailCheck(s.Context(), claim, "No answer.", nil)
			}
			if err != nil {
				s.Fatal(err)
			}
			return
		}
	}
	s.Fatal("no check is due")
}
