package httpapi

import (
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// The orders of GET /candidates.
const (
	sortCreated     = "createdAt"
	sortNewest      = "-createdAt"
	sortName        = "name"
	sortNameReverse = "-name"
)

func (a *API) listCandidates(r *request) (any, error) {
	filter, err := r.candidateFilter()
	if err != nil {
		return nil, err
	}
	if external := r.filter("externalId"); external != "" {
		c, err := a.store.CandidateByExternalID(r.Context(), r.company(), external)
		if errors.Is(err, dossier.ErrNotFound) || err == nil && len(filter.Statuses) > 0 &&
			!slices.Contains(filter.Statuses, c.Status) {
			return []dossier.Candidate{}, nil
		}
		return []dossier.Candidate{c}, err
	}
	return list(r, func(after string, limit int) ([]dossier.Candidate, string, error) {
		return a.store.Candidates(r.Context(), r.company(), filter, after, limit)
	})
}

// candidateFilter reads the filters and the order of GET /candidates. Those that no index answers
// in two requests are refused.
func (r *request) candidateFilter() (store.CandidateFilter, error) {
	const search, sort = "?filter[search]", "?sort"
	if err := r.validateFilter("filter[status][]", dossier.Statuses); err != nil {
		return store.CandidateFilter{}, err
	}
	var p dossier.Problems
	f := store.CandidateFilter{Statuses: r.anyOf("status")}
	order := r.query.Get("sort")
	if order != "" {
		p.Word(sort, order, r.route.sorts)
	}
	f.Backward = order == sortNewest || order == sortNameReverse
	f.ByName = order == sortName || order == sortNameReverse
	if f.ByName && len(f.Statuses) > 0 {
		p.Say(sort, dossier.ProblemNotAllowed,
			"can be createdAt or -createdAt only, together with filter[status][]")
	}
	text, external := r.filter("search"), r.filter("externalId")
	if f.Missing = r.filter("missing"); f.Missing != "" && order+text+external != "" {
		p.Say("?filter[missing]", dossier.ProblemNotAllowed,
			"can be combined with filter[status][] only")
	}
	if order != "" && (text != "" || external != "") {
		p.Say(sort, dossier.ProblemNotAllowed,
			"cannot be combined with filter[search] or filter[externalId]")
	}
	if text == "" {
		return f, p.Err()
	}
	f.Search = store.Folded(text)
	switch {
	case external != "":
		p.Say(search, dossier.ProblemNotAllowed, "cannot be combined with filter[externalId]")
	case utf8.RuneCountInString(f.Search) < dossier.MinSearch:
		p.Say(search, dossier.ProblemTooShort,
			"must have at least %d characters, accents and outer blanks not counted",
			dossier.MinSearch)
	}
	return f, p.Err()
}
