package tabletest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/table"
)

var gets = map[string]func(*testing.T, suite){
	"GetOKWhole": func(t *testing.T, s suite) {
		full, bare := s.full("full"), table.Item{Key: s.key("bare"), Rev: 1}
		s.put(t, full, bare)
		equal(t, "one", s.get(t, full.Key), []table.Item{full})
		equal(t, "several", s.get(t, bare.Key, s.key("absent"), full.Key), []table.Item{bare, {}, full})
	},
	"GetOKAbsent": func(t *testing.T, s suite) {
		equal(t, "one", s.get(t, s.key("a")), []table.Item{{}})
		equal(t, "two", s.get(t, s.key("a"), s.key("b")), []table.Item{{}, {}})
	},
	"GetOKTwice": func(t *testing.T, s suite) {
		a := s.item("a")
		s.put(t, a)
		equal(t, "the same key twice", s.get(t, a.Key, a.Key), []table.Item{a, a})
	},
	"GetOKEventual": func(t *testing.T, s suite) {
		a, b := s.item("a"), s.item("b")
		s.put(t, a, b)
		s.settle(t, table.Query{Partition: s.own, Eventual: true}, "a", "b")
		for _, keys := range [][]table.Key{{a.Key}, {a.Key, b.Key}} {
			items, err := s.Get(t.Context(), true, keys...)
			if err != nil || len(items) != len(keys) {
				t.Fatalf("get: %d items, %v", len(items), err)
			}
		}
	},
	"GetOKHundred": func(t *testing.T, s suite) {
		var keys []table.Key
		var writes []table.Write
		var want []table.Item
		for n := range 100 {
			i := s.item(fmt.Sprintf("%02d", 99-n))
			i.Doc = []byte(`"` + strings.Repeat("x", 20<<10) + `"`)
			keys, writes, want = append(keys, i.Key), append(writes, create(i)), append(want, i)
		}
		s.commit(t, writes...)
		equal(t, "100 of 20 KB", s.get(t, keys...), want)
	},
	"GetErrForm": func(t *testing.T, s suite) {
		for name, keys := range map[string][]table.Key{
			"none": nil, "101": make([]table.Key, 101), "half": {{PK: "a"}}, "other half": {{SK: "a"}}, "not UTF-8": {{PK: "a", SK: "\xff"}},
		} {
			if _, err := s.Get(t.Context(), false, keys...); err == nil || errors.Is(err, table.ErrUnavailable) {
				t.Errorf("%s: got %v, want a plain error", name, err)
			}
		}
	},
	"GetErrCancelled": func(t *testing.T, s suite) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, get := s.Get(ctx, false, s.key("a"))
		_, query := s.Query(ctx, table.Query{Partition: s.own})
		for _, err := range []error{get, query, s.Commit(ctx, create(s.item("a")))} {
			if !errors.Is(err, table.ErrUnavailable) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want ErrUnavailable and Canceled", err)
			}
		}
	},
}

var commits = map[string]func(*testing.T, suite){
	"CommitOKReplacesWhole": func(t *testing.T, s suite) {
		s.put(t, s.full("a"))
		bare := table.Item{Key: s.key("a"), Rev: 7}
		s.commit(t, update(bare))
		bare.Rev = 8
		equal(t, "nothing of the old item", s.get(t, bare.Key), []table.Item{bare})
	},
	"CommitOKAllKinds": func(t *testing.T, s suite) {
		a, b, c := s.item("a"), s.item("b"), s.item("c")
		s.put(t, a, b)
		s.commit(t, remove(a.Key, table.Condition{Rev: 1}), check(b.Key, table.Condition{Rev: 1}), create(c))
		equal(t, "a gone, b as it was, c there", s.get(t, a.Key, b.Key, c.Key), []table.Item{{}, b, c})
	},
	"CommitOKOneOfEach": func(t *testing.T, s suite) {
		a := s.item("a")
		s.commit(t, create(a))
		s.commit(t, check(a.Key, table.Condition{Rev: 1}))
		s.commit(t, remove(a.Key, table.Condition{Rev: 1}))
		s.commit(t, check(a.Key, table.Condition{Absent: true}))
		s.commit(t, remove(a.Key, table.Condition{Absent: true}))
		equal(t, "gone", s.get(t, a.Key), []table.Item{{}})
	},
	"CommitErrOne": func(t *testing.T, s suite) {
		a := s.full("a")
		s.put(t, a)
		want, wrong := map[int]table.Item{0: a}, table.Condition{Rev: 6}
		equal(t, "put", s.refuse(t, create(s.item("a"))), want)
		equal(t, "delete", s.refuse(t, remove(a.Key, wrong)), want)
		equal(t, "check", s.refuse(t, check(a.Key, wrong)), want)
		absent := map[int]table.Item{0: {}}
		equal(t, "put absent", s.refuse(t, update(s.item("b"))), absent)
		equal(t, "delete absent", s.refuse(t, remove(s.key("b"), wrong)), absent)
		equal(t, "check absent", s.refuse(t, check(s.key("b"), wrong)), absent)
		equal(t, "nothing changed", s.get(t, a.Key, s.key("b")), []table.Item{a, {}})
	},
	"CommitErrNothingWritten": func(t *testing.T, s suite) {
		a, b := s.full("a"), s.item("b")
		s.put(t, a, b)
		failed := s.refuse(t,
			update(a), create(s.item("new")), create(s.item("a2")), remove(b.Key, table.Condition{Rev: 9}),
			check(s.key("absent"), table.Condition{Rev: 1}), create(s.item("z")))
		equal(t, "positions", failed, map[int]table.Item{3: b, 4: {}})
		equal(t, "items", s.query(t, table.Query{Partition: s.own}).Items, []table.Item{a, b})
	},
	"CommitOKHundred": func(t *testing.T, s suite) {
		var writes []table.Write
		for n := range 100 {
			writes = append(writes, create(s.full(fmt.Sprintf("%03d", n))))
		}
		s.commit(t, writes...)
		if got := s.query(t, table.Query{Partition: s.own}); len(got.Items) != 100 {
			t.Fatalf("%d items, want 100", len(got.Items))
		}
		for n := range writes {
			i := *writes[n].Put
			writes[n] = remove(i.Key, table.Condition{Rev: 7})
		}
		writes[42].If.Rev = 6
		if failed := s.refuse(t, writes...); len(failed) != 1 || failed[42].SK != "042" {
			t.Fatalf("failed: %v, want position 42", failed)
		}
		writes[42].If.Rev = 7
		s.commit(t, writes...)
		equal(t, "all gone", s.query(t, table.Query{Partition: s.own}), table.Page{})
	},
	"CommitErrForm": func(t *testing.T, s suite) {
		a, dup := s.item("a"), s.item("a")
		many := make([]table.Write, 101)
		for n := range many {
			many[n] = create(s.item(fmt.Sprint(n)))
		}
		for name, writes := range map[string][]table.Write{
			"none": nil, "101": many, "no condition": {{Put: &a}}, "no key": {{If: table.Condition{Absent: true}}},
			"a key twice": {create(a), check(dup.Key, table.Condition{Rev: 1})},
		} {
			s.plain(t, name, writes...)
		}
	},
}

// plain makes sure that a commit is refused with an error that is neither a failed condition nor the storage's.
func (s suite) plain(t *testing.T, name string, writes ...table.Write) {
	t.Helper()
	err := s.Commit(t.Context(), writes...)
	var failed *table.ConditionFailed
	if err == nil || errors.As(err, &failed) || errors.Is(err, table.ErrUnavailable) {
		t.Errorf("%s: got %v, want a plain error", name, err)
	}
	equal(t, name+": nothing written", s.query(t, table.Query{Partition: s.own}), table.Page{})
}
