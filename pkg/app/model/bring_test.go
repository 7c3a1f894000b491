package model

import "github.com/dossierhq/dossier/pkg/store"

// bring has an administrator upload a whole document of one of the company's own types, and the
// workers check it and run its rules.
func (s *session) bring() {
	r := s.request()
	if own := r.of.company; r.docType.owner != own {
		for _, o := range r.of.requests {
			if o.docType.owner == own {
				r = o
			}
		}
	}
	names := r.docType.required
	if len(names) == 0 {
		names = []string{"front"}
	}
	s.uploadTo(r, r.of.company.people[0], names)
	s.work(store.TaskCheck)
	s.work(store.TaskRules)
}
