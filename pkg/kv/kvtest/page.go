package kvtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
)

var pages = map[string]func(*testing.T, suite){
	"PageOKInserts": func(t *testing.T, s suite) {
		s.put(t, s.full("b"), s.full("d"), s.full("f"), s.full("h"))
		main, list := kv.Query{Partition: s.own, Limit: 2},
			kv.Query{Index: kv.IndexList, Partition: s.own + "#list", Limit: 2}
		main.After = s.settle(t, main, "b", "d").After
		list.After = s.settle(t, list, "b", "d").After
		// before both, between read ones, behind the cursor
		s.put(t, s.full("a"), s.full("c"), s.full("e"))
		for _, q := range []kv.Query{main, list} {
			q.After = s.settle(t, q, "e", "f").After
			s.settle(t, q, "h")
		}
	},
	"PageOKInsertsBackward": func(t *testing.T, s suite) {
		s.put(t, s.full("b"), s.full("d"), s.full("f"), s.full("h"))
		q := kv.Query{Index: kv.IndexLookup, Partition: s.own + "#look", Limit: 2, Backward: true}
		q.After = s.settle(t, q, "h", "f").After
		s.put(t, s.full("g"), s.full("e"), s.full("i"))
		q.After = s.settle(t, q, "e", "d").After
		s.settle(t, q, "b")
	},
	"PageOKCursorItemGone": func(t *testing.T, s suite) {
		s.put(t, s.full("a"), s.full("b"), s.full("c"), s.full("d"))
		for _, q := range []kv.Query{{Partition: s.own, Limit: 2},
			{Index: kv.IndexLookup, Partition: s.own + "#look", Limit: 2},
			{Index: kv.IndexGroup, Partition: s.own + "#group", Limit: 2}} {
			q.After = s.settle(t, q, "a", "b").After
			defer s.settle(t, q, "c", "d")
		}
		s.commit(t, remove(s.key("b"), kv.Condition{Rev: 7}))
	},
	"PageOKSameSort": func(t *testing.T, s suite) {
		var want []string
		for n := range 20 {
			i := s.full(fmt.Sprintf("%02d", n))
			i.ListSort = "same"
			s.put(t, i)
			want = append(want, i.SK)
		}
		q := kv.Query{Index: kv.IndexList, Partition: s.own + "#list", Limit: 3}
		for _, q.Backward = range []bool{false, true} { // each once; in which order is not promised
			got := s.walk(t, q)
			slices.Sort(got)
			equal(t, "all of one sort key", got, want)
		}
	},
	"PageOKCursorOutsideBounds": func(t *testing.T, s suite) {
		// aa and cc: between cursor and bound
		s.put(t, s.full("a"), s.full("aa"), s.full("b"), s.full("c"), s.full("cc"), s.full("d"))
		first := kv.Place{Sort: "a", Key: s.key("a")}.Cursor()
		last := kv.Place{Sort: "d", Key: s.key("d")}.Cursor()
		for _, q := range []kv.Query{{Partition: s.own},
			{Index: kv.IndexList, Partition: s.own + "#list"}} {
			q.From, q.To = "b", "c"
			q.After = first
			s.settle(t, q, "b", "c")
			q.After = last
			s.settle(t, q)
			q.Backward = true
			s.settle(t, q, "c", "b")
			q.After = first
			s.settle(t, q)
		}
	},
	"PageOKCursorOfAnother": func(t *testing.T, s suite) {
		s.put(t, s.full("a"), s.full("b"), s.full("c"))
		foreign := kv.Place{Sort: "a", Key: kv.Key{PK: "another company", SK: "a"}}.Cursor()
		s.settle(t, kv.Query{Partition: s.own, After: foreign}, "b", "c")
		again := kv.Place{Sort: "a", Key: kv.Key{PK: "another company", SK: "a"}}.Cursor()
		s.settle(t, kv.Query{Index: kv.IndexList, Partition: s.own + "#list", From: "b",
			After: again}, "b", "c")
	},
}

var indexes = map[string]func(*testing.T, suite){
	"IndexOKMoves": func(t *testing.T, s suite) {
		i := s.full("a")
		s.put(t, i)
		open := func(shard string) kv.Query {
			return kv.Query{Index: kv.IndexOpen, Partition: s.own + shard}
		}
		s.settle(t, open("#0"), "a")
		i.Open, i.Lookup, i.Group = s.own+"#1", s.own+"#looked", s.own+"#grouped"
		s.commit(t, update(i))
		s.settle(t, open("#0"))
		s.settle(t, open("#1"), "a")
		s.settle(t, kv.Query{Index: kv.IndexLookup, Partition: s.own + "#look"})
		s.settle(t, kv.Query{Index: kv.IndexLookup, Partition: s.own + "#looked"}, "a")
		s.settle(t, kv.Query{Index: kv.IndexGroup, Partition: s.own + "#group"})
		s.settle(t, kv.Query{Index: kv.IndexGroup, Partition: s.own + "#grouped"}, "a")
		s.settle(t, kv.Query{Index: kv.IndexList, Partition: s.own + "#list"}, "a")
		i.Rev, i.Open, i.Due = 8, "", ""
		s.commit(t, update(i))
		s.settle(t, open("#1"))
		s.settle(t, kv.Query{Index: kv.IndexList, Partition: s.own + "#list"}, "a")
	},
	"IndexOKReorders": func(t *testing.T, s suite) {
		a, b := s.full("a"), s.full("b")
		s.put(t, a, b)
		q := kv.Query{Index: kv.IndexList, Partition: s.own + "#list"}
		s.settle(t, q, "a", "b")
		a.ListSort, a.Doc = "z", []byte(`"new"`)
		s.commit(t, update(a))
		page := s.settle(t, q, "b", "a")
		a.Rev++
		equal(t, "the new item", page.Items[1], a)
	},
	"IndexOKSamePlaceNewDoc": func(t *testing.T, s suite) {
		a := s.full("a")
		s.put(t, a)
		a.Doc, a.Fields = []byte(`"new"`), nil
		s.commit(t, update(a))
		a.Rev++
		q := kv.Query{Index: kv.IndexLookup, Partition: s.own + "#look", Limit: 1}
		equal(t, "the new item", s.settle(t, q, "a").Items, []kv.Item{a})
	},
	"IndexOKDeleteLeaves": func(t *testing.T, s suite) {
		s.put(t, s.full("a"), s.full("b"))
		s.commit(t, remove(s.key("a"), kv.Condition{Rev: 7}))
		s.settle(t, kv.Query{Index: kv.IndexOpen, Partition: s.own + "#0"}, "b")
		s.settle(t, kv.Query{Index: kv.IndexList, Partition: s.own + "#list"}, "b")
		s.settle(t, kv.Query{Index: kv.IndexLookup, Partition: s.own + "#look"}, "b")
	},
	"IndexOKAcrossPartitions": func(t *testing.T, s suite) {
		a, b := s.full("same"), s.full("same")
		b.PK += "#other"
		s.put(t, a, b)
		s.settle(t, kv.Query{Index: kv.IndexList, Partition: s.own + "#list"}, "same", "same")
		equal(t, "pages", s.walk(t, kv.Query{Index: kv.IndexList, Partition: s.own + "#list",
			Limit: 1}), []string{"same", "same"})
	},
	"IndexErrRefusedLeavesNothing": func(t *testing.T, s suite) {
		s.put(t, s.item("taken"))
		s.refuse(t, create(s.full("a")), create(s.item("taken")))
		s.settle(t, kv.Query{Index: kv.IndexOpen, Partition: s.own + "#0"})
		s.settle(t, kv.Query{Index: kv.IndexList, Partition: s.own + "#list"})
	},
}
