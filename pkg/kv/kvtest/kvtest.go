// Package kvtest is the contract of kv.Engine as a suite of tests, run by every engine.
package kvtest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/google/go-cmp/cmp"
)

// suite is one test of the contract: the engine under test, and the partition that is this test's
// own.
type suite struct {
	kv.Engine
	own string
}

// Run runs the contract against one engine, which open makes empty and takes down with t.
func Run(t *testing.T, open func(t *testing.T) kv.Engine) {
	engine := open(t)
	for _, group := range []map[string]func(*testing.T, suite){gets, commits, conditions, queries,
		pages, indexes, races, limits} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, suite{engine, strings.ReplaceAll(t.Name(), "/", "#")})
			})
		}
	}
}

// key is a key in the test's own partition.
func (s suite) key(sk string) kv.Key { return kv.Key{PK: s.own, SK: sk} }

// item is a small item in the test's own partition.
func (s suite) item(sk string) kv.Item {
	return kv.Item{Key: s.key(sk), Rev: 1, Fields: map[string]string{"state": "new"},
		Doc: []byte(`{"sk":"` + sk + `"}`)}
}

// full is an item with everything an item can have. Its index partitions are the test's own.
func (s suite) full(sk string) kv.Item {
	i := s.item(sk)
	i.Fields = map[string]string{"state": "Überprüft", "name with blanks": "日本 🚚", "a.b-c": "\"x\"",
		"state_": "new"}
	i.Open, i.Due = s.own+"#0", "2026-11-21T10:00:00.000Z#"+sk
	i.List, i.ListSort = s.own+"#list", sk
	i.Lookup, i.LookupSort = s.own+"#look", sk
	i.Group, i.GroupSort = s.own+"#group", sk
	i.Rev, i.Expires = 7, 2_000_000_000
	return i
}

// put makes sure that the items are stored, and new.
func (s suite) put(t *testing.T, items ...kv.Item) {
	t.Helper()
	for i := range items {
		s.commit(t, create(items[i]))
	}
}

func (s suite) commit(t *testing.T, writes ...kv.Write) {
	t.Helper()
	if err := s.Commit(t.Context(), writes...); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// refuse makes sure that the commit fails, and returns what was stored at the positions whose
// conditions did not hold.
func (s suite) refuse(t *testing.T, writes ...kv.Write) map[int]kv.Item {
	t.Helper()
	err := s.Commit(t.Context(), writes...)
	var failed *kv.ConditionFailed
	if !errors.As(err, &failed) {
		t.Fatalf("commit: got %v, want a ConditionFailed", err)
	}
	return failed.Failed
}

func (s suite) get(t *testing.T, keys ...kv.Key) []kv.Item {
	t.Helper()
	items, err := s.Get(t.Context(), false, keys...)
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	return items
}

func (s suite) query(t *testing.T, q kv.Query) kv.Page {
	t.Helper()
	page, err := s.Query(t.Context(), q)
	if err != nil {
		t.Fatalf("query %+v: %v", q, err)
	}
	return page
}

// settle asks again until the sort keys are as wanted: what is not read consistently may be late.
func (s suite) settle(t *testing.T, q kv.Query, want ...string) kv.Page {
	t.Helper()
	page := s.query(t, q)
	for deadline := time.Now().Add(5 * time.Second); !cmp.Equal(keysOf(page), want) &&
		time.Now().Before(deadline); {
		page = s.query(t, q)
	}
	equal(t, fmt.Sprintf("query %+v", q), keysOf(page), want)
	return page
}

func keysOf(p kv.Page) []string {
	var keys []string
	for _, i := range p.Items {
		keys = append(keys, i.SK)
	}
	return keys
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // cmp takes seconds for megabytes
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func create(i kv.Item) kv.Write {
	return kv.Write{Put: &i, If: kv.Condition{Absent: true}}
}

// update puts the item one Rev on, if the stored one has the Rev it comes with.
func update(i kv.Item) kv.Write {
	rev := i.Rev
	i.Rev++
	return kv.Write{Put: &i, If: kv.Condition{Rev: rev}}
}

func remove(k kv.Key, c kv.Condition) kv.Write { return kv.Write{Delete: &k, If: c} }

func check(k kv.Key, c kv.Condition) kv.Write { return kv.Write{Check: &k, If: c} }
