package kvtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
)

var gets = map[string]func(*testing.T, suite){
	"GetOKWhole": func(t *testing.T, s suite) {
		full, bare := s.full("full"), kv.Item{Key: s.key("bare"), Rev: 1}
		s.put(t, full, bare)
		equal(t, "one", s.get(t, full.Key), []kv.Item{full})
		equal(t, "several", s.get(t, bare.Key, s.key("absent"), full.Key),
			[]kv.Item{bare, {}, full})
	},
	"GetOKAbsent": func(t *testing.T, s suite) {
		equal(t, "one", s.get(t, s.key("a")), []kv.Item{{}})
		equal(t, "two", s.get(t, s.key("a"), s.key("b")), []kv.Item{{}, {}})
	},
	"GetOKTwice": func(t *testing.T, s suite) {
		a := s.item("a")
		s.put(t, a)
		equal(t, "the same key twice", s.get(t, a.Key, a.Key), []kv.Item{a, a})
	},
	"GetOKEventual": func(t *testing.T, s suite) {
		a, b := s.item("a"), s.item("b")
		s.put(t, a, b)
		s.settle(t, kv.Query{Partition: s.own, Eventual: true}, "a", "b")
		for _, keys := range [][]kv.Key{{a.Key}, {a.Key, b.Key}} {
			items, err := s.Get(t.Context(), true, keys...)
			if err != nil || len(items) != len(keys) {
				t.Fatalf("get: %d items, %v", len(items), err)
			}
		}
	},
	"GetOKHundred": func(t *testing.T, s suite) {
		var keys []kv.Key
		var writes []kv.Write
		var want []kv.Item
		for n := range 100 {
			i := s.item(fmt.Sprintf("%02d", 99-n))
			i.Doc = []byte(`"` + strings.Repeat("x", 20<<10) + `"`)
			keys, writes, want = append(keys, i.Key), append(writes, create(i)), append(want, i)
		}
		s.commit(t, writes...)
		equal(t, "100 of 20 KB", s.get(t, keys...), want)
	},
	"GetErrForm": func(t *testing.T, s suite) {
		for name, keys := range map[string][]kv.Key{
			"none": nil, "101": make([]kv.Key, 101), "half": {{PK: "a"}}, "other half": {{SK: "a"}},
			"not UTF-8": {{PK: "a", SK: "\xff"}},
		} {
			if _, err := s.Get(t.Context(), false, keys...); err == nil ||
				errors.Is(err, kv.ErrUnavailable) {
				t.Errorf("%s: got %v, want a plain error", name, err)
			}
		}
	},
	"GetErrCancelled": func(t *testing.T, s suite) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, get := s.Get(ctx, false, s.key("a"))
		_, query := s.Query(ctx, kv.Query{Partition: s.own})
		for _, err := range []error{get, query, s.Commit(ctx, create(s.item("a")))} {
			if !errors.Is(err, kv.ErrUnavailable) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want ErrUnavailable and Canceled", err)
			}
		}
	},
}

var commits = map[string]func(*testing.T, suite){
	"CommitOKReplacesWhole": func(t *testing.T, s suite) {
		s.put(t, s.full("a"))
		bare := kv.Item{Key: s.key("a"), Rev: 7}
		s.commit(t, update(bare))
		bare.Rev = 8
		equal(t, "nothing of the old item", s.get(t, bare.Key), []kv.Item{bare})
	},
	"CommitOKAllKinds": func(t *testing.T, s suite) {
		a, b, c := s.item("a"), s.item("b"), s.item("c")
		s.put(t, a, b)
		s.commit(t, remove(a.Key, kv.Condition{Rev: 1}), check(b.Key, kv.Condition{Rev: 1}),
			create(c))
		equal(t, "a gone, b as it was, c there", s.get(t, a.Key, b.Key, c.Key), []kv.Item{{}, b, c})
	},
	"CommitOKOneOfEach": func(t *testing.T, s suite) {
		a := s.item("a")
		s.commit(t, create(a))
		s.commit(t, check(a.Key, kv.Condition{Rev: 1}))
		s.commit(t, remove(a.Key, kv.Condition{Rev: 1}))
		s.commit(t, check(a.Key, kv.Condition{Absent: true}))
		s.commit(t, remove(a.Key, kv.Condition{Absent: true}))
		equal(t, "gone", s.get(t, a.Key), []kv.Item{{}})
	},
	"CommitErrOne": func(t *testing.T, s suite) {
		a := s.full("a")
		s.put(t, a)
		want, wrong := map[int]kv.Item{0: a}, kv.Condition{Rev: 6}
		equal(t, "put", s.refuse(t, create(s.item("a"))), want)
		equal(t, "delete", s.refuse(t, remove(a.Key, wrong)), want)
		equal(t, "check", s.refuse(t, check(a.Key, wrong)), want)
		absent := map[int]kv.Item{0: {}}
		equal(t, "put absent", s.refuse(t, update(s.item("b"))), absent)
		equal(t, "delete absent", s.refuse(t, remove(s.key("b"), wrong)), absent)
		equal(t, "check absent", s.refuse(t, check(s.key("b"), wrong)), absent)
		equal(t, "nothing changed", s.get(t, a.Key, s.key("b")), []kv.Item{a, {}})
	},
	"CommitErrNothingWritten": func(t *testing.T, s suite) {
		a, b := s.full("a"), s.item("b")
		s.put(t, a, b)
		failed := s.refuse(t,
			update(a), create(s.item("new")), create(s.item("a2")),
			remove(b.Key, kv.Condition{Rev: 9}),
			check(s.key("absent"), kv.Condition{Rev: 1}), create(s.item("z")))
		equal(t, "positions", failed, map[int]kv.Item{3: b, 4: {}})
		equal(t, "items", s.query(t, kv.Query{Partition: s.own}).Items, []kv.Item{a, b})
	},
	"CommitOKHundred": func(t *testing.T, s suite) {
		var writes []kv.Write
		for n := range 100 {
			writes = append(writes, create(s.full(fmt.Sprintf("%03d", n))))
		}
		s.commit(t, writes...)
		if got := s.query(t, kv.Query{Partition: s.own}); len(got.Items) != 100 {
			t.Fatalf("%d items, want 100", len(got.Items))
		}
		for n := range writes {
			i := *writes[n].Put
			writes[n] = remove(i.Key, kv.Condition{Rev: 7})
		}
		writes[42].If.Rev = 6
		if failed := s.refuse(t, writes...); len(failed) != 1 || failed[42].SK != "042" {
			t.Fatalf("failed: %v, want position 42", failed)
		}
		writes[42].If.Rev = 7
		s.commit(t, writes...)
		equal(t, "all gone", s.query(t, kv.Query{Partition: s.own}), kv.Page{})
	},
	"CommitErrForm": func(t *testing.T, s suite) {
		a, dup := s.item("a"), s.item("a")
		many := make([]kv.Write, 101)
		for n := range many {
			many[n] = create(s.item(fmt.Sprint(n)))
		}
		for name, writes := range map[string][]kv.Write{
			"none": nil, "101": many, "no condition": {{Put: &a}},
			"no key":      {{If: kv.Condition{Absent: true}}},
			"a key twice": {create(a), check(dup.Key, kv.Condition{Rev: 1})},
		} {
			s.plain(t, name, writes...)
		}
	},
}

// plain makes sure that a commit is refused with an error that is neither a failed condition nor
// the storage's.
func (s suite) plain(t *testing.T, name string, writes ...kv.Write) {
	t.Helper()
	err := s.Commit(t.Context(), writes...)
	var failed *kv.ConditionFailed
	if err == nil || errors.As(err, &failed) || errors.Is(err, kv.ErrUnavailable) {
		t.Errorf("%s: got %v, want a plain error", name, err)
	}
	equal(t, name+": nothing written", s.query(t, kv.Query{Partition: s.own}), kv.Page{})
}
