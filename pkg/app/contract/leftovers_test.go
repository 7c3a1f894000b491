package contract

import (
	"net/http"
	"strings"

	"github.com/dossierhq/dossier/pkg/kv"
)

// requestIDs sends a name as X-Request-Id. It is the correlation id of events, deliveries and
// documents, and nothing of it is stored after the erasure.
func requestIDs(s *service, engine kv.Engine) {
	const name = "Ada-Lovelace-1815"
	tell := func(method, path string, body any) object {
		s.Helper()
		status, answer, header := s.send(method, path, body, "X-Request-Id", name)
		if status != http.StatusOK || header.Get("X-Request-Id") != name {
			s.Fatalf("%s %s: %d %v", method, path, status, answer)
		}
		made, _ := answer.(object)
		return made
	}
	s.one("POST", "/integrations", object{"name": "Full", "triggerEvent": "candidateMessageSent",
		"payload": "full", "target": object{"type": "webhook", "url": s.receiver.URL}})
	dt := s.create("/documentTypes", jsonType(object{"rules": []object{}}))
	candidate := tell("POST", "/candidates", object{"firstName": "Ada",
		"documentTypeIds": []string{dt}})["id"].(string)
	cdt := at(s.list("/candidateDocumentTypes?filter[candidateId]="+candidate), 0, "id").(string)
	tell("POST", "/candidateDocumentTypes/"+cdt+"/upload", parts(parsed))
	tell("POST", "/candidates/"+candidate+"/messages", object{"text": "Hello"})
	tell("POST", "/candidates/"+candidate+"/tokens", nil)
	s.delivered("candidateMessageSent", candidate)
	s.eventually("the log", func() bool {
		return find(s.list("/integrations/logs?filter[candidateId]="+candidate), "status",
			"delivered") != nil
	})
	s.eventually("the check", func() bool {
		return s.one("GET", "/candidateDocumentTypes/"+cdt, nil)["state"] == "validated"
	})
	stored := func() (holding []string) {
		partition := strings.TrimPrefix(s.key, "dsr_")[:26] + "#CAND#" + candidate[len("cnd_"):]
		for _, q := range []kv.Query{{Partition: partition}, {Partition: partition + "#MSG"}} {
			page, err := engine.Query(s.Context(), q)
			if err != nil {
				s.Fatal(err)
			}
			for _, i := range page.Items {
				if strings.Contains(string(i.Doc), name) {
					holding = append(holding, i.SK)
				}
			}
		}
		return holding
	}
	if before := stored(); len(before) < 4 {
		s.Fatalf("the request id is in %v only: the test looks in the wrong place", before)
	}
	s.one("DELETE", "/candidates/"+candidate, nil)
	s.eventually("the erasure", func() bool { return len(stored()) == 0 })
}

// waitingDelivery replays a delivery that waits for its next attempt: no sweeper runs here, so that
// nothing else would make it.
func waitingDelivery(s *service, _ kv.Engine) {
	path := "/failing/" + unique()
	url := s.receiver.fail(path, true)
	integration := s.create("/integrations", object{"name": "Failing",
		"triggerEvent": "candidateMessageSent", "target": object{"type": "webhook", "url": url}})
	candidate := s.create("/candidates", object{"firstName": "Ada"})
	messages := "/candidates/" + candidate + "/messages"
	s.one("POST", messages, object{"text": "first"})
	logs := "/integrations/logs?filter[integrationId]=" + integration
	s.eventually("the first attempt", func() bool {
		return at(s.list(logs), 0, "attempts", 0, "statusCode") == 500.0
	})
	s.one("POST", messages, object{"text": "second"})
	s.eventually("the second delivery", func() bool { return len(s.list(logs)) == 2 })
	s.receiver.fail(path, false)
	// The newest comes first. It waits for the other one, which is due in some seconds.
	waiting := at(s.list(logs), 0, "id").(string)
	s.equal("status", s.one("POST", "/integrations/logs/"+waiting+"/replay", nil)["status"],
		"pending")
	s.eventually("both deliveries", func() bool {
		list := s.list(logs)
		return at(list, 0, "status") == "delivered" && at(list, 1, "status") == "delivered"
	})
}
