package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// candidateFilter selects candidates of the list. The page's address holds it.
type candidateFilter struct {
	Search, Status string
	Missing        string // the id of a document type that the candidate has yet to bring
	Expires        string // YYYY-MM-DD: a validated document of theirs expires before this day
	Of             string // the id of that document's type; empty: any
}

// candidateFilterOf reads the filter in an address.
func candidateFilterOf(q url.Values) candidateFilter {
	f := candidateFilter{Search: strings.TrimSpace(q.Get("search")), Missing: q.Get("missing"),
		Expires: q.Get("expires"), Of: q.Get("of")}
	if status := q.Get("status"); slices.Contains(dossier.Statuses, status) {
		f.Status = status
	}
	return f
}

// params returns the filter by the names of the form, without what is not chosen.
func (f candidateFilter) params() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"search": f.Search, "status": f.Status,
		"missing": f.Missing, "expires": f.Expires, "of": f.Of} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// refuse adds to a form which filters can't be combined: no index of the API answers them.
func (f candidateFilter) refuse(to *form) {
	switch {
	case f.Expires != "" && f.Missing != "":
		to.add("expires", "Choose a missing document or a date, not both.")
	case f.Expires != "" && f.Search+f.Status != "":
		to.add("expires", "A date can’t be combined with a name or a status.")
	case f.Missing != "" && f.Search != "":
		to.add("missing", "A missing document can’t be combined with a name.")
	case f.Of != "" && f.Expires == "":
		to.add("expires", "Enter the date as well.")
	}
}

// filterNames leads from the API's pointers to the fields of the filter.
var filterNames = map[string]string{"?filter[search]": "search", "?filter[missing]": "missing",
	"?filter[expiresBefore]": "expires", "?filter[documentTypeId]": "of"}

// request returns the API's path for the filter, and its query.
func (f candidateFilter) request() (path string, query url.Values) {
	query = url.Values{}
	if f.Expires != "" {
		query.Set("filter[expiresBefore]", f.Expires)
		query.Set("include", "candidate")
		if f.Of != "" {
			query.Set("filter[documentTypeId]", f.Of)
		}
		return "/candidateDocumentTypes", query
	}
	for name, value := range map[string]string{"filter[status][]": f.Status,
		"filter[search]": f.Search, "filter[missing]": f.Missing} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return "/candidates", query
}

// candidatesThatFit reads candidates that fit a filter: query is its request's, with a page. By a
// date, only their names and external ids are known, and Waits says which documents expire.
func (p *page) candidatesThatFit(f candidateFilter, query url.Values) ([]candidateRow, string,
	error) {
	path, _ := f.request()
	if f.Expires == "" {
		var found []dossier.Candidate
		rep, err := p.api.do(call{path: path, query: query}, &found)
		rows := make([]candidateRow, len(found))
		for i, c := range found {
			rows[i] = candidateRow{Candidate: c, Name: nameOf(c)}
		}
		return rows, rep.next, err
	}
	var found []dossier.CandidateDocumentType
	rep, err := p.api.do(call{path: path, query: query}, &found)
	return expiring(found), rep.next, err
}

// expiring groups documents that expire by their candidates, in the order of the first of each.
func expiring(found []dossier.CandidateDocumentType) []candidateRow {
	var rows []candidateRow
	for _, r := range found {
		says := r.DocumentType.Name + " expires on " + day(r.ExpiresAt)
		at := slices.IndexFunc(rows, func(c candidateRow) bool { return c.ID == r.CandidateID })
		if at >= 0 {
			rows[at].Waits += " · " + says
			continue
		}
		c := dossier.Candidate{ID: r.CandidateID}
		if n := r.Candidate; n != nil {
			c.FirstName, c.LastName, c.ExternalID = n.FirstName, n.LastName, n.ExternalID
		}
		rows = append(rows, candidateRow{Candidate: c, Name: nameOf(c), Waits: says})
	}
	return rows
}
