package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// TestAbuse attacks the service over HTTP: what one principal may set off and store is bounded.
// Each attack has a company of its own.
func TestAbuse(t *testing.T) {
	t.Parallel()
	for name, newEngine := range engines {
		if name == "dynamo" && testing.Short() {
			t.Log("without DynamoDB Local; `make test` runs both engines")
			continue
		}
		engine := newEngine(t)
		shared := newService(t, engine)
		for attack, test := range map[string]func(*service, kv.Engine){
			"scenarios answer each other": answersOfAnswers,
			"a reaction without bound":    effectsOfARoot,
			"files":                       storedFiles, "messages": manyMessages,
			"tokens": manyTokens, "a stolen token": stolenToken,
			"a name as request id": requestIDs, "a delivery that waits": waitingDelivery,
			"companies": manyCompanies,
			"secrets":   secretsAtRest,
		} {
			t.Run(name+"/"+attack, func(t *testing.T) {
				t.Parallel()
				s := shared.sub(t)
				company, err := s.store.CreateCompany(t.Context(), "", attack)
				if err != nil {
					t.Fatal(err)
				}
				s.group, s.key = company.GroupID, company.Key.Secret
				test(s, engine)
			})
		}
	}
}

// Three scenarios that answer messages answered each other's answers 9,840 times.
func answersOfAnswers(s *service, _ kv.Engine) {
	for n := range 3 {
		made := s.one("POST", "/scenarios",
			object{"name": fmt.Sprint(n), "eventName": "candidateMessageSent",
				"notification": object{"subject": "Thanks", "text": "We got it."}})
		s.equal("warning", at(made, "warnings", 0, "code"), "cycle")
	}
	candidate := s.create("/candidates", object{"firstName": "Ada"})
	other := *s
	other.key = at(s.one("POST", "/candidates/"+candidate+"/tokens", object{}), "token").(string)
	other.one("POST", "/candidates/"+candidate+"/messages", object{"text": "hello"})
	var logs []any
	s.eventually("the end of the chain", func() bool {
		logs = s.list("/integrations/logs?filter[eventName]=candidateMessageSent&page[size]=100")
		return len(logs) == 12 && find(logs, "status", "pending") == nil
	})
	skipped := 0
	for _, entry := range logs {
		if at(entry, "reason") == "reactedAlready" {
			skipped++
		}
	}
	s.equal("skipped reactions", skipped, 9)
	s.equal("messages", len(s.list("/candidates/"+candidate+"/messages")), 4)
	events := s.list("/candidates/" + candidate + "/events?page[size]=100")
	last := events[len(events)-1]
	s.equal("root", at(last, "cause", "rootSequence"),
		at(find(events, "type", "candidateMessageSent"), "sequence"))
	s.equal("scenarios", len(at(last, "cause", "scenarioIds").([]any)), 1)
}

// Four scenarios that request 30 document types and answer each would have 104 effects of one
// message: a candidate has at most 100 document types.
func effectsOfARoot(s *service, _ kv.Engine) {
	for n := range 4 {
		var ids []string
		for m := range 30 {
			ids = append(ids, s.create("/documentTypes", object{"name": fmt.Sprint(n, " ", m)}))
		}
		s.create("/scenarios", object{"name": fmt.Sprint(n), "eventName": "candidateMessageSent",
			"documentTypeIds": ids,
			"notification":    object{"subject": "Please", "text": "We need more."}})
	}
	candidate := s.create("/candidates", object{"firstName": "Ada"})
	s.one("POST", "/candidates/"+candidate+"/messages", object{"text": "hello"})
	var logs []any
	s.eventually("the end of the chain", func() bool {
		logs = s.list("/integrations/logs?filter[eventName]=candidateMessageSent&page[size]=100")
		return len(logs) == 16 && find(logs, "status", "pending") == nil
	})
	if find(logs, "reason", "effectsExceeded") == nil {
		s.Errorf("no reaction was skipped: %v", logs)
	}
	s.equal("requests", len(s.list("/candidateDocumentTypes?filter[candidateId]="+candidate+
		"&page[size]=100")), 90)
}

func storedFiles(s *service, engine kv.Engine) {
	candidate, cdt := s.requested()
	upload := "/candidateDocumentTypes/" + cdt + "/upload"
	sum := sha256.Sum256([]byte(parsed))
	announced := object{"parts": []object{
		{"name": "front", "fileName": "a.json", "contentType": "application/json",
			"size": len(parsed), "sha256": hex.EncodeToString(sum[:])},
	}}
	for range dossier.MaxAnnounced {
		s.one("POST", upload, announced)
	}
	s.refuse("POST", upload, announced, http.StatusConflict, "LIMIT_REACHED")

	s.edit(engine, candidate, "A#CAND", "bytes", int64(dossier.MaxStoredBytes)-int64(len(parsed))+1)
	s.refuse("POST", upload, parts(parsed), http.StatusConflict, "LIMIT_REACHED")
	s.edit(engine, candidate, "A#CAND", "bytes", int64(dossier.MaxStoredBytes)-int64(len(parsed)))
	s.edit(engine, candidate, "B#CDT#"+cdt[len("cdt_")+26:], "versions", dossier.MaxVersions)
	s.refuse("POST", upload, parts(parsed), http.StatusConflict, "LIMIT_REACHED")
	s.edit(engine, candidate, "B#CDT#"+cdt[len("cdt_")+26:], "versions", dossier.MaxVersions-1)
	s.one("POST", upload, parts(parsed))
}

func manyMessages(s *service, engine kv.Engine) {
	candidate := s.create("/candidates", object{"firstName": "Ada"})
	path := "/candidates/" + candidate + "/messages"
	s.one("POST", path, object{"text": "the first"})
	s.edit(engine, candidate, "A#CAND", "messages", dossier.MaxMessages-1)
	s.one("POST", path, object{"text": "the last"})
	s.refuse("POST", path, object{"text": "one too many"}, http.StatusConflict, "LIMIT_REACHED")
}

func manyTokens(s *service, _ kv.Engine) {
	candidate := s.create("/candidates", object{"firstName": "Ada"})
	for range dossier.MaxTokens {
		s.one("POST", "/candidates/"+candidate+"/tokens", object{})
	}
	all := s.list("/candidates/" + candidate + "/tokens")
	s.equal("tokens", len(all), dossier.MaxTokens)
	s.refuse("POST", "/candidates/"+candidate+"/tokens", object{}, http.StatusConflict,
		"LIMIT_REACHED")
	other := s.create("/candidates", object{"firstName": "Grace"})
	s.one("POST", "/candidates/"+other+"/tokens", object{})
	s.one("DELETE", "/candidates/"+candidate+"/tokens/"+at(all, 0, "id").(string), nil)
	s.one("POST", "/candidates/"+candidate+"/tokens", object{})
}

func manyCompanies(s *service, _ kv.Engine) {
	for n := range dossier.MaxCompanies - 1 {
		if _, err := s.store.CreateCompany(s.Context(), s.group, fmt.Sprint(n)); err != nil {
			s.Fatal(err)
		}
	}
	s.refuse("POST", "/companies", object{"name": "One too many"}, http.StatusConflict,
		"LIMIT_REACHED")
}

// No secret of an integration or a parser service is in the table; those stored before sealing
// still sign, and are sealed when their entity changes.
func secretsAtRest(s *service, engine kv.Engine) {
	company := "com_" + strings.TrimPrefix(s.key, "dsr_")[:26]
	target := object{"type": "webhook", "url": s.receiver.URL}
	made := s.one("POST", "/integrations",
		object{"name": "A", "triggerEvent": "candidateCreated", "target": target})
	integration := at(made, "id").(string)
	rotated := s.one("POST", "/integrations/"+integration+"/secret/rotate", object{})
	parser := s.one("POST", "/documentTypes",
		object{"name": "P", "check": object{"parser": "http",
			"http": object{"url": s.receiver.URL}}})
	secrets := []string{at(made, "secret").(string), at(rotated, "secret").(string),
		at(parser, "check", "http", "secret").(string)}
	_, _, signing, err := s.store.IntegrationTarget(s.Context(), company, integration)
	s.equal("secrets that sign", fmt.Sprint(signing, err),
		fmt.Sprint([]string{secrets[1], secrets[0]}, nil))

	before := store.New(engine, store.Config{})
	old, err := before.CreateIntegration(s.Context(), company,
		dossier.IntegrationInput{Name: "old", TriggerEvent: "candidateCreated",
			Target: dossier.Target{Type: "webhook", URL: s.receiver.URL}}, "whsec_from_before")
	if err != nil {
		s.Fatal(err)
	}
	_, _, signing, err = s.store.IntegrationTarget(s.Context(), company, old.ID)
	s.equal("the secret from before", fmt.Sprint(signing, err),
		fmt.Sprint([]string{"whsec_from_before"}, nil))
	s.one("PATCH", "/integrations/"+old.ID, object{"name": "changed"})
	_, _, signing, err = s.store.IntegrationTarget(s.Context(), company, old.ID)
	s.equal("the secret from before, sealed", fmt.Sprint(signing, err),
		fmt.Sprint([]string{"whsec_from_before"}, nil))

	for _, kind := range []string{"#INT", "#DT"} {
		page, err := engine.Query(s.Context(), kv.Query{Partition: company[len("com_"):] + kind})
		if err != nil || len(page.Items) == 0 {
			s.Fatal(page, err)
		}
		for _, i := range page.Items {
			for _, secret := range append(secrets, "whsec_from_before") {
				if strings.Contains(string(i.Doc), secret) {
					s.Errorf("%s holds a secret: %s", i.SK, i.Doc)
				}
			}
		}
	}
}

// requested returns a candidate and its request of a document type that the json parser reads.
func (s *service) requested() (candidate, cdt string) {
	s.Helper()
	dt := s.create("/documentTypes", object{"name": "Permit", "check": object{"parser": "json"}})
	candidate = s.create("/candidates", object{"firstName": "Ada", "documentTypeIds": []string{dt}})
	return candidate, at(s.list("/candidateDocumentTypes?filter[candidateId]="+candidate), 0,
		"id").(string)
}

// edit sets a member of a stored item of the candidate: as many as a limit allows take too long.
func (s *service) edit(engine kv.Engine, candidate, sk, member string, value any) {
	s.Helper()
	company := strings.TrimPrefix(s.key, "dsr_")[:26]
	items, err := engine.Get(s.Context(), false,
		kv.Key{PK: company + "#CAND#" + candidate[len("cnd_"):], SK: sk})
	if err != nil || items[0].Rev == 0 {
		s.Fatal(items, err)
	}
	var doc object
	if err := json.Unmarshal(items[0].Doc, &doc); err != nil {
		s.Fatal(err)
	}
	doc[member] = value
	next := items[0]
	if next.Doc, err = json.Marshal(doc); err != nil {
		s.Fatal(err)
	}
	next.Rev++
	if err := engine.Commit(s.Context(),
		kv.Write{Put: &next, If: kv.Condition{Rev: next.Rev - 1}}); err != nil {
		s.Fatal(err)
	}
}
