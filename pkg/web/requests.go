package web

import (
	"net/url"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// requestLists are the lists that the day's overview leads to.
var requestLists = map[string]struct {
	title  string
	states []string
	days   int // of validated documents: those that expire within so many
}{
	"checkFailed": {"Documents that could not be checked", []string{dossier.StateCheckFailed}, 0},
	"overdue":     {"Documents overdue", nil, 0},
	"open": {"Documents waited for",
		[]string{dossier.StateRequested, dossier.StateNeedsResubmission, dossier.StateUploaded}, 0},
	"expiring30": {"Documents that expire within 30 days", nil, 30},
	"expiring60": {"Documents that expire within 60 days", nil, 60},
	"expiring90": {"Documents that expire within 90 days", nil, 90},
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
	query := inState(of.states...)
	switch {
	case state == "overdue":
		query = url.Values{"filter[dueBefore]": {p.now.UTC().Format("2006-01-02T15:04:05.000Z")}}
	case of.days > 0:
		query = url.Values{"filter[expiresBefore]": {
			p.now.UTC().AddDate(0, 0, of.days+1).Format(time.DateOnly),
		}}
	}
	all, more, err := list[dossier.CandidateDocumentType](p.api, "/candidateDocumentTypes", query,
		pageSize)
	if err != nil {
		return err
	}
	v := requestsView{Title: of.title, Rows: all, More: more}
	if v.Names, err = p.names(candidateIDs(all, nil)); err != nil {
		return err
	}
	return p.show(screen{name: "requests", title: of.title, section: "today"}, v)
}
