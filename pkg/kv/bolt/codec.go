package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dossierhq/dossier/pkg/kv"
)

// The first byte of each stored item: whether it is in the index Group, which came later.
const (
	version      = 1
	groupVersion = 2
)

// encode writes what the key does not say: numbers as varints, texts behind their length, the
// document last.
func encode(i *kv.Item) []byte {
	b := make([]byte, 0, 64+len(i.Doc)+32*len(i.Fields))
	first, places := byte(version), placesOf(i)
	if i.Group == "" && i.GroupSort == "" {
		places = places[:ungrouped]
	} else {
		first = groupVersion
	}
	b = append(b, first)
	b = binary.AppendVarint(b, i.Rev)
	b = binary.AppendVarint(b, i.Expires)
	for _, s := range places {
		b = appendSized(b, *s)
	}
	b = binary.AppendUvarint(b, uint64(len(i.Fields)))
	for _, name := range slices.Sorted(maps.Keys(i.Fields)) {
		b = appendSized(appendSized(b, name), i.Fields[name])
	}
	return append(b, i.Doc...)
}

// placesOf returns the index attributes of an item, those of the index Group last.
func placesOf(i *kv.Item) []*string {
	return []*string{&i.Open, &i.Due, &i.List, &i.ListSort, &i.Lookup, &i.LookupSort, &i.Group,
		&i.GroupSort}
}

// ungrouped is the number of index attributes of an item that is not in the index Group.
const ungrouped = 6

func appendSized(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decode is the inverse of encode. The item shares no memory with b, which bbolt takes back with
// the transaction.
func decode(k kv.Key, b []byte) (kv.Item, error) {
	if len(b) == 0 || b[0] != version && b[0] != groupVersion {
		return kv.Item{}, errors.New("a stored item of another version")
	}
	r := reader{rest: b[1:]}
	i := kv.Item{Key: k, Rev: r.number(), Expires: r.number()}
	places := placesOf(&i)
	if b[0] == version {
		places = places[:ungrouped]
	}
	for _, s := range places {
		*s = r.text()
	}
	if n := r.size(); n > 0 {
		i.Fields = make(map[string]string, n)
		for range n {
			name := r.text()
			i.Fields[name] = r.text()
		}
	}
	if r.short {
		return kv.Item{}, fmt.Errorf("a stored item of %d bytes ends too early", len(b))
	}
	if len(r.rest) > 0 {
		i.Doc = slices.Clone(r.rest)
	}
	return i, nil
}

// reader takes values off the front of rest; short is set when there was too little.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) number() int64 {
	n, used := binary.Varint(r.rest)
	if used <= 0 {
		r.short, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[used:]
	return n
}

// size is a length or a count: never more than there are bytes left.
func (r *reader) size() int {
	n, used := binary.Uvarint(r.rest)
	if used <= 0 || n > uint64(len(r.rest)-used) {
		r.short, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[used:]
	return int(n)
}

func (r *reader) text() string {
	n := r.size()
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}
