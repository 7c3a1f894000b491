package store

import (
	"context"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// storedCandidate is the candidate item: the candidate, the inputs of its status, and the counters
// that order its events and rules jobs.
type storedCandidate struct {
	dossier.Candidate
	Rejected bool `json:"rejected,omitzero"`
	// by document type ULID; kept in step by candidateTx
	Requested map[string]dossier.Requested `json:"requested"`
	EventSeq  int64                        `json:"eventSeq"` // number of the newest event
	// number of the newest rules job
	JobSeq int64 `json:"jobSeq"`
	// number of the newest rules job that is done
	Applied  int64 `json:"appliedSeq"`
	Messages int64 `json:"messages,omitzero"` // sent so far
	// of uploaded files, all versions together
	Bytes  int64 `json:"bytes,omitzero"`
	Erased bool  `json:"erased,omitzero"`
	// has its search entries; false for what an earlier version wrote last
	Searchable bool `json:"searchable,omitzero"`
	// by preset id; presets that an earlier version applied have none
	Brought map[string]*broughtBy `json:"brought,omitzero"`
}

// The bounds of a candidate item in bytes. A request may fill it up to maxCandidate; rules and
// scenarios up to fullCandidate. The rest of kv.MaxItem is left for what every transaction adds.
const (
	maxCandidate  = 200_000
	fullCandidate = 350_000
)

// parseRef returns the partition of a candidate; NOT_FOUND for text that is no candidate id.
func parseRef(company, candidate string) (candidateRef, error) {
	id, ok := dossier.ParseCandidateID(candidate)
	if !ok {
		return candidateRef{}, dossier.ErrNotFound
	}
	return candidateRef{company, id}, nil
}

// readCandidate reads a candidate; an erased one is NOT_FOUND.
func (s *Store) readCandidate(ctx context.Context,
	at candidateRef) (storedCandidate, kv.Item, error) {
	c, read, err := get[storedCandidate](ctx, s, at.candidateKey())
	if err == nil && c.Erased {
		err = dossier.ErrNotFound
	}
	return c, read, err
}

// Candidate returns a candidate and its revision.
func (s *Store) Candidate(ctx context.Context,
	company, candidate string) (dossier.Candidate, Rev, error) {
	at, err := parseRef(company, candidate)
	if err != nil {
		return dossier.Candidate{}, 0, err
	}
	c, read, err := s.readCandidate(ctx, at)
	return c.Candidate, Rev(read.Rev), err
}

// CandidateFilter selects and orders the candidates of a company; the zero value is all of them,
// oldest first.
type CandidateFilter struct {
	Statuses []string // any of them; none means all
	Missing  string   // the id of a document type that is missing; without Search and an order
	Search   string   // the beginning of a term, as Folded returns it
	ByName   bool     // by last name, then first name; without Statuses and Search
	Backward bool     // the order reversed; not with Search
}

func (f CandidateFilter) has(status string) bool {
	return len(f.Statuses) == 0 || slices.Contains(f.Statuses, status)
}

// Candidates returns a page of a company's candidates. A search, and a list of those from whom
// a document type is missing, may return fewer than limit, even none, although more follow.
func (s *Store) Candidates(ctx context.Context, company string, f CandidateFilter, after string,
	limit int) ([]dossier.Candidate, string, error) {
	if f.Missing != "" {
		return s.missing(ctx, company, f, after, limit)
	}
	if f.Search != "" || f.ByName {
		return s.searched(ctx, company, f, after, limit)
	}
	items, next, err := s.listByState(ctx, company, listCandidates,
		stateOrder{states: f.Statuses, backward: f.Backward}, after, limit)
	if err != nil {
		return nil, "", err
	}
	all, err := decodeAll[storedCandidate](items)
	list := make([]dossier.Candidate, len(all))
	for n, c := range all {
		list[n] = c.Candidate
	}
	return list, next, err
}
