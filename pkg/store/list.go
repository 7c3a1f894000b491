package store

import (
	"context"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/kv"
)

// listByState reads a page of a company's list: from one partition of the index List, or, narrowed
// to states, from one partition of the index Lookup each, merged in order; before is the end of an
// order by urgency, or empty. The cursor is that of the last item shown.
func (s *Store) listByState(ctx context.Context, company, list string, states []string,
	before, after string, limit int) ([]kv.Item, string, error) {
	if len(states) == 0 {
		page, err := s.engine.Query(ctx,
			kv.Query{Index: kv.IndexList, Partition: listPartition(company, list), After: after,
				Limit: limit, Eventual: true})
		return page.Items, page.After, err
	}
	var all []kv.Item
	from, to := urgencyBounds(before)
	more := false
	for _, state := range slices.Compact(slices.Sorted(slices.Values(states))) {
		page, err := s.engine.Query(ctx,
			kv.Query{Index: kv.IndexLookup, Partition: lookupPartition(company, list, state),
				From: from, To: to,
				After: after, Limit: limit, Eventual: true})
		if err != nil {
			return nil, "", err
		}
		all, more = append(all, page.Items...), more || page.After != ""
	}
	slices.SortFunc(all, func(a, b kv.Item) int {
		return strings.Compare(a.LookupSort, b.LookupSort)
	})
	if limit > 0 && len(all) > limit {
		all, more = all[:limit], true
	}
	if !more || len(all) == 0 {
		return all, "", nil
	}
	return all, kv.PlaceOf(kv.IndexLookup, all[len(all)-1]).Cursor(), nil
}
