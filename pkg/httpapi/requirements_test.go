package httpapi

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
)

// requiredEvents are the four events that the interface requires, with the request that causes
// each.
var requiredEvents = map[string]struct{ path, body string }{
	event.CandidateRejected:                 {"/reject", `{"reason":"r"}`},
	event.CandidatePassVerificationVerified: {"/passVerification", `{"status":"verified"}`},
	event.CandidatePassVerificationFailed:   {"/passVerification", `{"status":"failed"}`},
	event.CandidateMessageSent:              {"/messages", `{"text":"Hello"}`},
}

// Each required event is accepted wherever the interface names it, and reaches integrations and
// scenarios.
func TestRequiredEvents(t *testing.T) {
	t.Parallel()
	for name, act := range requiredEvents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newTestAPI(t)
			integration := h.integrationOn(t, name)
			requested := h.documentType(t, "Card", "")
			scenario := h.scenarioOn(t, name, requested)
			candidate := h.candidate(t)
			ok[struct {
				ID string `json:"id"`
			}](t, h, "POST", "/candidates/"+candidate+act.path, act.body)
			h.dispatchAndReact(t)
			logs := ok[[]dossier.LogEntry](t, h, "GET",
				"/integrations/logs?filter[eventName]="+name+"&filter[candidateId]="+candidate, "")
			var to []string
			for _, l := range logs {
				if l.EventName != name {
					t.Errorf("listed for %s: %+v", name, l)
				}
				to = append(to, l.IntegrationID+l.ScenarioID)
			}
			if len(to) != 2 || !slices.Contains(to, integration) || !slices.Contains(to, scenario) {
				t.Errorf("the log has %v, not %s and %s", to, integration, scenario)
			}
			if requests := h.requests(t, candidate); len(requests) != 1 ||
				requests[0].DocumentType.ID != requested {
				t.Errorf("the scenario requested %+v", requests)
			}
			if name == event.CandidateMessageSent {
				return // the message that it sends is one more
			}
			if messages := ok[[]dossier.Message](t, h, "GET", "/candidates/"+candidate+"/messages",
				""); len(messages) != 1 || messages[0].Text != "Please." {
				t.Errorf("the scenario sent %+v", messages)
			}
		})
	}
}

// integrationOn creates an integration of an event, directly and by a change, and reads it in
// every way.
func (h *testAPI) integrationOn(t *testing.T, name string) string {
	t.Helper()
	const body = `{"name":"I","triggerEvent":%q,"target":{"type":"webhook","url":"https://example.com/hook"}}`
	made := ok[dossier.Integration](t, h, "POST", "/integrations", fmt.Sprintf(body, name))
	other := ok[dossier.Integration](t, h, "POST", "/integrations",
		fmt.Sprintf(body, event.CandidateCreated)).ID
	changed := ok[dossier.Integration](t, h, "PATCH", "/integrations/"+other,
		fmt.Sprintf(`{"triggerEvent":%q}`, name))
	read := ok[dossier.Integration](t, h, "GET", "/integrations/"+other, "")
	list := ok[[]dossier.Integration](t, h, "GET", "/integrations?filter[triggerEvent]="+name, "")
	if made.TriggerEvent != name || changed.TriggerEvent != name || read.TriggerEvent != name ||
		len(list) != 2 || list[0].TriggerEvent != name {
		t.Errorf("made %q, changed %q, read %q, listed %+v", made.TriggerEvent,
			changed.TriggerEvent, read.TriggerEvent, list)
	}
	ok[dossier.DeliveryReport](t, h, "POST", "/integrations/send-init-request",
		fmt.Sprintf(`{"url":"https://example.com/hook","triggerEvent":%q}`, name))
	ok[struct{}](t, h, "DELETE", "/integrations/"+other, "")
	return made.ID
}

// scenarioOn creates a scenario of an event that requests a document type and sends a message, and
// reads it in every way.
func (h *testAPI) scenarioOn(t *testing.T, name, requested string) string {
	t.Helper()
	made := ok[dossier.Scenario](t, h, "POST", "/scenarios", fmt.Sprintf(
		`{"name":"S","eventName":%q,"documentTypeIds":[%q],"notification":{"subject":"s","text":"Please."}}`, name, requested))
	other := ok[dossier.Scenario](t, h, "POST", "/scenarios",
		`{"name":"O","eventName":"candidateCreated","active":false}`).ID
	changed := ok[dossier.Scenario](t, h, "PATCH", "/scenarios/"+other,
		fmt.Sprintf(`{"eventName":%q}`, name))
	read := ok[dossier.Scenario](t, h, "GET", "/scenarios/"+other, "")
	list := ok[[]dossier.Scenario](t, h, "GET",
		"/scenarios?"+url.QueryEscape("filter[events][]")+"="+name+
			"&filter[events][]=candidateApproved", "")
	if made.EventName != name || changed.EventName != name || read.EventName != name ||
		len(list) != 2 || list[1].EventName != name {
		t.Errorf("made %q, changed %q, read %q, listed %+v", made.EventName, changed.EventName,
			read.EventName, list)
	}
	return made.ID
}

// countingEngine counts the requests to an engine.
type countingEngine struct {
	kv.Engine
	n atomic.Int64
}

func (c *countingEngine) Get(ctx context.Context, eventual bool,
	keys ...kv.Key) ([]kv.Item, error) {
	c.n.Add(1)
	return c.Engine.Get(ctx, eventual, keys...)
}

func (c *countingEngine) Query(ctx context.Context, q kv.Query) (kv.Page, error) {
	c.n.Add(1)
	return c.Engine.Query(ctx, q)
}

// Every response that has a document type has its submission, and costs at most two requests to
// the store.
func TestSubmissionIsEmbedded(t *testing.T) {
	t.Parallel()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	requests := &countingEngine{Engine: engine}
	h := newTestAPI(t, onEngine(requests))
	const submission = `"submission":{"rules":[{"conditionsType":"or","conditions":[{"type":"context","reference":"email","operator":"isEmpty"}],"actions":[]}]}`
	var types, ids []string
	for n := range 5 {
		made := ok[dossier.DocumentType](t, h, "POST", "/documentTypes",
			fmt.Sprintf(`{"name":"T%d",%s}`, n, submission))
		changed := ok[dossier.DocumentType](t, h, "PATCH", "/documentTypes/"+made.ID,
			`{"description":"d",`+submission+`}`)
		types, ids = append(types, made.ID), append(ids, fmt.Sprintf("%q", made.ID))
		if len(made.Submission.Rules) != 1 || len(changed.Submission.Rules) != 1 {
			t.Errorf("made %+v, changed %+v", made.Submission, changed.Submission)
		}
	}
	all := strings.Join(ids, ",")
	related := `{"documentTypeId":` + strings.Join(ids, `},{"documentTypeId":`) + `}`
	scenario := ok[dossier.Scenario](t, h, "POST", "/scenarios",
		`{"name":"S","eventName":"candidateCreated","documentTypeIds":[`+all+`]}`)
	if s := ok[dossier.Scenario](t, h, "PATCH", "/scenarios/"+scenario.ID,
		`{"active":false}`); len(s.DocumentTypes) != 5 ||
		len(s.DocumentTypes[4].Submission.Rules) != 1 ||
		len(scenario.DocumentTypes[0].Submission.Rules) != 1 {
		t.Errorf("scenario %+v, made as %+v", s, scenario)
	}
	page := ok[dossier.RegistrationPage](t, h, "POST", "/registration-pages",
		`{"name":"R","slug":"r","documents":[`+related+`]}`).ID
	candidate := h.candidate(t, types...)
	request := h.requests(t, candidate)[0].ID
	for target, want := range map[string]int{
		"/documentTypes": 5, "/documentTypes/" + types[0]: 1, "/scenarios": 5,
		"/scenarios/" + scenario.ID: 5, "/registration-pages": 5,
		"/registration-pages/" + page: 5, "/candidateDocumentTypes": 5,
		"/candidateDocumentTypes?filter[candidateId]=" + candidate: 5,
		"/candidateDocumentTypes?filter[state][]=requested":        5,
		"/candidateDocumentTypes/" + request:                       1,
	} {
		before := requests.n.Load()
		w := h.do(t, call{method: "GET", target: target})
		if took := requests.n.Load() - before; took > 2 {
			t.Errorf("%s took %d requests", target, took)
		}
		if got := strings.Count(w.Body.String(), `"submission":{"rules":[{"id":"rul_`); w.Code !=
			200 || got != want {
			t.Errorf("%s: %d with %d submissions, not %d: %s", target, w.Code, got, want, w.Body)
		}
	}
}

// Both upload addresses are one: a lock taken through one is seen by the other.
func TestUploadAddresses(t *testing.T) {
	t.Parallel()
	for first, second := range map[string]string{"candidateDocumentTypes": "containers",
		"containers": "candidateDocumentTypes"} {
		h := newTestAPI(t)
		_, request := h.candidateWithRequest(t, "")
		up := ok[dossier.CandidateDocumentType](t, h, "POST", "/"+first+"/"+request+"/upload",
			parts("front", pdf))
		if up.State != dossier.StateProcessing || up.Lock == nil || up.Document == nil {
			t.Errorf("%s: %+v", first, up)
		}
		w := h.refused(t, call{method: "POST", target: "/" + second + "/" + request + "/upload",
			body: parts("front", pdf)}, dossier.CodeLocked)
		if p := problemOf(t, w); p.Lock == nil || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %s, Retry-After %q", second, w.Body, w.Header().Get("Retry-After"))
		}
	}
}
