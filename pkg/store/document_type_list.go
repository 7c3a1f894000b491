package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// requestsOfType reads a page of the candidate document types of one document type: those that are
// missing first, by state, the most urgent of a state first. It takes one query, of each state that
// is asked for, and one read. What has changed since the index was written is left out, so that a
// page may have fewer than limit although more follow.
func (s *Store) requestsOfType(ctx context.Context, company string, f RequestFilter, after string,
	limit int) (stored []storedCDT, dt storedType, next string, err error) {
	id, ok := dossier.ParseDocumentTypeID(f.DocumentTypeID)
	if !ok {
		return nil, dt, "", nil
	}
	limit = min(limit, maxGet-2)
	entries, next, err := s.typeEntries(ctx, company, id, f, after, limit)
	if err != nil {
		return nil, dt, "", err
	}
	keys := []kv.Key{typeBackfillKey(company), typeKey(company, id)}
	entries = slices.DeleteFunc(entries, func(i kv.Item) bool {
		_, isEntry := entryOf(i.Key)
		return isEntry && hidesEntries(f.States)
	})
	for _, entry := range entries {
		key, isEntry := entryOf(entry.Key)
		if !isEntry {
			key = entry.Key
		}
		keys = append(keys, key)
	}
	items, err := s.engine.Get(ctx, true, keys...)
	if err != nil {
		return nil, dt, "", err
	}
	if items[0].Rev == 0 {
		s.openBackfill(ctx, typeBackfillKey(company))
	}
	if items[1].Rev != 0 {
		if dt, err = decode[storedType](items[1]); err != nil {
			return nil, dt, "", err
		}
	}
	for n, i := range items[2:] {
		if i.Rev == 0 || i.Group == "" { // erased
			continue
		}
		r, err := decode[storedCDT](i)
		if err != nil {
			return nil, dt, "", err
		}
		// In another place by now, another page shows it.
		at := i.GroupSort
		if r.InForce != nil && i.Key != entries[n].Key {
			at = typeSort(r.State, r.urgency(), r.ID)
		}
		if at == entries[n].GroupSort {
			stored = append(stored, r)
		}
	}
	return stored, dt, next, nil
}

// typeEntries reads a page of the index: the whole partition of a document type, or of it the
// states that are asked for, one after the other.
func (s *Store) typeEntries(ctx context.Context, company string, dt dossier.DocumentTypeID,
	f RequestFilter, after string, limit int) (entries []kv.Item, next string, err error) {
	spans := []typeSpan{{}}
	if len(f.States) > 0 {
		spans = typeSpans(f.States, f.before())
	}
	for n, span := range spans {
		page, err := s.engine.Query(ctx,
			kv.Query{Index: kv.IndexGroup, Partition: typePartition(company, dt), From: span.from,
				To: span.to, After: after, Limit: limit - len(entries), Backward: f.Backward,
				Eventual: true})
		if err != nil {
			return nil, "", err
		}
		entries = append(entries, page.Items...)
		if page.After != "" {
			return entries, page.After, nil
		}
		if len(entries) == limit && n+1 < len(spans) {
			return entries, kv.PlaceOf(kv.IndexGroup, entries[limit-1]).Cursor(), nil
		}
	}
	return entries, "", nil
}

// missing reads a page of the candidates from whom a document type is missing: one query of the
// index and one read of the candidates. Whoever is not asked for it any more, or is not in the
// states that are asked for, is left out.
func (s *Store) missing(ctx context.Context, company string, f CandidateFilter, after string,
	limit int) ([]dossier.Candidate, string, error) {
	list := []dossier.Candidate{}
	dt, ok := dossier.ParseDocumentTypeID(f.Missing)
	if !ok {
		return list, "", nil
	}
	from, to := missingBounds()
	page, err := s.engine.Query(ctx,
		kv.Query{Index: kv.IndexGroup, Partition: typePartition(company, dt), From: from, To: to,
			After: after, Limit: min(limit, maxGet-1), Eventual: true})
	if err != nil {
		return nil, "", err
	}
	keys := []kv.Key{typeBackfillKey(company)}
	for _, entry := range page.Items {
		keys = append(keys, kv.Key{PK: entry.PK, SK: skCandidate})
	}
	items, err := s.engine.Get(ctx, true, keys...)
	if err != nil {
		return nil, "", err
	}
	if items[0].Rev == 0 {
		s.openBackfill(ctx, typeBackfillKey(company))
	}
	for _, i := range items[1:] {
		if i.Rev == 0 {
			continue
		}
		c, err := decode[storedCandidate](i)
		if err != nil {
			return nil, "", err
		}
		asked, is := c.Requested[dt.ULID()]
		if !c.Erased && is && dossier.Missing(asked.State) && f.has(c.Status) {
			list = append(list, c.Candidate)
		}
	}
	return list, page.After, nil
}

// listed puts a candidate document type into its lists.
func listed(i kv.Item, company string, r *storedCDT) kv.Item {
	i.List, i.ListSort = listPartition(company, listCDTs), cdtSort(r.ID)
	state, urgency := r.State, r.urgency()
	if r.InForce != nil {
		state, urgency = dossier.StateValidated, cmp.Or(r.InForce.ExpiresOn, last)
	}
	i.Lookup, i.LookupSort = lookupPartition(company, listCDTs, state), urgencySort(urgency, r.ID)
	i.Group, i.GroupSort = typePartition(company, r.ID.DocumentType()),
		typeSort(state, urgency, r.ID)
	return i
}

// listByType puts a candidate document type that an earlier version wrote into the list of its
// document type, and changes nothing else.
func (s *Store) listByType(ctx context.Context, old kv.Item) error {
	at, ok := refOf(old.PK)
	if !ok || old.Group != "" {
		return nil
	}
	return s.retryOnConflict(ctx, func() error {
		items, err := s.engine.Get(ctx, false, old.Key)
		if err != nil {
			return err
		}
		i := items[0]
		if i.Rev == 0 || i.Group != "" || i.List == "" { // gone, written since, or erased
			return nil
		}
		r, err := decode[storedCDT](i)
		if err != nil {
			return err
		}
		i.Rev++
		return s.commit(ctx, nil, put(listed(i, at.company, &r)))
	})
}

// typeSpan is a range of positions in the list of a document type.
type typeSpan struct{ from, to string }

// typeSpans returns the ranges of states, in the order of the list.
func typeSpans(states []string, before string) []typeSpan {
	spans := make([]typeSpan, len(states))
	for n, state := range states {
		spans[n].from, spans[n].to = typeBounds(state, before)
	}
	slices.SortFunc(spans, func(a, b typeSpan) int { return strings.Compare(a.from, b.from) })
	return slices.Compact(spans)
}
