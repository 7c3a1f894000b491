package httpapi

import (
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// What candidate document types are ordered by.
const (
	sortDue     = "dueAt"
	sortExpires = "expiresAt"
	sortSince   = "since"
)

// requestSorts are the orders of GET /candidateDocumentTypes.
var requestSorts = []string{sortDue, "-" + sortDue, sortExpires, "-" + sortExpires, sortSince,
	"-" + sortSince}

// sortStates holds the states in which candidate document types have each order: one index holds
// the states one after the other, each by what is urgent in it.
var sortStates = map[string][]string{
	sortDue: store.CandidatesTurn, sortExpires: {dossier.StateValidated},
	sortSince: {dossier.StateProcessing, dossier.StateInReview, dossier.StateRejected,
		dossier.StateCheckFailed, dossier.StateExpired, dossier.StateRemoved},
}

func (a *API) listRequests(r *request) (any, error) {
	if err := r.validateFilter("filter[state][]", dossier.States); err != nil {
		return nil, err
	}
	filter, err := r.requestFilter()
	if err != nil {
		return nil, err
	}
	return list(r, func(after string, limit int) ([]dossier.CandidateDocumentType, string, error) {
		return a.store.Requests(r.Context(), r.company(), filter, after, limit)
	})
}

// requestFilter reads the filters and the order of GET /candidateDocumentTypes. What no index
// answers is refused.
func (r *request) requestFilter() (store.RequestFilter, error) {
	f := store.RequestFilter{CandidateID: r.filter("candidateId"), States: r.anyOf("state"),
		DocumentTypeID: r.filter("documentTypeId")}
	var p dossier.Problems
	if word := r.query.Get("include"); word != "" {
		p.Word("?include", word, r.route.includes)
		f.WithCandidate = true
	}
	by, before, name := r.moment(&p)
	f.Before = before
	order := r.query.Get("sort")
	if order != "" {
		p.Word("?sort", order, r.route.sorts)
		sorted := strings.TrimPrefix(order, "-")
		if by != "" && by != sorted {
			p.Say("?sort", dossier.ProblemNotAllowed, "has to be %s or -%s, together with %s", by,
				by, name[1:])
		}
		by, name, f.Backward, f.Dated = sorted, "?sort", sorted != order, sorted != sortSince
	}
	if err := p.Err(); err != nil || by == "" {
		return f, err
	}
	states := sortStates[by]
	outside := func(state string) bool { return !slices.Contains(states, state) }
	switch {
	case f.CandidateID != "":
		p.Say(name, dossier.ProblemNotAllowed, "cannot be combined with filter[candidateId]")
	case slices.ContainsFunc(f.States, outside):
		p.Say(name, dossier.ProblemNotAllowed, "can be combined with the states %s only",
			strings.Join(states, ", "))
	case len(f.States) == 0 && by == sortSince:
		p.Say(name, dossier.ProblemNotAllowed, "can be %s together with filter[state][] only", by)
	case len(f.States) == 0:
		f.States = states
	}
	if order != "" && f.DocumentTypeID != "" && len(f.States) > 1 {
		p.Say(name, dossier.ProblemNotAllowed,
			"can be combined with filter[documentTypeId] and one state only")
	}
	return f, p.Err()
}

// moment reads the filter by a moment: the order that it is about, its value as text, and its name.
func (r *request) moment(p *dossier.Problems) (by, before, name string) {
	const dueBefore, expiresBefore = "?filter[dueBefore]", "?filter[expiresBefore]"
	due, expires := r.filter("dueBefore"), r.filter("expiresBefore")
	switch {
	case due != "" && expires != "":
		p.Say(expiresBefore, dossier.ProblemNotAllowed,
			"cannot be combined with filter[dueBefore]")
	case due != "":
		at, err := time.Parse(time.RFC3339Nano, due)
		if err != nil {
			p.Say(dueBefore, dossier.ProblemMalformed,
				"is not a timestamp such as 2026-11-21T10:00:00Z")
		}
		return sortDue, dossier.NewTime(at).String(), dueBefore
	case expires != "":
		if !dossier.ValidDate(expires) {
			p.Say(expiresBefore, dossier.ProblemMalformed, "is not a date of the form YYYY-MM-DD")
		}
		return sortExpires, expires, expiresBefore
	}
	return "", "", ""
}
