package contract

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// certificate creates a document type whose values are the number, written back, and the date of
// expiry, and whose rule asks for another document. It returns its id and that of the other.
func (s *service) certificate() (id, other string) {
	s.Helper()
	other = s.create("/documentTypes", object{"name": "Other"})
	return s.create("/documentTypes", object{"name": "Certificate",
		"check": object{"parser": "none", "expiryReference": "until",
			"required": []string{"number"},
			"fields": []object{{"reference": "number", "label": "Number", "type": "text"},
				{"reference": "until", "label": "Valid until", "type": "date"}}},
		"writeBack": []object{{"from": "number", "to": "phone"}},
		"submission": object{"rules": []object{{"conditionsType": "and", "conditions": []object{},
			"actions": []object{{"type": "addDocumentType", "value": other}}}}}}), other
}

// certified is an import of a candidate with one certificate.
func certified(external, dt, number, until string) object {
	return object{"externalId": external, "firstName": "Ada", "documents": []object{
		{"documentTypeId": dt, "parsed": object{"number": number, "until": until}}}}
}

const far = "2099-12-31"

var importRows = []row{
	{"POST creates the candidate and its validated documents, and runs no rules", func(s *service) {
		dt, _ := s.certificate()
		got := s.one("POST", "/candidates/import", certified(unique(), dt, "N-1", far))
		s.equal("result", at(got, "result"), "created")
		s.equal("document", at(got, "documents", 0, "result"), "recorded")
		candidate := fmt.Sprint(at(got, "candidateId"))
		s.equal("status", at(s.one("GET", "/candidates/"+candidate, nil), "status"), "approved")
		s.equal("written back", at(s.one("GET", "/candidates/"+candidate, nil), "phone"), "N-1")
		list := s.list("/candidateDocumentTypes?filter[candidateId]=" + candidate)
		s.equal("asked for", len(list), 1)
		s.equal("state", at(list, 0, "state"), "validated")
		s.equal("values", at(list, 0, "document", "parsed"),
			object{"number": "N-1", "until": far})
		s.equal("who decided", at(list, 0, "document", "decidedBy", "kind"), "administrator")
		events := s.list("/candidates/" + candidate + "/events")
		s.equal("events", len(events), 1)
		s.equal("event", at(events, 0, "type"), "candidateImported")
	}},
	{"POST again changes nothing, and new values change what they name only", func(s *service) {
		dt, _ := s.certificate()
		in := certified(unique(), dt, "N-1", far)
		first := s.one("POST", "/candidates/import", in)
		again := s.one("POST", "/candidates/import", in)
		s.equal("result", at(again, "result"), "unchanged")
		s.equal("document", at(again, "documents", 0, "result"), "unchanged")
		s.equal("candidate", at(again, "candidateId"), at(first, "candidateId"))
		in = certified(fmt.Sprint(in["externalId"]), dt, "N-2", far)
		delete(in, "firstName")
		s.equal("result", at(s.one("POST", "/candidates/import", in), "result"), "updated")
		candidate := "/candidates/" + fmt.Sprint(at(first, "candidateId"))
		s.equal("name", at(s.one("GET", candidate, nil), "firstName"), "Ada")
		id := fmt.Sprint(at(first, "documents", 0, "candidateDocumentTypeId"))
		s.equal("version", at(s.one("GET", "/candidateDocumentTypes/"+id, nil), "document",
			"version"), 2.0)
		s.equal("events", len(s.list(candidate+"/events")), 2)
	}},
	{"POST records a document whose date has passed as expired", func(s *service) {
		dt, _ := s.certificate()
		got := s.one("POST", "/candidates/import", certified(unique(), dt, "N-1", "2001-01-01"))
		s.equal("status", at(got, "status"), "collecting")
		id := fmt.Sprint(at(got, "documents", 0, "candidateDocumentTypeId"))
		s.equal("state", at(s.one("GET", "/candidateDocumentTypes/"+id, nil), "state"), "expired")
	}},
	{"POST keeps a file that was uploaded", func(s *service) {
		dt, _ := s.certificate()
		in := certified(unique(), dt, "N-1", far)
		got := s.one("POST", "/candidates/import", in)
		id := fmt.Sprint(at(got, "documents", 0, "candidateDocumentTypeId"))
		path := "/candidateDocumentTypes/" + id
		s.ok("POST", path+"/upload", object{"parts": []object{{"name": "front",
			"fileName": "a.png", "contentType": "image/png", "content": pixel}}})
		s.eventually("the check", func() bool {
			return at(s.one("GET", path, nil), "replacement", "state") == "inReview"
		})
		got = s.one("POST", "/candidates/import", in)
		s.equal("document", at(got, "documents", 0, "result"), "kept")
		s.equal("result", at(got, "result"), "unchanged")
		after := s.one("GET", path, nil)
		s.equal("state", at(after, "state"), "validated")
		s.equal("state of the file", at(after, "replacement", "state"), "inReview")
	}},
	{"POST dryRun stores nothing", func(s *service) {
		dt, _ := s.certificate()
		in := certified(unique(), dt, "N-1", far)
		in["dryRun"] = true
		for range 2 {
			got := s.one("POST", "/candidates/import", in)
			s.equal("result", at(got, "result"), "created")
			s.equal("candidate", at(got, "candidateId"), nil)
		}
		s.equal("candidates", len(s.list("/candidates?filter[externalId]="+
			fmt.Sprint(in["externalId"]))), 0)
	}},
	{"POST at once makes one candidate", (*service).importedAtOnce},
	{"POST is one event for integrations: candidateImported", func(s *service) {
		dt, _ := s.certificate()
		s.create("/integrations", object{"name": "HR", "triggerEvent": "candidateImported",
			"target": object{"type": "webhook", "url": s.receiver.URL + "/import"}})
		got := s.one("POST", "/candidates/import", certified(unique(), dt, "N-1", far))
		s.eventually("the delivery", func() bool {
			for _, e := range s.receiver.events() {
				if e["candidateId"] == at(got, "candidateId") {
					s.equal("event", e["type"], "candidateImported")
					return true
				}
			}
			return false
		})
	}},
	{"POST with a candidateId brings the one who has no external id up to date", func(s *service) {
		dt, _ := s.certificate()
		id := s.create("/candidates", object{"firstName": "Ada", "lastName": "Lovelace"})
		in := certified("", dt, "N-1", far)
		delete(in, "externalId")
		in["candidateId"], in["lastName"], in["dryRun"] = id, "King", true
		s.equal("tried", at(s.one("POST", "/candidates/import", in), "result"), "updated")
		s.equal("nothing", at(s.one("GET", "/candidates/"+id, nil), "lastName"), "Lovelace")
		delete(in, "dryRun")
		for _, want := range []string{"updated", "unchanged"} {
			got := s.one("POST", "/candidates/import", in)
			s.equal("result", at(got, "result"), want)
			s.equal("candidate", at(got, "candidateId"), id)
		}
		after := s.one("GET", "/candidates/"+id, nil)
		s.equal("name", at(after, "lastName"), "King")
		s.equal("status", at(after, "status"), "approved")
		s.equal("external id", at(after, "externalId"), nil)
	}},
	{"POST with both ids gives the candidate the external id", (*service).importedExternalID},
	{"POST refuses an id that nobody has", func(s *service) {
		erased := s.create("/candidates", object{"firstName": "Ada"})
		s.ok("DELETE", "/candidates/"+erased, nil)
		for _, id := range []string{erased, "cnd_01JTTTTTTTTTTTTTTTTTTTTTTT", "A-1"} {
			for _, external := range []any{nil, unique()} {
				in := object{"candidateId": id, "firstName": "Ada"}
				if external != nil {
					in["externalId"] = external
				}
				status, got, _ := s.send("POST", "/candidates/import", in)
				s.equal("status", status, http.StatusUnprocessableEntity)
				s.equal("pointer", at(got, "errors", 0, "pointer"), "/candidateId")
				s.equal("code", at(got, "errors", 0, "code"), "unknown")
			}
		}
	}},
	{"POST is forgotten with its candidate", func(s *service) {
		dt, _ := s.certificate()
		in := certified(unique(), dt, "N-1", far)
		first := s.one("POST", "/candidates/import", in)
		s.ok("DELETE", "/candidates/"+fmt.Sprint(at(first, "candidateId")), nil)
		got := s.one("POST", "/candidates/import", in)
		s.equal("result", at(got, "result"), "created")
		if at(got, "candidateId") == at(first, "candidateId") {
			s.Error("the erased candidate came back")
		}
	}},
}

// importedAtOnce sends the same import from several sides, each with an Idempotency-Key of its own.
func (s *service) importedAtOnce() {
	dt, _ := s.certificate()
	in := certified(unique(), dt, "N-1", far)
	var mu sync.Mutex
	var senders sync.WaitGroup
	results := map[any]int{}
	for n := range 6 {
		senders.Go(func() {
			status, got, _ := s.send("POST", "/candidates/import", in, "Idempotency-Key",
				fmt.Sprintf("%s %d", in["externalId"], n))
			for end := time.Now().Add(time.Minute); status == http.StatusServiceUnavailable &&
				time.Now().Before(end); {
				status, got, _ = s.send("POST", "/candidates/import", in)
			}
			mu.Lock()
			defer mu.Unlock()
			if results[at(got, "result")]++; status != http.StatusOK {
				s.Errorf("%d %v", status, got)
			}
		})
	}
	senders.Wait()
	s.equal("created", results["created"], 1)
	s.equal("unchanged", results["unchanged"], 5)
	s.equal("candidates", len(s.list("/candidates?filter[externalId]="+
		fmt.Sprint(in["externalId"]))), 1)
}

// importedExternalID imports with both ids: an external id is given, changed, and refused where it
// is another candidate's, in a dry run too.
func (s *service) importedExternalID() {
	id := s.create("/candidates", object{"firstName": "Ada"})
	first, second, theirs := unique(), unique(), unique()
	for _, external := range []string{first, second} {
		got := s.one("POST", "/candidates/import",
			object{"candidateId": id, "externalId": external})
		s.equal("result", at(got, "result"), "updated")
		got = s.one("POST", "/candidates/import", object{"externalId": external})
		s.equal("result", at(got, "result"), "unchanged")
		s.equal("found", at(got, "candidateId"), id)
	}
	s.equal("released", len(s.list("/candidates?filter[externalId]="+first)), 0)
	s.create("/candidates", object{"externalId": theirs})
	for _, dry := range []bool{true, false} {
		status, got, _ := s.send("POST", "/candidates/import", object{"candidateId": id,
			"externalId": theirs, "dryRun": dry})
		s.equal("status", status, http.StatusConflict)
		s.equal("code", at(got, "code"), "CONFLICT")
	}
	s.equal("kept", at(s.one("GET", "/candidates/"+id, nil), "externalId"), second)
}
