package web

import (
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// requestLists are the lists that the day's overview leads to.
var requestLists = map[string]struct {
	title  string
	states []string
}{
	"checkFailed": {"Checks that failed", []string{dossier.StateCheckFailed}},
	"overdue":     {"Requests overdue", []string{dossier.StateRequested, dossier.StateNeedsResubmission, dossier.StateUploaded}},
	"open":        {"Documents waited for", []string{dossier.StateRequested, dossier.StateNeedsResubmission, dossier.StateUploaded}},
}

type requestsView struct {
	Title string
	Rows  []dossier.CandidateDocumentType
	Names map[string]string
	More  bool
}

// listRequests shows candidate document types of some states.
func listRequests(p *page) error {
	state := p.r.URL.Query().Get("state")
	of, ok := requestLists[state]
	if !ok {
		return errNoPage
	}
	all, more, err := list[dossier.CandidateDocumentType](p.api, "/candidateDocumentTypes", inState(of.states...), pageSize)
	if err != nil {
		return err
	}
	if state == "overdue" {
		all = slices.DeleteFunc(all, func(c dossier.CandidateDocumentType) bool { return !overdue(c, p.now) })
	}
	v := requestsView{Title: of.title, Rows: all, More: more}
	if v.Names, err = p.names(candidateIDs(all, nil)); err != nil {
		return err
	}
	return p.show(screen{name: "requests", title: of.title, section: "today"}, v)
}

func overdue(c dossier.CandidateDocumentType, now time.Time) bool {
	return !c.DueAt.IsZero() && c.DueAt.Before(now)
}
