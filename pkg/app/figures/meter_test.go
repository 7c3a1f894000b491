package figures

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dossierhq/dossier/pkg/kv"
)

// cost holds the units that DynamoDB charges. Index counts the writes in the indexes, beside Write,
// which is the table's.
type cost struct {
	Requests, Write, Index int
	Read                   float64
}

func (c cost) plus(d cost) cost {
	return cost{c.Requests + d.Requests, c.Write + d.Write, c.Index + d.Index, c.Read + d.Read}
}

// String shows the units as the tables of the figures do.
func (c cost) String() string {
	return fmt.Sprintf("%2d requests  %3d WCU (+%d in indexes)  %4.1f RCU", c.Requests, c.Write,
		c.Index, c.Read)
}

// charge is one request to storage.
type charge struct {
	kind  string   // get, query, write or transaction
	index string   // of a query
	items []string // of a write or transaction: what its keys are of, in order
	cost
}

// meter is an engine that notes what DynamoDB charges for each request, computed from the sizes of
// the items. What it has to know beside the request itself it reads from a second engine on the
// same items, which nobody pays for.
type meter struct {
	kv.Engine
	look kv.Engine

	mu   sync.Mutex
	bill []charge
	heat heat // by partition, while it is not nil
}

func (m *meter) note(c charge) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c.Requests = 1
	m.bill = append(m.bill, c)
}

// take returns the bill and starts a new one.
func (m *meter) take() []charge {
	m.mu.Lock()
	defer m.mu.Unlock()
	bill := m.bill
	m.bill = nil
	return bill
}

func total(bill []charge) (sum cost) {
	for _, c := range bill {
		sum = sum.plus(c.cost)
	}
	return sum
}

// Get implements kv.Engine. Every item is rounded up by itself, and one that is not there costs as
// much as the smallest.
func (m *meter) Get(ctx context.Context, eventual bool, keys ...kv.Key) ([]kv.Item, error) {
	items, err := m.Engine.Get(ctx, eventual, keys...)
	c := charge{kind: "get"}
	seen := map[kv.Key]bool{}
	for n, k := range keys {
		if err == nil && !seen[k] {
			units := readUnits(size(items[n]), eventual)
			c.Read += units
			m.warm(kv.Main, k.PK, load{read: units})
		}
		seen[k] = true
	}
	m.note(c)
	return items, err
}

// Query implements kv.Engine. The sizes are added up and then rounded. The engine on DynamoDB reads
// one item more than the limit.
func (m *meter) Query(ctx context.Context, q kv.Query) (kv.Page, error) {
	page, err := m.Engine.Query(ctx, q)
	if err != nil {
		return page, err
	}
	read := page
	if q.Limit > 0 && page.After != "" {
		more := q
		more.Limit++
		if read, err = m.look.Query(ctx, more); err != nil {
			return page, err
		}
	}
	bytes := 0
	for _, i := range read.Items {
		if q.Index == kv.IndexOpen {
			bytes += sizeIn(i, q.Index)
		} else {
			bytes += size(i)
		}
	}
	units := readUnits(bytes, q.Eventual)
	m.note(charge{kind: "query", index: q.Index, cost: cost{Read: units}})
	m.warm(q.Index, q.Partition, load{read: units})
	return page, nil
}

// Commit implements kv.Engine. A write costs as much as the larger of the item before and after, in
// a transaction twice that.
func (m *meter) Commit(ctx context.Context, writes ...kv.Write) error {
	before, err := m.stored(ctx, writes)
	if err != nil {
		return err
	}
	err = m.Engine.Commit(ctx, writes...)
	failed := errors.As(err, new(*kv.ConditionFailed))
	if err != nil && !failed {
		return err
	}
	c, each := charge{kind: "write"}, 1
	if len(writes) > 1 || writes[0].Check != nil {
		c.kind, each = "transaction", 2
	}
	for n, w := range writes {
		var after kv.Item
		if w.Put != nil {
			after = *w.Put
		}
		units := each * writeUnits(max(size(before[n]), size(after)))
		c.Write += units
		m.warm(kv.Main, w.Key().PK, load{write: float64(units)})
		if w.Check == nil && !failed {
			c.Index += indexUnits(before[n], after)
			m.warmIndexes(before[n], after)
		}
		c.items = append(c.items, nameOf(w))
	}
	m.note(c)
	return err
}

func (m *meter) stored(ctx context.Context, writes []kv.Write) ([]kv.Item, error) {
	keys := make([]kv.Key, len(writes))
	for n, w := range writes {
		keys[n] = w.Key()
	}
	return m.look.Get(ctx, false, keys...)
}

// nameOf says what a write is about: the kind of its item, and a sign for what is not a put.
func nameOf(w kv.Write) string {
	k := w.Key()
	name, _, _ := strings.Cut(strings.TrimPrefix(
		strings.TrimPrefix(strings.TrimPrefix(k.SK, "A#"), "B#"), "C#"), "#")
	if _, kind, _ := strings.Cut(k.PK, "#"); !strings.HasPrefix(kind, "CAND#") ||
		strings.HasSuffix(kind, "#MSG") {
		name = kind[strings.LastIndex(kind, "#")+1:]
	}
	switch {
	case w.Delete != nil:
		return "-" + name
	case w.Check != nil:
		return "?" + name
	}
	return name
}

func readUnits(bytes int, eventual bool) float64 {
	units := float64(max(1, (bytes+4095)/4096))
	if eventual {
		return units / 2
	}
	return units
}

func writeUnits(bytes int) int { return max(1, (bytes+1023)/1024) }

// attributes are an item's as the engine stores them, with the size of each value.
func attributes(i kv.Item) map[string]int {
	a := map[string]int{}
	for name, value := range map[string]string{"pk": i.PK, "sk": i.SK, "doc": string(i.Doc),
		"open": i.Open, "due": i.Due,
		"list": i.List, "sort": i.ListSort, "look": i.Lookup, "rank": i.LookupSort,
		"group": i.Group, "place": i.GroupSort} {
		if value != "" {
			a[name] = len(value)
		}
	}
	for name, value := range i.Fields {
		a["f_"+name] = len(value)
	}
	if i.Rev != 0 {
		a["rev"] = sizeOfNumber(i.Rev)
	}
	if i.Expires != 0 {
		a["ttl"] = sizeOfNumber(i.Expires)
	}
	return a
}

// sizeOfNumber is a byte for two digits, zeros at the end left out, and one more.
func sizeOfNumber(n int64) int {
	return (len(strings.TrimRight(strconv.FormatInt(n, 10), "0"))+1)/2 + 1
}

func size(i kv.Item) int {
	sum := 0
	for name, bytes := range attributes(i) {
		sum += len(name) + bytes
	}
	return sum
}

// indexes are the keys of the indexes; open and group hold nothing else, the others hold whole
// items.
var indexes = map[string][2]string{kv.IndexOpen: {"open", "due"}, kv.IndexList: {"list", "sort"},
	kv.IndexLookup: {"look", "rank"}, kv.IndexGroup: {"group", "place"}}

// sizeIn is the size of an item in an index, 0 where it is not in it.
func sizeIn(i kv.Item, index string) int {
	a := attributes(i)
	if a[index] == 0 {
		return 0
	}
	if !keysOnly(index) {
		return size(i)
	}
	sum := 0
	for _, name := range []string{"pk", "sk", indexes[index][0], indexes[index][1]} {
		sum += len(name) + a[name]
	}
	return sum
}

// indexUnits returns the units of a write in the indexes: nothing where the index does not hold
// what changed, twice where the item moves in it.
func indexUnits(before, after kv.Item) (units int) {
	for index := range indexes {
		from, to := sizeIn(before, index), sizeIn(after, index)
		switch stays := placeIn(before, index) == placeIn(after, index); {
		case from == 0 && to == 0, stays && keysOnly(index):
		case stays:
			units += writeUnits(max(from, to))
		default:
			for _, bytes := range []int{from, to} {
				if bytes > 0 {
					units += writeUnits(bytes)
				}
			}
		}
	}
	return units
}

func placeIn(i kv.Item, index string) [2]string {
	return map[string][2]string{kv.IndexOpen: {i.Open, i.Due}, kv.IndexList: {i.List, i.ListSort},
		kv.IndexLookup: {i.Lookup, i.LookupSort}, kv.IndexGroup: {i.Group, i.GroupSort}}[index]
}

func keysOnly(index string) bool { return index == kv.IndexOpen || index == kv.IndexGroup }

// written counts what the writes of a bill are about.
func written(bill []charge) string {
	count := map[string]int{}
	for _, c := range bill {
		for _, name := range c.items {
			count[name]++
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if count[name] > 1 {
			name = strconv.Itoa(count[name]) + " " + name
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}
