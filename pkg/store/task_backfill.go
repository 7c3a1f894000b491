package store

import (
	"context"
	"errors"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// A backfill reads a company's candidates page by page, and up to backfillPages in one sweep, so
// that the tasks behind it are not held up.
const (
	backfillPage  = 50
	backfillPages = 20
)

// storedBackfill is the task that brings what an earlier version wrote of a company up to date, and
// once it is done the mark that all of it is.
type storedBackfill struct {
	After  string       `json:"after,omitzero"` // cursor of the list that it goes through
	DoneAt dossier.Time `json:"doneAt,omitzero"`
}

// openBackfill opens a task for a company that has none. What fails here is repeated by the next
// list.
func (s *Store) openBackfill(ctx context.Context, key kv.Key) {
	i, err := item(key, 0, storedBackfill{})
	if err == nil {
		_ = s.engine.Commit(ctx, put(withDue(i, s.now()))) // absent: another list opened it
	}
}

// Backfill works on a TaskBackfill: it gives search entries to candidates whom an earlier version
// wrote, or lists their document types by type. It ends after some pages; a later sweep continues.
func (s *Store) Backfill(ctx context.Context, e Task) error {
	company, ok := backfillCompany(e.Key())
	if !ok || e.Kind != TaskBackfill {
		return nil
	}
	for range backfillPages {
		if more, err := s.backfill(ctx, company, e.Key()); err != nil || !more {
			return err
		}
	}
	return nil
}

// backfill does one page. A condition that fails on the task means that another sweep did the page.
func (s *Store) backfill(ctx context.Context, company string, key kv.Key) (more bool, err error) {
	b, read, err := get[storedBackfill](ctx, s, key)
	if errors.Is(err, dossier.ErrNotFound) || err == nil && read.Open == "" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	list, bring := listCandidates, s.makeSearchable
	if key.SK == skBackfillT {
		list, bring = listCDTs, s.listByType
	}
	page, err := s.engine.Query(ctx,
		kv.Query{Index: kv.IndexList, Partition: listPartition(company, list),
			After: b.After, Limit: backfillPage, Eventual: true})
	if err != nil {
		return false, err
	}
	for _, i := range page.Items {
		if err := bring(ctx, i); err != nil {
			return false, err
		}
	}
	b.After = page.After
	if b.After == "" {
		b.DoneAt = s.now()
	}
	next, err := item(read.Key, read.Rev, b)
	if err != nil {
		return false, err
	}
	if b.After != "" {
		next = withDue(next, s.now())
	}
	err = s.commit(ctx, nil, put(next))
	if _, ok := errors.AsType[*kv.ConditionFailed](err); ok {
		return false, nil
	}
	return b.After != "", err
}

// makeSearchable writes the search entries of a candidate and nothing else: it reports no event,
// and the candidate does not count as updated.
func (s *Store) makeSearchable(ctx context.Context, old kv.Item) error {
	at, ok := refOf(old.PK)
	if c, err := decode[storedCandidate](old); err != nil || !ok || c.Searchable {
		return err
	}
	return s.retryOnConflict(ctx, func() error {
		stored, read, err := s.readCandidate(ctx, at)
		if errors.Is(err, dossier.ErrNotFound) || err == nil && stored.Searchable {
			return nil
		}
		if err != nil {
			return err
		}
		c := s.newCandidateTx(at, stored, read, causeOf(ctx))
		if err := c.index(ctx); err != nil {
			return err
		}
		i, err := item(read.Key, read.Rev, c.cand)
		if err != nil {
			return err
		}
		read.Doc, read.Rev = i.Doc, i.Rev
		return s.commit(ctx, nil, append(c.writes, put(read))...)
	})
}
