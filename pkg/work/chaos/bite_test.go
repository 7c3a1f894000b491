package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestTeeth takes each write condition of pkg/table away in turn. One that ever decided alone is missed: a promise breaks in a seed in
// which it did. One that never did, because others of its commit failed whenever it failed, is missed together with those.
func TestTeeth(t *testing.T) {
	t.Parallel()
	all := census(t, worlds(120, 3000))
	reached := map[string]bool{}
	var list strings.Builder
	counts := map[string]int{}
	for _, s := range slices.SortedFunc(maps.Keys(all), func(a, b site) int { return strings.Compare(a.String(), b.String()) }) {
		b := all[s]
		reached[s.function] = true
		verdict, kind := judge(t, s, b)
		counts[kind]++
		fmt.Fprintf(&list, "%s tried %7d failed %5d alone %5d  %s\n", s, b.tried, b.failed, b.alone, verdict)
	}
	for _, file := range source() {
		for _, f := range file {
			if f.commits && !reached[f.name] && !raced {
				t.Errorf("no seed reaches the commit of %s", f.name)
			}
		}
	}
	t.Logf("%d conditions: %v\n%s", len(all), counts, &list)
}

// census counts what each condition decides, over some seeds.
func census(t *testing.T, seeds int) map[site]*bite {
	all := map[site]*bite{}
	for seed := range uint64(seeds) {
		bites := newTeeth(seed, nil)
		w := run(seed, program(seed, *programs), newMemory(), func(w *world) { w.teeth = bites })
		if len(w.truth.found) > 0 {
			t.Fatalf("seed %d: %v", seed, w.truth.found)
		}
		for s, b := range bites.seen {
			if all[s] == nil {
				all[s] = &bite{}
			}
			a := all[s]
			a.tried, a.failed, a.alone = a.tried+b.tried, a.failed+b.failed, a.alone+b.alone
			a.decided, a.beside = append(a.decided, b.decided...), append(a.beside, b.beside...)
		}
	}
	return all
}

// judge says what misses a condition.
func judge(t *testing.T, s site, b *bite) (verdict, kind string) {
	if b.alone > 0 {
		if found := missed(b.decided, func(o site) bool { return o == s }); found != "" {
			return "missed: " + found, "missed alone"
		}
		t.Errorf("nothing misses %s, which decided alone in the seeds %v", s, b.decided[:min(5, len(b.decided))])
		return "NOT MISSED", "not missed"
	}
	if b.failed == 0 {
		return "never failed", "never failed"
	}
	if found := missed(b.beside, func(o site) bool { return o.function == s.function }); found != "" {
		return "missed with its commit's others: " + found, "missed with others"
	}
	t.Errorf("nothing misses %s with all others of its commit, in the seeds %v", s, b.beside[:min(5, len(b.beside))])
	return "NOT MISSED", "not missed"
}

// missed says which promise is broken in one of the seeds without some conditions.
func missed(seeds []uint64, without func(site) bool) string {
	seeds = slices.Compact(slices.Clone(seeds))
	for _, seed := range seeds[:min(len(seeds), 20)] {
		if found := broken(seed, without); found != "" {
			return fmt.Sprintf("%s, seed %d", found, seed)
		}
	}
	return ""
}

// broken says which promise one seed breaks without some conditions. Code that panics on what it can't have read with them has noticed too.
func broken(seed uint64, without func(site) bool) (promised string) {
	defer func() {
		if p := recover(); p != nil {
			promised = fmt.Sprintf("a panic: %v", p)
		}
	}()
	w := run(seed, program(seed, *programs), newMemory(), func(w *world) { w.teeth = newTeeth(seed, without) })
	if len(w.truth.found) == 0 {
		return ""
	}
	return promise(w.truth.found[0])
}
