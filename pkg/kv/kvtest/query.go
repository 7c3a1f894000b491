package kvtest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
)

// sortKeys are in the order of their UTF-8 bytes, which is neither that of UTF-16 nor an
// alphabet's.
var sortKeys = []string{
	"\x00", "\x00\x00", "\x00\x01", "\x01", "\t", " ", "#", "0", "00", "10", "9", "A", "A#", "A#1",
	"A\u0000", "Z", "a", "a\x00b", "a b", "aa", "b",
	"z", "~", "\x7f", "é", "ß", "Ж", "日", "\ue000", "\uffff", "🚚", "\U0010ffff",
}

// sorted returns the sort keys in the order of their bytes.
func sorted() []string { return slices.Sorted(slices.Values(sortKeys)) }

var queries = map[string]func(*testing.T, suite){
	"QueryOKOrder": func(t *testing.T, s suite) {
		want := sorted()
		for n := range want { // put in another order
			s.put(t, s.item(want[(n*7)%len(want)]))
		}
		s.orderly(t, kv.Query{Partition: s.own}, want)
	},
	"QueryOKIndexOrder": func(t *testing.T, s suite) {
		want := sorted()
		for n := range want {
			i := s.full(want[(n*7)%len(want)])
			i.Open, i.Due = s.own, i.SK
			s.put(t, i)
		}
		s.orderly(t, kv.Query{Partition: s.own, Index: kv.IndexOpen}, want)
		s.orderly(t, kv.Query{Partition: s.own + "#list", Index: kv.IndexList}, want)
		s.orderly(t, kv.Query{Partition: s.own + "#look", Index: kv.IndexLookup}, want)
		s.orderly(t, kv.Query{Partition: s.own + "#group", Index: kv.IndexGroup}, want)
	},
	"QueryOKBounds": func(t *testing.T, s suite) {
		for _, sk := range []string{"A", "B", "B#1", "B#2", "C", "D"} {
			s.put(t, s.full(sk))
		}
		for _, q := range []kv.Query{{Partition: s.own},
			{Partition: s.own + "#list", Index: kv.IndexList}} {
			for _, c := range []struct {
				from, to string
				want     []string
			}{
				{"B", "C", []string{"B", "B#1", "B#2", "C"}}, {"B#", "B#~", []string{"B#1", "B#2"}},
				{"B#1", "B#1", []string{"B#1"}},
				{"C", "", []string{"C", "D"}}, {"", "B", []string{"A", "B"}}, {"E", "", nil},
				{"", "0", nil}, {"C", "B", nil}, {"B#3", "B#9", nil},
			} {
				q.From, q.To, q.Backward = c.from, c.to, false
				s.settle(t, q, c.want...)
				slices.Reverse(c.want)
				q.Backward = true
				s.settle(t, q, c.want...)
			}
		}
	},
	"QueryOKPartition": func(t *testing.T, s suite) {
		for _, partition := range []string{"", "a", "#", "\x00", "\x00a", "\x01"} {
			i := s.item("in " + partition)
			i.PK += partition
			i.List, i.ListSort = i.PK, i.SK
			s.put(t, i)
		}
		for _, index := range []string{kv.Main, kv.IndexList} {
			s.settle(t, kv.Query{Index: index, Partition: s.own}, "in ")
			s.settle(t, kv.Query{Index: index, Partition: s.own + "\x00"}, "in \x00")
			s.settle(t, kv.Query{Index: index, Partition: s.own + "a", Backward: true}, "in a")
			s.settle(t, kv.Query{Index: index, Partition: s.own + "none"})
		}
	},
	"QueryOKWhole": func(t *testing.T, s suite) {
		a, b := s.full("a"), s.full("b")
		s.put(t, a, b)
		equal(t, "main", s.query(t, kv.Query{Partition: s.own}).Items, []kv.Item{a, b})
		equal(t, "list", s.settle(t, kv.Query{Index: kv.IndexList, Partition: s.own + "#list"}, "a",
			"b").Items, []kv.Item{a, b})
		equal(t, "look", s.settle(t, kv.Query{Index: kv.IndexLookup, Partition: s.own + "#look"},
			"a", "b").Items, []kv.Item{a, b})
		open := s.settle(t, kv.Query{Index: kv.IndexOpen, Partition: s.own + "#0"}, "a", "b").Items
		equal(t, "open", open, []kv.Item{{Key: a.Key, Open: a.Open, Due: a.Due},
			{Key: b.Key, Open: b.Open, Due: b.Due}})
		group := s.settle(t, kv.Query{Index: kv.IndexGroup, Partition: s.own + "#group"}, "a", "b")
		equal(t, "group", group.Items, []kv.Item{
			{Key: a.Key, Group: a.Group, GroupSort: a.GroupSort},
			{Key: b.Key, Group: b.Group, GroupSort: b.GroupSort}})
	},
	"QueryOKMoreThanOneRequest": func(t *testing.T, s suite) {
		var want []string
		for _, sk := range strings.Split("abcdefgh", "") {
			i := s.full(sk)
			i.Doc = []byte(`"` + strings.Repeat("x", 350<<10) + `"`)
			s.put(t, i)
			want = append(want, sk)
		}
		for _, q := range []kv.Query{{Partition: s.own},
			{Index: kv.IndexLookup, Partition: s.own + "#look"}} {
			s.settle(t, q, want...)
			q.Limit = 7
			if page := s.settle(t, q, want[:7]...); page.After == "" {
				t.Error("no cursor before the last item")
			}
			q.Limit = 8
			if page := s.settle(t, q, want...); page.After != "" {
				t.Error("a cursor behind the last item")
			}
		}
	},
	"QueryErrForm": func(t *testing.T, s suite) {
		for name, q := range map[string]kv.Query{
			"no partition": {}, "no index": {Index: "other", Partition: "a"},
			"limit":     {Partition: "a", Limit: -1},
			"partition": {Partition: "\xff"},
			"from":      {Partition: "a", From: strings.Repeat("x", 1025)},
		} {
			if _, err := s.Query(t.Context(), q); err == nil || errors.Is(err, kv.ErrUnavailable) {
				t.Errorf("%s: got %v, want a plain error", name, err)
			}
		}
	},
	"QueryErrCursor": func(t *testing.T, s suite) {
		for _, after := range []string{"x", "!", "AA", "AAAA", "AWEBYQFhYQ", "AWEBYQFh=",
			"_____________w", strings.Repeat("A", 5000),
			kv.Place{Sort: strings.Repeat("b", 1025), Key: s.key("b")}.Cursor(),
			kv.Place{Key: s.key("b")}.Cursor(),
			kv.Place{Sort: "b", Key: kv.Key{PK: "a"}}.Cursor(),
			kv.Place{Sort: "\xff", Key: s.key("b")}.Cursor()} {
			for _, index := range []string{kv.Main, kv.IndexOpen, kv.IndexList, kv.IndexGroup} {
				_, err := s.Query(t.Context(),
					kv.Query{Index: index, Partition: s.own, After: after})
				if !errors.Is(err, kv.ErrCursor) {
					t.Errorf("%q: got %v, want ErrCursor", after, err)
				}
			}
		}
	},
}

// orderly reads a partition forward and backward, whole and in pages of every small size.
func (s suite) orderly(t *testing.T, q kv.Query, want []string) {
	t.Helper()
	backward := slices.Clone(want)
	slices.Reverse(backward)
	s.settle(t, q, want...)
	for _, q.Limit = range []int{1, 2, 3, 7, len(want) - 1, len(want), len(want) + 1} {
		q.Backward = false
		equal(t, "pages forward", s.walk(t, q), want)
		q.Backward = true
		equal(t, "pages backward", s.walk(t, q), backward)
	}
}

// walk reads all pages. Each but the last is full, and no page is empty.
func (s suite) walk(t *testing.T, q kv.Query) []string {
	t.Helper()
	var keys []string
	for {
		page := s.query(t, q)
		keys = append(keys, keysOf(page)...)
		if len(page.Items) == 0 || page.After != "" && len(page.Items) != q.Limit {
			t.Fatalf("a page of %d items at limit %d, cursor %q", len(page.Items), q.Limit,
				page.After)
		}
		if q.After = page.After; q.After == "" {
			return keys
		}
	}
}
