package bolt

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/google/go-cmp/cmp"
)

// FuzzKey makes sure that keys sort as the lists of their texts do, and that texts come back.
func FuzzKey(f *testing.F) {
	for _, seed := range [][4]string{{"a", "b", "a", "c"}, {"a", "\x00b", "a\x00", "b"},
		{"\x00", "\x01", "\x00\x01", ""}, {"a", "", "a\xff", "\x00\xff"}} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		one, other := kv.Key{PK: a, SK: b}, kv.Key{PK: c, SK: d}
		if got, want := bytes.Compare(itemKey(one), itemKey(other)),
			slices.Compare([]string{a, b}, []string{c, d}); got != want {
			t.Errorf("%q and %q compare as %d, want %d", one, other, got, want)
		}
		if got, err := splitItemKey(itemKey(one)); err != nil || got != one {
			t.Errorf("%q came back as %q, %v", one, got, err)
		}
	})
}

// FuzzDecode makes sure that no bytes break the decoder, and that what it understands comes back
// the same.
func FuzzDecode(f *testing.F) {
	whole := kv.Item{
		Rev: 3, Fields: map[string]string{"a": "b", "ü": "日本"}, Doc: []byte("{}"), Open: "o",
		Due: "d", List: "l", ListSort: "s", Lookup: "k", LookupSort: "r",
		Expires: 2_000_000_000,
	}
	f.Add(encode(&whole))
	whole.Group, whole.GroupSort = "g", "p"
	f.Add(encode(&whole))
	f.Add(encode(&kv.Item{}))
	f.Add([]byte{version, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		item, err := decode(kv.Key{PK: "p", SK: "s"}, b)
		if err != nil {
			return
		}
		again, err := decode(item.Key, encode(&item))
		if diff := cmp.Diff(item, again); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	i := kv.Item{Rev: 3, Fields: map[string]string{"state": "processing", "token": "12"},
		Doc: bytes.Repeat([]byte("x"), 900), List: "company#list", ListSort: "1"}
	stored := encode(&i)
	for b.Loop() {
		if _, err := decode(i.Key, stored); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(stored)), "bytes/item")
}
