package kv

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The limits of stored items, in bytes. They are DynamoDB's; every engine keeps to them, so that
// what works on one works on all.
const (
	MaxItem      = 400 << 10 // one item, names of its attributes included
	MaxCommit    = 4 << 20   // the items of one Commit together
	maxPartition = 2048
	maxSort      = 1024
)

// ErrTooLarge is an item or a Commit over its bound.
var ErrTooLarge = errors.New("too large to store")

// CheckKeys returns what is wrong with the keys of a Get.
func CheckKeys(keys []Key) error {
	if len(keys) == 0 || len(keys) > 100 {
		return fmt.Errorf("a get has 1 to 100 keys, not %d", len(keys))
	}
	for i, k := range keys {
		if err := checkKey(k); err != nil {
			return fmt.Errorf("key %d: %w", i, err)
		}
	}
	return nil
}

// CheckItems returns what is wrong with the keys and items of a Commit: half an index, text that is
// not UTF-8, too many bytes. Every engine calls it after CheckWrites.
func CheckItems(writes []Write) error {
	total := 0
	for i, w := range writes {
		if err := checkKey(w.Key()); err != nil {
			return fmt.Errorf("write %d: %w", i, err)
		}
		if w.Put == nil {
			continue
		}
		if err := w.Put.check(); err != nil {
			return fmt.Errorf("write %d: %w", i, err)
		}
		total += w.Put.Size()
	}
	if total > MaxCommit {
		return fmt.Errorf("%w: a commit of %d bytes, at most %d", ErrTooLarge, total, MaxCommit)
	}
	return nil
}

// Size returns the bytes the item counts in DynamoDB: names and values of its attributes.
func (i Item) Size() int {
	size := len("pk") + len(i.PK) + len("sk") + len(i.SK) + len("rev") + numberSize(i.Rev)
	for name, value := range i.Fields {
		size += len("f_") + len(name) + len(value)
	}
	if len(i.Doc) > 0 {
		size += len("doc") + len(i.Doc)
	}
	for _, pair := range i.pairs() {
		if pair.partition != "" {
			size += len(pair.names) + len(pair.partition) + len(pair.sort)
		}
	}
	if i.Expires != 0 {
		size += len("ttl") + numberSize(i.Expires)
	}
	return size
}

// pair holds the two attributes of an item in one index; names are those of the attributes, joined.
type pair struct{ names, partition, sort string }

func (i Item) pairs() [4]pair {
	return [4]pair{{"opendue", i.Open, i.Due}, {"listsort", i.List, i.ListSort},
		{"lookrank", i.Lookup, i.LookupSort}, {"groupplace", i.Group, i.GroupSort}}
}

func (i Item) check() error {
	if i.Rev < 1 {
		return fmt.Errorf("rev %d: it starts at 1", i.Rev)
	}
	if i.Expires < 0 {
		return fmt.Errorf("expires at %d: before 1970", i.Expires)
	}
	for _, p := range i.pairs() {
		switch {
		case (p.partition == "") != (p.sort == ""):
			return fmt.Errorf("index attributes %s: one is set without the other", p.names)
		case len(p.partition) > maxPartition || len(p.sort) > maxSort:
			return fmt.Errorf("%w: index attributes %s", ErrTooLarge, p.names)
		case !utf8.ValidString(p.partition) || !utf8.ValidString(p.sort):
			return fmt.Errorf("index attributes %s: not UTF-8", p.names)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.Fields)) {
		value := i.Fields[name]
		if name == "" || value == "" {
			return fmt.Errorf("field %q: a name or value is empty", name)
		}
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return fmt.Errorf("field %q: not UTF-8", name)
		}
	}
	if !utf8.Valid(i.Doc) {
		return errors.New("doc: not UTF-8")
	}
	if size := i.Size(); size > MaxItem {
		return fmt.Errorf("%w: an item of %d bytes, at most %d", ErrTooLarge, size, MaxItem)
	}
	return nil
}

func checkKey(k Key) error {
	switch {
	case k.PK == "" || k.SK == "":
		return errors.New("half the key is empty")
	case len(k.PK) > maxPartition || len(k.SK) > maxSort:
		return fmt.Errorf("%w: the key", ErrTooLarge)
	case !utf8.ValidString(k.PK) || !utf8.ValidString(k.SK):
		return errors.New("the key is not UTF-8")
	}
	return nil
}

// numberSize is one byte for each two digits, and one.
func numberSize(n int64) int { return (len(strconv.FormatInt(n, 10))+1)/2 + 1 }
