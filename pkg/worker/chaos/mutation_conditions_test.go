package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

// TestWriteConditions takes each write condition of pkg/store away in turn. One that ever decided
// alone is missed because a promise breaks in a seed in which it did. One that never did, because
// others of its commit failed whenever it failed or because ids are new, is missed by who comes in
// between.
func TestWriteConditions(t *testing.T) {
	t.Parallel()
	if testing.Short() || raced {
		t.Skip("takes ten seconds: part of `make test`, which runs it without the race detector")
	}
	// With fewer seeds some conditions are asked only by commits that fail by another one, where
	// nothing can miss them.
	all := census(t, size(250, 1000))
	reached := map[string]bool{}
	var list strings.Builder
	counts := map[string]int{}
	for _, s := range slices.SortedFunc(maps.Keys(all), func(a, b site) int {
		return strings.Compare(a.String(), b.String())
	}) {
		b := all[s]
		reached[s.function] = true
		verdict, kind := judge(t, s, b)
		counts[kind]++
		fmt.Fprintf(&list, "%s tried %7d failed %5d alone %5d  %s\n", s, b.tried, b.failed, b.alone,
			verdict)
	}
	for _, file := range source() {
		for _, f := range file {
			if f.commits && !reached[f.name] && f.name != atStart {
				t.Errorf("no seed reaches the commit of %s", f.name)
			}
		}
	}
	t.Logf("%d conditions: %v\n%s", len(all), counts, &list)
}

// atStart is the function of pkg/store that a process calls before it serves, so that no simulation
// does. store.TestCheckFormatAtOnce misses its condition.
const atStart = "CheckFormat"

// census counts what each condition decides, over some seeds.
func census(t *testing.T, seeds int) map[site]*conditionCount {
	all := map[site]*conditionCount{}
	for seed := range uint64(seeds) {
		counts := newConditionMutation(seed, nil)
		w := run(seed, program(seed, *programs), kvtest.NewMemory(), func(w *simulation) {
			w.mutation = counts
		})
		if len(w.truth.found) > 0 {
			t.Fatalf("seed %d: %v", seed, w.truth.found)
		}
		for s, b := range counts.seen {
			if all[s] == nil {
				all[s] = &conditionCount{}
			}
			a := all[s]
			a.tried, a.failed, a.alone = a.tried+b.tried, a.failed+b.failed, a.alone+b.alone
			a.decided, a.asked = append(a.decided, b.decided...), append(a.asked, b.asked[0])
		}
	}
	return all
}

// judge says what misses a condition.
func judge(t *testing.T, s site, b *conditionCount) (verdict, kind string) {
	if found := missed(b.decided, s, true); found != "" {
		return "missed: " + found, "missed where it decides alone"
	}
	if found := missed(b.asked, s, false); found != "" {
		return "missed: " + found, "missed by who comes in between"
	}
	t.Errorf("nothing misses %s, which was asked in the seeds %v", s,
		b.asked[:min(5, len(b.asked))])
	return "NOT MISSED", "not missed"
}

// missed says which promise is broken in one of the seeds without a condition.
func missed(seeds []uint64, without site, alone bool) string {
	seeds = slices.Compact(slices.Clone(seeds))
	for _, seed := range seeds[:min(len(seeds), 20)] {
		if found := broken(seed, without, alone); found != "" {
			return fmt.Sprintf("%s, seed %d", found, seed)
		}
	}
	return ""
}

// broken says which promise one seed breaks without a condition. Code that panics on what it can't
// have read with it has noticed too.
func broken(seed uint64, without site, alone bool) (promised string) {
	defer func() {
		if p := recover(); p != nil {
			promised = fmt.Sprintf("a panic: %v", p)
		}
	}()
	w := run(seed, program(seed, *programs), kvtest.NewMemory(), func(w *simulation) {
		w.mutation = newConditionMutation(seed, func(s site) bool { return s == without })
		w.mutation.alone = alone
	})
	if len(w.truth.found) == 0 {
		return ""
	}
	return promise(w.truth.found[0])
}
