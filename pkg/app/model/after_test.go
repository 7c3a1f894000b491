package model

import (
	"slices"
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
