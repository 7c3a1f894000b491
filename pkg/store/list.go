package store

import (
	"context"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/kv"
)

// stateOrder narrows and orders a list.
type stateOrder struct {
	states   []string
	before   string // end of an order by urgency, or empty
	backward bool
}

// listByState reads a page of a company's list: from one partition of the index List, or, narrowed
// to states, from one partition of the index Lookup each, merged in order. The cursor is that
// of the last item shown.
func (s *Store) listByState(ctx context.Context, company, list string, order stateOrder,
	after string, limit int) ([]kv.Item, string, error) {
	if len(order.states) == 0 {
		page, err := s.engine.Query(ctx,
			kv.Query{Index: kv.IndexList, Partition: listPartition(company, list), After: after,
				Limit: limit, Backward: order.backward, Eventual: true})
		return page.Items, page.After, err
	}
	var all []kv.Item
	from, to := urgencyBounds(order.before)
	more := false
	for _, state := range slices.Compact(slices.Sorted(slices.Values(order.states))) {
		page, err := s.engine.Query(ctx,
			kv.Query{Index: kv.IndexLookup, Partition: lookupPartition(company, list, state),
				From: from, To: to,
				After: after, Limit: limit, Backward: order.backward, Eventual: true})
		if err != nil {
			return nil, "", err
		}
		all, more = append(all, page.Items...), more || page.After != ""
	}
	slices.SortFunc(all, func(a, b kv.Item) int {
		if order.backward {
			a, b = b, a
		}
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
