package kv

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Place is the position of an item in a partition of the table or of an index: its sort key there,
// then its own key.
type Place struct {
	Sort string
	Key
}

// PlaceOf returns the place of the item in the table (Main) or in an index; Sort is empty for an
// index it is not in.
func PlaceOf(index string, i Item) Place {
	switch index {
	case IndexOpen:
		return Place{i.Due, i.Key}
	case IndexList:
		return Place{i.ListSort, i.Key}
	case IndexLookup:
		return Place{i.LookupSort, i.Key}
	case IndexGroup:
		return Place{i.GroupSort, i.Key}
	}
	return Place{i.SK, i.Key}
}

// PartitionOf returns the partition of the item in the table (Main) or in an index; it is empty for
// an index that the item is not in.
func PartitionOf(index string, i Item) string {
	switch index {
	case IndexOpen:
		return i.Open
	case IndexList:
		return i.List
	case IndexLookup:
		return i.Lookup
	case IndexGroup:
		return i.Group
	}
	return i.PK
}

// KeysOnly returns of an item what a query of an index reads: the whole item, but of the indexes
// Open and Group its keys only.
func KeysOnly(index string, i Item) Item {
	switch index {
	case IndexOpen:
		return Item{Key: i.Key, Open: i.Open, Due: i.Due}
	case IndexGroup:
		return Item{Key: i.Key, Group: i.Group, GroupSort: i.GroupSort}
	}
	return i
}

// Cursor returns the opaque text for the place, for Page.After and Query.After. It is the same in
// every engine.
func (p Place) Cursor() string {
	var b []byte
	for _, s := range []string{p.Sort, p.PK, p.SK} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ErrCursor is returned for text that Place.Cursor did not make.
var ErrCursor = errors.New("the cursor is not one of this list")

// ParseCursor is the inverse of Cursor. Any other text returns ErrCursor.
func ParseCursor(text string) (Place, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return Place{}, ErrCursor
	}
	var parts [3]string
	for i := range parts {
		n, used := binary.Uvarint(b)
		if used <= 0 || n > uint64(len(b)-used) {
			return Place{}, ErrCursor
		}
		parts[i], b = string(b[used:used+int(n)]), b[used+int(n):]
	}
	p := Place{parts[0], Key{parts[1], parts[2]}}
	if len(b) > 0 || checkKey(p.Key) != nil || checkKey(Key{p.PK, p.Sort}) != nil {
		return Place{}, ErrCursor
	}
	return p, nil
}

// Check returns what is wrong with the form of the query: no partition, an index that does not
// exist, a limit below zero, bounds that no key can have. Every engine calls it first.
func (q Query) Check() error {
	switch q.Index {
	case Main, IndexOpen, IndexList, IndexLookup, IndexGroup:
	default:
		return fmt.Errorf("index %q does not exist", q.Index)
	}
	if q.Partition == "" || q.Limit < 0 {
		return fmt.Errorf("a query needs a partition and a limit of at least 0, not %q and %d",
			q.Partition, q.Limit)
	}
	if len(q.Partition) > maxPartition || len(q.From) > maxSort || len(q.To) > maxSort {
		return fmt.Errorf("%w: the partition or a bound of a query", ErrTooLarge)
	}
	if !utf8.ValidString(q.Partition + q.From + q.To) {
		return errors.New("the partition or a bound of a query is not UTF-8")
	}
	return nil
}
