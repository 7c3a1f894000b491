package store

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// sharded is the Engine of a Store. It spreads the lists of a company over the number of shards
// that the company has, and merges them when they are read; it spreads open tasks over the shards
// of the installation. With the least numbers, requests pass as they are. All entries of a
// candidate have the same shard.
type sharded struct {
	kv.Engine
	now      func() time.Time
	seen     time.Duration
	open     int // shards of open tasks
	parallel func(n int, do func(n int))

	mu    sync.Mutex
	known map[string]knownShards // by company
}

// knownShards is a number of shards as it was read at a moment.
type knownShards struct {
	ListShards
	at time.Time
}

// maxKnownShards bounds the companies whose numbers are remembered.
const maxKnownShards = 10_000

// ListShards is the number of shards over which a company's lists are spread: those of candidates,
// of candidate document types, of the logs, of rule runs and of unread messages.
type ListShards struct {
	Count  int          `json:"count"`           // read by merging
	Before int          `json:"before,omitzero"` // new entries use so many until From
	From   dossier.Time `json:"from,omitzero"`
}

// written returns the number of shards that new entries use.
func (l ListShards) written(now time.Time) int {
	if now.Before(l.From.Time) {
		return max(1, l.Before)
	}
	return l.Count
}

// shards returns the number of shards of a company, at most e.seen old.
func (e *sharded) shards(ctx context.Context, company string) (ListShards, error) {
	now := e.now()
	e.mu.Lock()
	k, ok := e.known[company]
	e.mu.Unlock()
	if age := now.Sub(k.at); ok && age >= 0 && age < e.seen {
		return k.ListShards, nil
	}
	items, err := e.Engine.Get(ctx, true, shardsKey(company))
	if err != nil {
		return ListShards{}, err
	}
	k = knownShards{ListShards{Count: 1}, now}
	if items[0].Rev != 0 {
		if k.ListShards, err = decode[ListShards](items[0]); err != nil {
			return ListShards{}, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.known) >= maxKnownShards {
		clear(e.known)
	}
	e.known[company] = k
	return k.ListShards, nil
}

// Commit implements kv.Engine.
func (e *sharded) Commit(ctx context.Context, writes ...kv.Write) error {
	placed := make([]kv.Write, len(writes))
	counts := map[string]int{} // by company: what one commit writes is listed in one shard
	for n, w := range writes {
		if w.Put != nil {
			put := *w.Put
			if put.Open != "" && e.open > openShards {
				put.Open = shardName(shardOf(put.PK, e.open))
			}
			for _, partition := range []*string{&put.List, &put.Lookup, &put.Group} {
				company, ok := shardedList(*partition)
				if !ok {
					continue
				}
				if counts[company] == 0 {
					shards, err := e.shards(ctx, company)
					if err != nil {
						return err
					}
					counts[company] = shards.written(e.now())
				}
				if count := counts[company]; count > 1 {
					*partition = shardPartition(*partition, shardOf(put.PK, count))
				}
			}
			w.Put = &put
		}
		placed[n] = w
	}
	return e.Engine.Commit(ctx, placed...)
}

// Query implements kv.Engine.
func (e *sharded) Query(ctx context.Context, q kv.Query) (kv.Page, error) {
	company, ok := shardedList(q.Partition)
	if !ok || q.Index == kv.Main {
		return e.Engine.Query(ctx, q)
	}
	shards, err := e.shards(ctx, company)
	if err != nil {
		return kv.Page{}, err
	}
	if shards.Count == 1 {
		return e.Engine.Query(ctx, q)
	}
	return e.merged(ctx, q, shards.Count)
}

// shardReader reads one shard of a list, some entries at a time.
type shardReader struct {
	q     kv.Query
	items []kv.Item // read and not yet merged
	more  bool      // others follow
	err   error
}

func (r *shardReader) read(ctx context.Context, e kv.Engine) {
	page, err := e.Query(ctx, r.q)
	r.items, r.more, r.q.After, r.err = page.Items, page.After != "", page.After, err
}

// merged reads a page of a list in the order of its sort keys. A cursor is a position among them,
// the same in every shard: it holds although the number of shards grows. An entry that moves to
// another shard meanwhile is shown once.
func (e *sharded) merged(ctx context.Context, q kv.Query, count int) (kv.Page, error) {
	readers := make([]shardReader, count)
	for n := range readers {
		readers[n] = shardReader{q: q, more: true}
		readers[n].q.Partition = shardPartition(q.Partition, n)
		if q.Limit > 0 { // half as much again as its share, so that most pages need no second read
			readers[n].q.Limit = min(q.Limit, (3*q.Limit+2*count-1)/(2*count)+1)
		}
	}
	var page kv.Page
	for {
		next, err := e.next(ctx, readers, q)
		if err != nil || next == nil {
			page.After = ""
			return page, err
		}
		first := next.items[0]
		if n := len(page.Items); n > 0 && page.Items[n-1].Key == first.Key {
			next.items = next.items[1:]
			continue
		}
		if q.Limit > 0 && len(page.Items) == q.Limit {
			page.After = kv.PlaceOf(q.Index, page.Items[q.Limit-1]).Cursor()
			return page, nil
		}
		page.Items, next.items = append(page.Items, first), next.items[1:]
	}
}

// next returns the reader with the next entry of the list, nil behind the last one. It reads from
// all shards at once of which it has no entry.
func (e *sharded) next(ctx context.Context, readers []shardReader,
	q kv.Query) (next *shardReader, err error) {
	var empty []*shardReader
	for n := range readers {
		if r := &readers[n]; len(r.items) == 0 && r.more {
			empty = append(empty, r)
		}
	}
	if len(empty) > 0 {
		e.parallel(len(empty), func(n int) { empty[n].read(ctx, e.Engine) })
	}
	for n := range readers {
		r := &readers[n]
		err = errors.Join(err, r.err)
		if len(r.items) > 0 && (next == nil || precedes(q, r.items[0], next.items[0])) {
			next = r
		}
	}
	return next, err
}

// precedes reports whether a is before b in the order of the query.
func precedes(q kv.Query, a, b kv.Item) bool {
	x, y := kv.PlaceOf(q.Index, a), kv.PlaceOf(q.Index, b)
	order := cmp.Or(strings.Compare(x.Sort, y.Sort), strings.Compare(x.PK, y.PK),
		strings.Compare(x.SK, y.SK))
	return order < 0 != q.Backward && order != 0
}

// inGoroutines calls do with each number below n, in a goroutine each, and waits for all.
func inGoroutines(n int, do func(n int)) {
	var running sync.WaitGroup
	for k := range n {
		running.Go(func() { do(k) })
	}
	running.Wait()
}
