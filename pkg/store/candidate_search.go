package store

import (
	"context"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// The kinds of search entries of a candidate. That by last name exists for every candidate, and
// also has the candidate's position in the order by name.
var searchKinds = []string{searchByLast, searchByFirst, searchByEmail, searchByExternal}

// maxTerm is the number of characters of a term in an index; the rest is compared after the read.
const maxTerm = 120

// plainLetters replaces letters that have no decomposition by those that people type for them.
var plainLetters = strings.NewReplacer("ß", "ss", "ς", "σ", "ł", "l", "ø", "o", "đ", "d", "ð", "d",
	"þ", "th", "æ", "ae", "œ", "oe", "ı", "i", "ħ", "h", "ŧ", "t")

// Folded returns text as a search compares it: without accents and control characters, in lower
// case, words separated by one blank.
func Folded(text string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r), !unicode.IsGraphic(r) && !unicode.IsSpace(r):
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
	return strings.Join(strings.Fields(plainLetters.Replace(kept)), " ")
}

// searchTerms returns the terms by which a search finds a candidate, by the kind of entry. A term
// that two kinds share is there once; by last name there is always one, which may be empty.
func searchTerms(c dossier.Candidate) map[string]string {
	first, last := Folded(c.FirstName), Folded(c.LastName)
	terms := map[string]string{searchByLast: strings.TrimSpace(last + " " + first)}
	seen := map[string]bool{"": true, terms[searchByLast]: true}
	for _, entry := range []struct{ kind, term string }{
		{searchByFirst, strings.TrimSpace(first + " " + last)},
		{searchByEmail, Folded(c.Email)}, {searchByExternal, Folded(c.ExternalID)},
	} {
		if !seen[entry.term] {
			seen[entry.term], terms[entry.kind] = true, entry.term
		}
	}
	return terms
}

// foundBy returns the first of a candidate's terms, in the order of the index, that begins with a
// folded text. A search shows the candidate at the entry of this term only.
func foundBy(c dossier.Candidate, search string) (term string, ok bool) {
	for _, t := range searchTerms(c) {
		if strings.HasPrefix(t, search) && (!ok || t < term) {
			term, ok = t, true
		}
	}
	return cutTerm(term), ok
}

func cutTerm(term string) string {
	if runes := []rune(term); len(runes) > maxTerm {
		return string(runes[:maxTerm])
	}
	return term
}

// searchFields are the fields of a candidate that search entries are made of.
type searchFields struct{ first, last, email, external string }

func searchFieldsOf(c dossier.Candidate) searchFields {
	return searchFields{c.FirstName, c.LastName, c.Email, c.ExternalID}
}

// index adds the writes of the candidate's search entries if their fields changed, or if the
// candidate has none yet because an earlier version wrote it. Each entry is as it was read.
func (c *candidateTx) index(ctx context.Context) error {
	if c.cand.Erased || c.cand.Searchable && c.indexed == searchFieldsOf(c.cand.Candidate) {
		return nil
	}
	c.cand.Searchable = true
	keys := make([]kv.Key, len(searchKinds))
	for n, kind := range searchKinds {
		keys[n] = c.at.entryKey(kind)
	}
	stored := make([]kv.Item, len(keys))
	if !c.isNew {
		var err error
		if stored, err = c.store.engine.Get(ctx, false, keys...); err != nil {
			return err
		}
	}
	terms := searchTerms(c.cand.Candidate)
	for n, kind := range searchKinds {
		term, wanted := terms[kind]
		if !wanted {
			if stored[n].Rev != 0 {
				c.add(remove(stored[n]))
			}
			continue
		}
		entry, err := c.entry(kind, term, keys[n], stored[n].Rev)
		if err != nil {
			return err
		}
		if entry.ListSort != stored[n].ListSort || entry.LookupSort != stored[n].LookupSort {
			c.add(put(entry))
		}
	}
	return nil
}

// entry makes a search entry: its term is its position.
func (c *candidateTx) entry(kind, term string, key kv.Key, rev int64) (kv.Item, error) {
	i, err := item(key, rev, struct{}{})
	if term != "" {
		i.List, i.ListSort = searchPartition(c.at.company), searchSort(cutTerm(term), c.at.id)
	}
	if kind == searchByLast {
		i.Lookup, i.LookupSort = namePartition(c.at.company), searchSort(cutTerm(term), c.at.id)
	}
	return i, err
}

// searched reads a page of candidates by their search entries: one query of the entries, one read
// of their candidates. A candidate with several entries that fit is shown once, so that a page may
// have fewer than limit, and none at all, although more follow.
func (s *Store) searched(ctx context.Context, company string, f CandidateFilter, after string,
	limit int) ([]dossier.Candidate, string, error) {
	limit = min(limit, maxGet-1)
	q := kv.Query{Index: kv.IndexList, Partition: searchPartition(company), After: after,
		Limit: 2 * limit, Backward: f.Backward, Eventual: true}
	if f.ByName {
		q.Index, q.Partition = kv.IndexLookup, namePartition(company)
	} else {
		q.From, q.To = searchBounds(cutTerm(f.Search))
	}
	page, err := s.engine.Query(ctx, q)
	if err != nil {
		return nil, "", err
	}
	next := page.After
	var keys []kv.Key
	at := map[string]int{} // the position among the keys, by partition
	for n, entry := range page.Items {
		if _, again := at[entry.PK]; again {
			continue
		}
		if len(keys) == limit {
			page.Items, next = page.Items[:n], kv.PlaceOf(q.Index, page.Items[n-1]).Cursor()
			break
		}
		at[entry.PK] = len(keys)
		keys = append(keys, kv.Key{PK: entry.PK, SK: skCandidate})
	}
	items, err := s.engine.Get(ctx, true, append(keys, backfillKey(company))...)
	if err != nil {
		return nil, "", err
	}
	if items[len(keys)].Rev == 0 {
		s.openBackfill(ctx, backfillKey(company))
	}
	list := []dossier.Candidate{}
	for _, entry := range page.Items {
		c, shown, err := f.shows(entry, items[at[entry.PK]])
		if err != nil {
			return nil, "", err
		}
		if shown {
			list = append(list, c)
		}
	}
	return list, next, nil
}

// shows returns the candidate of a search entry, and whether the page shows them at this entry.
func (f CandidateFilter) shows(entry, read kv.Item) (dossier.Candidate, bool, error) {
	if read.Rev == 0 {
		return dossier.Candidate{}, false, nil
	}
	c, err := decode[storedCandidate](read)
	if err != nil || c.Erased {
		return dossier.Candidate{}, false, err
	}
	if f.ByName {
		return c.Candidate, true, nil
	}
	term, found := foundBy(c.Candidate, f.Search)
	at, _ := refOf(read.PK)
	return c.Candidate, found && f.has(c.Status) && entry.ListSort == searchSort(term, at.id), nil
}
