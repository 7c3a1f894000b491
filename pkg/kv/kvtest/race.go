package kvtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv"
)

var races = map[string]func(*testing.T, suite){
	"RaceOKOneWins": func(t *testing.T, s suite) {
		i := s.item("a")
		s.put(t, i)
		for round := range int64(10) {
			i.Rev = round + 1
			wins := s.race(t, 16, func(n int) []kv.Write {
				mine := i
				mine.Fields = map[string]string{"by": strconv.Itoa(n)}
				if n%2 == 0 {
					return []kv.Write{update(mine)}
				}
				return []kv.Write{update(mine), create(s.item(fmt.Sprintf("won %d %d", round, n)))}
			})
			if len(wins) != 1 {
				t.Fatalf("round %d: %d won, want 1", round, len(wins))
			}
			got := s.get(t, i.Key)[0]
			if got.Rev != i.Rev+1 || got.Fields["by"] != strconv.Itoa(wins[0]) {
				t.Fatalf("round %d: %d won, and stored is %+v", round, wins[0], got)
			}
		}
	},
	"RaceOKOneCreates": func(t *testing.T, s suite) {
		for round := range 10 {
			wins := s.race(t, 16, func(int) []kv.Write {
				return []kv.Write{create(s.item(strconv.Itoa(round)))}
			})
			if len(wins) != 1 {
				t.Fatalf("round %d: %d created it, want 1", round, len(wins))
			}
		}
	},
	"RaceOKOthersGoOn": func(t *testing.T, s suite) {
		s.put(t, s.item("taken"))
		wins := s.race(t, 40, func(n int) []kv.Write {
			if n%4 == 0 {
				return []kv.Write{create(s.item("taken"))}
			}
			return []kv.Write{create(s.item(strconv.Itoa(n)))}
		})
		if len(wins) != 30 {
			t.Fatalf("%d won, want each of the 30 that has a key of its own", len(wins))
		}
	},
	"RaceOKTransfers": func(t *testing.T, s suite) {
		a, b := s.item("a"), s.item("b")
		a.Fields, b.Fields = map[string]string{"has": "1000"}, map[string]string{"has": "1000"}
		s.put(t, a, b)
		done := make(chan struct{})
		var readers sync.WaitGroup
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					s.balanced(t, 2000)
				}
			}
		})
		var writers sync.WaitGroup
		for n := range 8 {
			writers.Go(func() {
				for range 10 {
					s.transfer(t, n+1)
				}
			})
		}
		writers.Wait()
		close(done)
		readers.Wait()
		if got := s.get(t, a.Key)[0].Rev; got != 81 {
			t.Fatalf("rev %d after 80 transfers, want 81", got)
		}
	},
}

// race commits what each of n does at once, and returns who succeeded. Losing is a ConditionFailed;
// a conflict is tried again.
func (s suite) race(t *testing.T, n int, writes func(n int) []kv.Write) []int {
	t.Helper()
	var mu sync.Mutex
	var wins []int
	var start, all sync.WaitGroup
	start.Add(1)
	for i := range n {
		all.Go(func() {
			start.Wait()
			err := s.Commit(t.Context(), writes(i)...)
			var failed *kv.ConditionFailed
			if err != nil && !errors.As(err, &failed) {
				t.Errorf("commit %d: %v", i, err)
			}
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				wins = append(wins, i)
			}
		})
	}
	start.Done()
	all.Wait()
	return wins
}

// transfer moves an amount from a to b until it succeeds.
func (s suite) transfer(t *testing.T, amount int) {
	for {
		items, err := s.Get(t.Context(), false, s.key("a"), s.key("b"))
		if err != nil {
			t.Errorf("get: %v", err)
			return
		}
		a, b := items[0], items[1]
		a.Fields = map[string]string{"has": strconv.Itoa(number(a) - amount)}
		b.Fields = map[string]string{"has": strconv.Itoa(number(b) + amount)}
		err = s.Commit(t.Context(), update(a), update(b))
		var failed *kv.ConditionFailed
		if err == nil {
			return
		}
		if !errors.As(err, &failed) {
			t.Errorf("commit: %v", err)
			return
		}
	}
}

// balanced makes sure that a check of items that were read together finds the sum, whoever writes
// meanwhile.
func (s suite) balanced(t *testing.T, want int) {
	items, err := s.Get(t.Context(), false, s.key("a"), s.key("b"))
	if err != nil {
		t.Errorf("get: %v", err)
		return
	}
	a, b := items[0], items[1]
	err = s.Commit(t.Context(), check(a.Key, kv.Condition{Rev: a.Rev}),
		check(b.Key, kv.Condition{Rev: b.Rev}))
	if err == nil && number(a)+number(b) != want {
		t.Errorf("%d and %d, checked together, are not %d", number(a), number(b), want)
	}
}

func number(i kv.Item) int {
	n, err := strconv.Atoi(i.Fields["has"])
	if err != nil {
		panic(err)
	}
	return n
}

var limits = map[string]func(*testing.T, suite){
	"LimitOKItem": func(t *testing.T, s suite) {
		i := s.full("a")
		i.Doc = nil
		i.Doc = []byte(`"` + strings.Repeat("é", (kv.MaxItem-i.Size()-len("doc")-2)/2) + `"`)
		i.Fields["state"] += strings.Repeat("x", kv.MaxItem-i.Size())
		s.put(t, i)
		equal(t, "an item of the full size", s.get(t, i.Key), []kv.Item{i})
		i.Fields["state"] += "x"
		if err := s.Commit(t.Context(), update(i)); !errors.Is(err, kv.ErrTooLarge) {
			t.Fatalf("one byte more: got %v, want ErrTooLarge", err)
		}
	},
	"LimitErrCommit": func(t *testing.T, s suite) {
		var writes []kv.Write
		for n := range 11 {
			i := s.item(strconv.Itoa(n))
			i.Doc = []byte(`"` + strings.Repeat("x", 390<<10) + `"`)
			writes = append(writes, create(i))
		}
		if err := s.Commit(t.Context(), writes...); !errors.Is(err, kv.ErrTooLarge) {
			t.Fatalf("over 4 MB: got %v, want ErrTooLarge", err)
		}
		equal(t, "nothing written", s.query(t, kv.Query{Partition: s.own}), kv.Page{})
		s.commit(t, writes[:10]...)
	},
	"LimitErrItem": func(t *testing.T, s suite) {
		for name, change := range map[string]func(*kv.Item){
			"expires": func(i *kv.Item) { i.Expires = -1 },
			"rev":     func(i *kv.Item) { i.Rev = 0 },
			"pk":      func(i *kv.Item) { i.PK = strings.Repeat("x", 2049) },
			"sk":      func(i *kv.Item) { i.SK = strings.Repeat("x", 1025) },
			"sort":    func(i *kv.Item) { i.List, i.ListSort = "x", strings.Repeat("x", 1025) },
			"look": func(i *kv.Item) {
				i.Lookup, i.LookupSort = strings.Repeat("x", 2049), "x"
			},
			"place": func(i *kv.Item) {
				i.Group, i.GroupSort = "x", strings.Repeat("x", 1025)
			},
			"half index":  func(i *kv.Item) { i.Open = "x" },
			"other half":  func(i *kv.Item) { i.LookupSort = "x" },
			"empty field": func(i *kv.Item) { i.Fields = map[string]string{"a": ""} },
			"empty name":  func(i *kv.Item) { i.Fields = map[string]string{"": "a"} },
			"key UTF-8":   func(i *kv.Item) { i.SK = "\xff" },
			"field UTF-8": func(i *kv.Item) { i.Fields = map[string]string{"a": "\xff"} },
			"sort UTF-8":  func(i *kv.Item) { i.List, i.ListSort = "x", "\xff" },
			"doc UTF-8":   func(i *kv.Item) { i.Doc = []byte("\xff") },
		} {
			i := s.item("a")
			change(&i)
			s.plain(t, name, create(i))
			s.plain(t, name+", among others", create(s.item("b")), create(i))
		}
	},
	"LimitOKKeys": func(t *testing.T, s suite) {
		i := s.item(strings.Repeat("s", 1024))
		i.PK += strings.Repeat("p", 2048-len(i.PK))
		i.List, i.ListSort = i.PK, i.SK
		s.put(t, i)
		equal(t, "the longest keys", s.get(t, i.Key), []kv.Item{i})
		s.settle(t, kv.Query{Index: kv.IndexList, Partition: i.List, From: i.ListSort,
			To: i.ListSort}, i.SK)
	},
}
