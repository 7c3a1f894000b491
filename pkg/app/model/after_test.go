package model

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/dossierhq/dossier/pkg/store"
)

// askForForm asks a candidate who exists for a form of its company.
func (s *session) askForForm() {
	c := s.candidate()
	if len(c.company.forms) == 0 {
		return
	}
	f := c.company.forms[0]
	s.decide(c, "/forms", object{"formId": f.id}, func(by *principal) *result {
		if !c.open(f) {
			return &notNow
		}
		c.forget(f)
		c.emit(cause{by: by}, "candidateUpdated", as(object{"changed": []string{"forms"}}))
		return nil
	})
}

// reopenForm opens a form again that the candidate has submitted.
func (s *session) reopenForm() {
	c := s.candidate()
	f := s.companies[0].forms[0]
	if len(c.company.forms) > 0 {
		f = c.company.forms[0]
	}
	s.decide(c, "/forms/"+f.id+"/reopen", nil, func(by *principal) *result {
		at := slices.IndexFunc(c.forms, func(o candidateForm) bool { return o.form == f })
		switch {
		case at < 0:
			return &notFound
		case c.forms[at].state != "submitted":
			return &notNow
		}
		c.forms[at].state = "open"
		c.emit(cause{by: by}, "candidateUpdated", as(object{"changed": []string{"forms"}}))
		return nil
	})
}

// breakChecker makes checks fail from now on, or no longer, and lets time pass.
func (s *session) breakChecker() {
	s.model.down = !s.model.down
	s.service.checker.down = s.model.down
	if s.model.down && s.flip("for long") {
		for _, wait := range checkWaits {
			s.work(store.TaskCheck)
			s.tick(wait)
		}
		s.work(store.TaskCheck)
	}
}

// checkAgain starts a check again that could not be made.
func (s *session) checkAgain() {
	r := s.request()
	s.model.each(func(c *candidate) {
		for _, o := range c.requests {
			if r.state != "checkFailed" && o.state == "checkFailed" {
				r = o
			}
		}
	})
	s.review(r, "POST", "/check", nil, func(r *request, by *principal) *result {
		if r.state != "checkFailed" {
			return &notNow
		}
		r.state, r.tries, r.due, r.told = "processing", 0, time.Time{}, true
		r.document.state, r.document.reasons = "processing", nil
		r.of.settle(cause{by: by, document: r.document})
		return nil
	})
}

// rename gives a company another name. Only its own administrators can.
func (s *session) rename() {
	by := s.anyone()
	of := rapid.SampledFrom(s.model.companies).Draw(s.T, "renamed")
	name := rapid.SampledFrom([]string{"", "North", "South"}).Draw(s.T, "new name")
	s.ask(sending{call: call{by: by, scope: "keys"}, method: "PATCH",
		path: "/companies/" + of.id, body: object{"name": name}, kind: "company",
		do: func() result {
			switch {
			case of.group != by.company.group:
				return notFound
			case of != by.company:
				return forbidden
			case name == "":
				return invalid
			}
			of.name = name
			return ok(of.view())
		}})
}

func (c *company) view() object {
	return object{"id": c.id, "groupId": c.group, "name": c.name}
}
