package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// session calls the service and the model with the same requests.
type session struct {
	*rapid.T
	service   *service
	model     *model
	endpoints *endpoints
	origin    uint64
	companies []*company // the two of the group
	sent      []sending  // with an Idempotency-Key
}

// sending is a request that may be sent again.
type sending struct {
	call         call
	method, path string
	body         object
	kind         string
	do           func() result
}

// newSession makes the service on an engine, with its settings, and the model of it.
func newSession(t *rapid.T, engine kv.Engine, e *endpoints, dir string, origin uint64) *session {
	s := &session{T: t, endpoints: e, origin: origin,
		model: &model{now: beginning, kept: map[string]keptAnswer{}, notified: map[*entry]bool{}}}
	var err error
	if s.service, err = newService(engine, e, dir, origin); err != nil {
		t.Fatal(err)
	}
	s.setUp()
	return s
}

func (s *session) flip(label string) bool { return rapid.Bool().Draw(s.T, label) }

// ask sends a request. The response has to be that of the model. kind says how the response is
// reduced to what the model knows.
func (s *session) ask(r sending) {
	s.Helper()
	if r.call.key != "" {
		text, err := json.Marshal(r.body)
		if err != nil {
			s.Fatal(err)
		}
		r.call.text = r.method + r.path + string(text)
		s.sent = append(s.sent, r)
	}
	status, got, err := s.service.send(r.method, r.path, r.call.by.secret, r.call.key, r.body)
	what := fmt.Sprintf("%s %s %v as %s", r.method, r.path, r.body, r.call.by.id)
	if err != nil {
		s.Fatalf("%s: %v", what, err)
	}
	want := s.model.answer(r.call, r.do)
	shown, _ := got.(object)
	if code, _ := shown["code"].(string); status != want.status || code != want.code &&
		status != 200 {
		s.Fatalf("%s: %d %v, the model says %d %s", what, status, got, want.status, want.code)
	}
	if want.learn != nil {
		want.learn(shown)
	}
	if status == 200 && r.kind != "" {
		s.compare(what, seen[r.kind](shown), want.body)
	}
}

func (s *session) compare(what string, got, want any) {
	s.Helper()
	if g, w, equal := same(got, want); !equal {
		s.Fatalf("%s:\n     got %s\nthe model: %s", what, g, w)
	}
}

// key draws an Idempotency-Key, often none. There are few, so that one is used for two requests.
func (s *session) key() string {
	return rapid.SampledFrom([]string{"", "", "k1", "k2", "k3", "k4", "k5"}).Draw(s.T, "key")
}

// anyone draws a caller of any company, most often one who may.
func (s *session) anyone() *principal {
	c := rapid.SampledFrom(s.model.companies).Draw(s.T, "company")
	return rapid.SampledFrom(c.people).Draw(s.T, "principal")
}

// someone draws a caller, most often an administrator of the company.
func (s *session) someone(of *company) *principal {
	if rapid.IntRange(0, 3).Draw(s.T, "other") > 0 {
		return of.people[0]
	}
	return s.anyone()
}

// candidate draws a candidate of any company; nil if there is none yet.
func (s *session) candidate() *candidate {
	var all []*candidate
	s.model.each(func(c *candidate) { all = append(all, c) })
	if len(all) == 0 {
		s.Skip("no candidate")
	}
	return rapid.SampledFrom(all).Draw(s.T, "candidate")
}

// request draws a candidate document type of a candidate.
func (s *session) request() *request {
	c := s.candidate()
	if len(c.requests) == 0 {
		s.Skip("no request")
	}
	return rapid.SampledFrom(c.requests).Draw(s.T, "request")
}

// work has the workers of one kind work on all that waits for them.
func (s *session) work(kind string) {
	m := s.model
	if err := s.service.workOn(s.Context(), kind, m.companies); err != nil {
		s.Fatalf("%s: %v", kind, err)
	}
	for line := range strings.Lines(s.service.checkLog.String()) {
		if !strings.Contains(line, errDown.Error()) {
			s.Fatalf("a check could not be made: %s", line)
		}
	}
	s.service.checkLog.Reset()
	switch kind {
	case store.TaskCheck:
		m.check()
	case store.TaskRules:
		m.each((*candidate).runRules)
	case store.TaskDispatch:
		m.dispatch()
	case store.TaskScenario:
		m.reactions()
	case store.TaskDeliver:
		m.deliver()
	}
}

var kinds = []string{store.TaskCheck, store.TaskRules, store.TaskDispatch, store.TaskScenario,
	store.TaskDeliver}

// settle has all workers work until nothing is left.
func (s *session) settle() {
	for len(s.service.tasks) > 0 {
		for _, kind := range kinds {
			s.work(kind)
		}
	}
}

// tick moves the clock and sweeps, for less than a day in all: tokens and kept responses do not
// expire in the model.
func (s *session) tick(d time.Duration) {
	if s.model.now.Add(d).Sub(beginning) > 23*time.Hour {
		return
	}
	s.service.now = s.service.now.Add(d)
	if _, err := s.service.sweep.Work(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.model.tick(d)
}

// observe compares everything that an administrator can see, and what the endpoints received.
func (s *session) observe() {
	s.model.each(func(c *candidate) {
		by := c.company.people[0]
		path := "/candidates/" + c.id
		s.compare(path, seen["candidate"](s.must(by, "GET", path, nil)), c.view())
		s.compareList(by, path+"/messages", "message", list(c.messages, func(m *message) any {
			return m
		}))
		s.compareList(by, path+"/events?page[size]=100", "event", list(c.events[:min(100,
			len(c.events))], func(e *event) any { return e }))
		for _, by := range c.company.people {
			if by == c.company.people[0] || by.candidate == c {
				s.compareList(by, "/candidateDocumentTypes?page[size]=100&filter[candidateId]="+
					c.id, "request", list(c.requests, func(r *request) any { return r.view(by) }))
			}
		}
		for _, r := range c.requests {
			s.compareList(by, "/candidateDocumentTypes/"+r.id()+"/ruleRuns", "run",
				list(r.runs, func(o object) any { return o }))
		}
	})
	for _, c := range s.companies {
		s.compareList(c.people[0], "/companies?page[size]=100", "company",
			list(s.companies, func(o *company) any { return o.view() }))
		s.observeDeliveries(c)
		s.observeCalls(c)
	}
}

// compareList compares a list. The ids of messages are learned from it.
func (s *session) compareList(by *principal, path, kind string, want []any) {
	s.Helper()
	status, got, err := s.service.send("GET", path, by.secret, "", nil)
	all, isList := got.([]any)
	if err != nil || status != 200 || !isList {
		s.Fatalf("GET %s: %d %v %v", path, status, got, err)
	}
	for n := range all {
		all[n] = seen[kind](all[n].(object))
	}
	for n, w := range want {
		switch w := w.(type) {
		case *message:
			if w.id == "" && n < len(all) {
				w.id, _ = all[n].(object)["id"].(string)
			}
			want[n] = w.view()
		case *event:
			want[n] = w.view()
		}
	}
	s.compare("GET "+path, all, want)
}

// observeDeliveries compares the log of a company, in any order, and what its endpoints received.
func (s *session) observeDeliveries(c *company) {
	by := c.people[0]
	var want []any
	for _, of := range c.candidates {
		want = append(want, list(of.log, func(e *entry) any { return e.view() })...)
	}
	var all []any
	for after := ""; ; {
		status, got, err := s.service.send("GET", "/integrations/logs?page[size]=100"+after,
			by.secret, "", nil)
		page, isList := got.([]any)
		if err != nil || status != 200 || !isList {
			s.Fatalf("logs: %d %v %v", status, got, err)
		}
		for _, e := range page {
			all = append(all, seen["entry"](e.(object)))
		}
		if len(page) < 100 {
			break
		}
		s.Skip("more than a page of log entries")
	}
	s.compare("GET /integrations/logs", sorted(all), sorted(want))
	for _, i := range c.integrations {
		h := s.endpoints.at(i.secret)
		if h.wrong != nil {
			s.Fatalf("what %s received: %v", i.id, h.wrong)
		}
		got := append([]any{}, h.received...)
		for n := range got {
			got[n] = seen["event"](got[n].(object))
		}
		s.compare("what "+i.id+" received", got,
			list(i.received, func(e *event) any { return e.view() }))
	}
}

// sorted orders log entries by what they are about.
func sorted(all []any) []any {
	slices.SortFunc(all, func(a, b any) int {
		of := func(v any) string { return fmt.Sprint(v.(object)["eventId"], v.(object)["target"]) }
		return strings.Compare(of(a), of(b))
	})
	return all
}
