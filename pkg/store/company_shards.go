package store

import (
	"context"
	"errors"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// MaxListShards bounds the shards of a company's lists: each is read for a page of them.
const MaxListShards = 128

// SetListShards raises the number of shards over which the lists of a company are spread, for good.
// New entries use them from the moment From on, when every process reads them. Stored entries keep
// their shard until they are written again. NOT_FOUND for a company that does not exist,
// CONFLICT for a number that is smaller than before or above MaxListShards.
func (s *Store) SetListShards(ctx context.Context, company string, count int) (ListShards, error) {
	if _, ok := dossier.ParseID(dossier.PrefixCompany, company, 1); !ok {
		return ListShards{}, dossier.ErrNotFound
	}
	var set ListShards
	err := s.retryOnConflict(ctx, func() error {
		if _, err := s.Company(ctx, company); err != nil {
			return err
		}
		before, read, err := get[ListShards](ctx, s, shardsKey(company))
		if errors.Is(err, dossier.ErrNotFound) {
			before, err = ListShards{Count: 1}, nil
		}
		if err != nil {
			return err
		}
		if count < before.Count || count > MaxListShards {
			return dossier.Errorf(dossier.CodeConflict,
				"The lists of the company have %d shards. The number can only grow, up to %d.",
				before.Count, MaxListShards)
		}
		if set = before; count == before.Count {
			return nil
		}
		now := s.now()
		set = ListShards{Count: count, Before: before.written(now.Time),
			From: later(now, 2*s.cfg.ShardsSeen)}
		i, err := item(shardsKey(company), read.Rev, set)
		if err != nil {
			return err
		}
		return s.commit(ctx, nil, put(i)) // as it was read: the number never shrinks
	})
	return set, err
}
