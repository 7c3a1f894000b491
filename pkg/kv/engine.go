package kv

import (
	"context"
	"errors"
	"fmt"
)

// Key addresses one item. PK starts with the company.
type Key struct{ PK, SK string }

// Item is one stored item. Fields holds what conditions compare and what is worth seeing in a
// console; Doc is the rest, as one JSON text. The attributes of an index are set together or not at
// all; an item without them is not in that index.
type Item struct {
	Key
	Rev    int64             // raised by every write of the item, from 1
	Fields map[string]string // no empty values
	Doc    []byte            // JSON
	// index Open: one of the shards of open work, and when it is due
	Open, Due      string
	List, ListSort string // index List: what a company lists, and in which order
	// index Look: the narrower look-up (by state, by event, by integration), and its order
	Lookup, LookupSort string
	// index Group: items that are alike in another way (by type), and their order
	Group, GroupSort string
	Expires          int64 // unix seconds after which the item may vanish; 0 is never
}

// The indexes of the table. Main is the table itself.
const (
	Main        = ""
	IndexOpen   = "open"
	IndexList   = "list"
	IndexLookup = "look"
	IndexGroup  = "group"
)

// Query reads one partition of the table or of an index in the order of its sort key.
type Query struct {
	Index     string // Main or one of the Index constants
	Partition string
	From, To  string // bounds of the sort key, both inclusive; empty is open
	// After continues behind the item with this cursor of an earlier Page; empty starts at the
	// beginning.
	After string
	// Limit bounds the number of items returned; 0 is all of them, in as many requests as that
	// takes.
	Limit    int
	Backward bool // descending
	Eventual bool // eventually consistent, for half the price; an index is never read otherwise
}

// Page is the result of a Query. After is the cursor behind the last item, empty where nothing
// follows.
type Page struct {
	Items []Item
	After string
}

// Condition is the condition of a write on the stored item: everything that is set has to hold.
type Condition struct {
	Absent bool              // no item is stored under the key
	Rev    int64             // the stored item has this Rev; 0 does not ask
	Is     map[string]string // the stored item has these Fields
	// the stored item exists, and each field is missing or has another value
	Not map[string]string
}

// Write is one part of a Commit. Exactly one of Put, Delete and Check is set. A write whose
// Condition asks nothing is refused.
type Write struct {
	Put    *Item
	Delete *Key
	Check  *Key
	If     Condition
}

// Key returns the key the write is about.
func (w Write) Key() Key {
	switch {
	case w.Put != nil:
		return w.Put.Key
	case w.Delete != nil:
		return *w.Delete
	case w.Check != nil:
		return *w.Check
	}
	return Key{}
}

// Engine stores items. Everything the table promises rests on the condition of each write. The
// engine of the standalone process also has Snapshot, Each, Expire, Writable, Verify and Close,
// which pkg/app/standalone uses of package bolt; a process has one engine, chosen when it is
// compiled.
//
// Any method may return ErrUnavailable (wrapped). The outcome of a Commit is then unknown: it may
// have been applied.
type Engine interface {
	// Get returns the items of the keys in their order, in one request; one that does not exist is
	// a zero Item. At most 100 keys. The read is consistent unless eventual.
	Get(ctx context.Context, eventual bool, keys ...Key) ([]Item, error)
	// Query returns a page of one partition.
	Query(ctx context.Context, q Query) (Page, error)
	// Commit does all writes or none. At most 100, each with a key of its own. A condition that
	// does not hold returns a *ConditionFailed.
	Commit(ctx context.Context, writes ...Write) error
}

// ErrUnavailable is a throttle, a conflict that outlasted its retries, or a storage that does not
// respond.
var ErrUnavailable = errors.New("storage is unavailable")

// ConditionFailed says which writes of a Commit did not find what they asked for; nothing was
// written. Failed maps the position of a write to the item stored there, a zero Item where there is
// none.
type ConditionFailed struct{ Failed map[int]Item }

// Error names the positions.
func (e *ConditionFailed) Error() string {
	return fmt.Sprintf("%d conditions of the commit do not hold", len(e.Failed))
}

// Holds reports whether the stored item, zero if there is none, satisfies the condition.
func (c Condition) Holds(stored Item) bool {
	exists := stored.Rev != 0
	if c.Absent && exists || c.Rev != 0 && stored.Rev != c.Rev || len(c.Not) > 0 && !exists {
		return false
	}
	for name, value := range c.Is {
		if got, has := stored.Fields[name]; !has || got != value {
			return false
		}
	}
	for name, value := range c.Not {
		if got, has := stored.Fields[name]; has && got == value {
			return false
		}
	}
	return true
}

// IsZero reports whether the condition is empty.
func (c Condition) IsZero() bool { return !c.Absent && c.Rev == 0 && len(c.Is)+len(c.Not) == 0 }

// CheckWrites returns what is wrong with the form of a Commit: a write without a condition, an
// unset or double key. Every engine calls it first.
func CheckWrites(writes []Write) error {
	if len(writes) == 0 || len(writes) > 100 {
		return fmt.Errorf("a commit has 1 to 100 writes, not %d", len(writes))
	}
	seen := make(map[Key]bool, len(writes))
	for i, w := range writes {
		k := w.Key()
		switch {
		case w.If.IsZero():
			return fmt.Errorf("write %d has no condition", i)
		case k.PK == "" || k.SK == "":
			return fmt.Errorf("write %d has no key", i)
		case seen[k]:
			return fmt.Errorf("write %d has the key of an earlier one", i)
		}
		seen[k] = true
	}
	return nil
}
