package kvtest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dossierhq/dossier/pkg/kv"
)

// Memory is a kv.Engine in maps: the contract without a disk, for the many runs of a test that are
// thrown away.
type Memory struct {
	mu      sync.Mutex
	items   map[kv.Key]kv.Item
	indexes map[string]map[string][]kv.Place // by index and partition, sorted
}

// NewMemory returns an empty engine.
func NewMemory() *Memory {
	m := &Memory{items: map[kv.Key]kv.Item{}, indexes: map[string]map[string][]kv.Place{}}
	for _, index := range []string{kv.Main, kv.IndexOpen, kv.IndexList, kv.IndexLookup,
		kv.IndexGroup} {
		m.indexes[index] = map[string][]kv.Place{}
	}
	return m
}

// Get implements kv.Engine.
func (m *Memory) Get(ctx context.Context, _ bool, keys ...kv.Key) ([]kv.Item, error) {
	if err := kv.CheckKeys(keys); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	items := make([]kv.Item, len(keys))
	for n, k := range keys {
		items[n] = copied(m.items[k])
	}
	return items, nil
}

func copied(i kv.Item) kv.Item {
	i.Fields, i.Doc = maps.Clone(i.Fields), bytes.Clone(i.Doc)
	return i
}

// Query implements kv.Engine. What the index of open work holds of an item is its key.
func (m *Memory) Query(ctx context.Context, q kv.Query) (kv.Page, error) {
	if err := q.Check(); err != nil {
		return kv.Page{}, err
	}
	if err := ctx.Err(); err != nil {
		return kv.Page{}, fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	places, err := m.within(q)
	if err != nil {
		return kv.Page{}, err
	}
	var page kv.Page
	for n, p := range places {
		if q.Limit > 0 && n == q.Limit {
			page.After = places[n-1].Cursor()
			break
		}
		page.Items = append(page.Items, kv.KeysOnly(q.Index, copied(m.items[p.Key])))
	}
	return page, nil
}

// within returns the places of a query in its order, without the limit.
func (m *Memory) within(q kv.Query) ([]kv.Place, error) {
	all := m.indexes[q.Index][q.Partition]
	from, to := 0, len(all)
	if q.From != "" {
		from, _ = slices.BinarySearchFunc(all, q.From, func(p kv.Place, s string) int {
			return strings.Compare(p.Sort, s)
		})
	}
	if q.To != "" {
		to, _ = slices.BinarySearchFunc(all, q.To, func(p kv.Place, s string) int {
			if p.Sort <= s {
				return -1
			}
			return 1
		})
	}
	if q.After != "" {
		place, err := kv.ParseCursor(q.After)
		if err != nil {
			return nil, err
		}
		at, found := slices.BinarySearchFunc(all, place, comparePlaces)
		if q.Backward {
			to = min(to, at)
		} else {
			if found {
				at++
			}
			from = max(from, at)
		}
	}
	if from >= to {
		return nil, nil
	}
	places := slices.Clone(all[from:to])
	if q.Backward {
		slices.Reverse(places)
	}
	return places, nil
}

func comparePlaces(a, b kv.Place) int {
	if c := strings.Compare(a.Sort, b.Sort); c != 0 {
		return c
	}
	if c := strings.Compare(a.PK, b.PK); c != 0 {
		return c
	}
	return strings.Compare(a.SK, b.SK)
}

// Commit implements kv.Engine.
func (m *Memory) Commit(ctx context.Context, writes ...kv.Write) error {
	return m.CommitIf(ctx, func(_ int, w kv.Write, stored kv.Item) bool {
		return w.If.Holds(stored)
	}, writes)
}

// CommitIf writes everything if each write is allowed, whatever its condition says.
func (m *Memory) CommitIf(ctx context.Context, allowed func(n int, w kv.Write, stored kv.Item) bool,
	writes []kv.Write) error {
	if err := kv.CheckWrites(writes); err != nil {
		return err
	}
	if err := kv.CheckItems(writes); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	failed := map[int]kv.Item{}
	for n, w := range writes {
		if stored := m.items[w.Key()]; !allowed(n, w, stored) {
			failed[n] = copied(stored)
		}
	}
	if len(failed) > 0 {
		return &kv.ConditionFailed{Failed: failed}
	}
	m.apply(writes)
	return nil
}

func (m *Memory) apply(writes []kv.Write) {
	for _, w := range writes {
		if w.Check != nil {
			continue
		}
		if old, there := m.items[w.Key()]; there {
			m.index(old, false)
			delete(m.items, w.Key())
		}
		if w.Put != nil {
			m.items[w.Put.Key] = copied(*w.Put)
			m.index(*w.Put, true)
		}
	}
}

// index adds the item to the order of its partition and of each index it is in, or takes it away.
func (m *Memory) index(i kv.Item, add bool) {
	for index, partitions := range m.indexes {
		partition := kv.PartitionOf(index, i)
		if partition == "" {
			continue
		}
		place := kv.PlaceOf(index, i)
		at, _ := slices.BinarySearchFunc(partitions[partition], place, comparePlaces)
		if add {
			partitions[partition] = slices.Insert(partitions[partition], at, place)
		} else {
			partitions[partition] = slices.Delete(partitions[partition], at, at+1)
		}
	}
}
