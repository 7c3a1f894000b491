package chaos

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// clients are the users of the service: what they know of it, and the responses they got.
type clients struct {
	company, partner       string // ids
	key, partnerKey        string
	types                  []string // owned by the company; the last has two required parts
	shared                 string   // owned by the partner
	form, preset, scenario string
	page                   string // the registration page
	integrations           []string
	candidates             []string
	requests               []string  // ids of candidate document types
	messages               []string  // paths
	keys                   []string  // secrets of the keys that were made beside the first
	links                  []string  // texts of sign-in links
	provider               string    // at which people sign in; "": there is none yet
	credentials            []string  // of sessions, and of candidates
	pending                []request // not answered for certain: to be sent again
	// document by request id and name of the file: what was answered 200
	uploads     map[string]string
	sent        map[string]bool // texts of messages that were answered 200
	deleted     map[string]bool // texts of messages whose deletion was tried
	answers     map[int]int     // by status, of requests that began and ended in this phase
	phase       int
	requests200 map[string]request // by key: what was answered 200 and its answer kept
}

// request is one request of somebody.
type request struct {
	method, path, body, key, name string
	partner                       bool
	as                            string // the credential; "": the company's key
}

// nobody is the credential of a request that comes without one.
const nobody = "nobody"

// answer is a response; zero if the process was stopped before it.
type answer struct {
	status int
	header http.Header
	body   map[string]any
}

// ask sends a request through the HTTP handlers.
func (w *simulation) ask(r request) answer {
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	h := httptest.NewRequest(r.method, r.path, body)
	key := w.clients.key
	if r.partner {
		key = w.clients.partnerKey
	}
	if r.as != "" {
		key = r.as
	}
	if r.as != nobody {
		h.Header.Set("Authorization", "Bearer "+key)
	}
	h.Header.Set("X-Request-Id", "r")
	if r.body != "" {
		h.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		h.Header.Set("Idempotency-Key", r.key)
	}
	phase := w.clients.phase
	got := httptest.NewRecorder()
	w.api.ServeHTTP(got, h)
	if w.current != nil && w.current.dead {
		return answer{}
	}
	a := answer{status: got.Code, header: got.Header()}
	_ = json.Unmarshal(got.Body.Bytes(), &a.body) // lists and empty answers stay nil
	if w.clients.phase == phase {
		w.clients.answers[a.status]++
	}
	if r.key != "" && a.status == http.StatusOK {
		w.clients.requests200[r.key] = r
	}
	w.note("    %s %s: %d %v", r.method, r.path, a.status, a.body["code"])
	switch {
	case a.status >= 500 && a.status != http.StatusServiceUnavailable:
		w.truth.wrong("answer", "%s %s %s: %d %s", r.method, r.path, r.body, a.status, got.Body)
	case a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") == "":
		w.truth.wrong("answer", "%s %s: 503 without Retry-After", r.method, r.path)
	}
	return a
}

// must is ask for what has to succeed; it returns the id in the answer.
func (w *simulation) must(method, path, body string, args ...any) string {
	a := w.ask(request{method: method, path: path, body: fmt.Sprintf(body, args...)})
	if a.status != http.StatusOK {
		panic(fmt.Sprintf("%s %s: %d %v", method, path, a.status, a.body))
	}
	id, _ := a.body["id"].(string)
	return id
}

// createSettings creates two companies of a group, document types with rules, scenarios,
// integrations and candidates.
func (w *simulation) createSettings() {
	first, err := w.machines[0].store.CreateCompany(background, "", "First")
	if err != nil {
		panic(err)
	}
	second, err := w.machines[0].store.CreateCompany(background, first.GroupID, "Second")
	if err != nil {
		panic(err)
	}
	p := &w.clients
	*p = clients{company: first.ID, partner: second.ID, key: first.Key.Secret,
		partnerKey: second.Key.Secret,
		uploads:    map[string]string{}, sent: map[string]bool{}, deleted: map[string]bool{},
		answers: map[int]int{}, requests200: map[string]request{}}
	w.must("POST", "/customFields",
		`{"entity":"candidate","reference":"class","label":"Class","type":"text"}`)
	w.must("POST", "/customFields",
		`{"entity":"document","reference":"note","label":"Note","type":"text"}`)
	p.form = w.must("POST", "/forms",
		`{"name":"F","fields":[{"reference":"a","label":"A","type":"text"}]}`)
	w.createTypes()
	for _, name := range []string{event.CandidateDocumentValidated,
		event.CandidateDocumentValidated, event.CandidateStatusChanged, event.CandidateMessageSent,
		event.CandidateDocumentUploaded} {
		w.addIntegration(name)
	}
	for n := range 2 {
		w.addCandidate(strconv.Itoa(n))
	}
	w.makeOlder(p.candidates[0], true)
	w.makeOlder(p.candidates[1], false)
}

func (w *simulation) createTypes() {
	p := &w.clients
	for n := range 4 {
		required := `[]`
		if n == 3 {
			required = `["front","back"]`
		}
		decision := []string{dossier.DecisionAutomatic, dossier.DecisionManual}[n%2]
		p.types = append(p.types, w.must("POST", "/documentTypes",
			`{"name":"T%d","pass":%t,"requiredParts":%s,"check":{"parser":"json","decision":%q,
			"expiryReference":"expires"},"writeBack":[{"from":"class","to":"cf_class"},{"from":"name","to":"lastName"}]}`, n, n == 1, required, decision))
	}
	a := w.ask(request{method: "POST", path: "/documentTypes", partner: true,
		body: fmt.Sprintf(
			`{"name":"S","sharedWith":[%q],"check":{"parser":"json","decision":"automatic"}}`,
			p.company)})
	p.shared, _ = a.body["id"].(string)
	p.preset = w.must("POST", "/presets",
		`{"name":"P","set":{"cf_class":"preset","language":"de"},"documentTypeIds":[%q],"formIds":[%q]}`, p.types[2], p.form)
	p.scenario = w.must("POST", "/scenarios",
		`{"name":"N","eventName":"candidateDocumentValidated","documentTypeIds":[%q],"notification":{"subject":"s","text":"t"}}`, p.types[3])
	p.page = w.must("POST", "/registration-pages",
		`{"name":"R","slug":"r","documents":[{"documentTypeId":%q}],"formIds":[%q]}`, p.types[0],
		p.form)
	w.must("POST", "/scenarios",
		`{"name":"M","eventName":"candidateMessageSent","active":false,"notification":{"subject":"s","text":"t"}}`)
	w.ask(request{method: "PATCH", path: "/documentTypes/" + p.types[0], body: w.rules(0)})
}

// rules is one of several submissions.
func (w *simulation) rules(n int) string {
	p := &w.clients
	rule := func(class, action string) string {
		return fmt.Sprintf(
			`{"conditionsType":"and","conditions":[{"type":"fields","reference":"class","operator":"isEqual","value":%q}],"actions":[%s]}`, class, action)
	}
	act := func(kind, value string) string {
		return fmt.Sprintf(`{"type":%q,"value":%q}`, kind, value)
	}
	rules := [][]string{
		{rule("CE", act(dossier.ActionAddDocumentType, p.types[1])+","+
			act(dossier.ActionSendNotification, p.scenario)),
			rule("B", act(dossier.ActionApplyPreset, p.preset))},
		{rule("CE", act(dossier.ActionRemoveForm, p.form)),
			rule("C", act(dossier.ActionRemoveDocumentType, p.types[1]))},
		{rule("B", act(dossier.ActionAddDocumentType, p.types[2])+","+
			act(dossier.ActionRemoveDocumentType, p.types[3]))},
		{},
	}[n%4]
	return fmt.Sprintf(`{"submission":{"rules":[%s]}}`, strings.Join(rules, ","))
}

func (w *simulation) addIntegration(name string) answer {
	n := len(w.clients.integrations)
	a := w.ask(request{method: "POST", path: "/integrations", body: fmt.Sprintf(
		`{"name":"I%d","triggerEvent":%q,"target":{"type":"webhook","url":"https://example.com/"},"payload":%q,"ordered":%t}`,
		n, name, []string{dossier.PayloadThin, dossier.PayloadFull}[n%2], n%4 != 3)})
	if id, ok := a.body["id"].(string); ok {
		w.clients.integrations = append(w.clients.integrations, id)
	}
	return a
}

func (w *simulation) addCandidate(name string) answer {
	p := &w.clients
	a := w.ask(request{method: "POST", path: "/candidates", body: fmt.Sprintf(
		`{"firstName":"%s %s","email":"%s@example.com","externalId":"x%s","documentTypeIds":[%q,%q,%q],"formIds":[%q]}`,
		canary, name, canary, name, p.types[0], p.types[3], p.shared, p.form)})
	if id, ok := a.body["id"].(string); ok {
		p.candidates = append(p.candidates, id)
		for _, dt := range []string{p.types[0], p.types[1], p.types[3], p.shared} {
			p.requests = append(p.requests, "cdt_"+id[len("cnd_"):]+dt[len("dty_"):])
		}
	}
	return a
}

// count counts the answers from now on into a map.
func (c *clients) count(into map[int]int) { c.answers, c.phase = into, c.phase+1 }
