package chaos

import (
	"flag"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

var (
	full     = flag.Bool("full", false, "the full size of every test of this package")
	oneSeed  = flag.Uint64("seed", 0, "run this seed of TestChaos alone, and tell what happens")
	seeds    = flag.Int("seeds", 0, "how many seeds TestChaos runs")
	programs = flag.Int("steps", 150, "how many steps a seed of TestChaos has")
)

// size returns the amount of work of a test: small under `go test`, full under `make chaos`.
func size(little, all int) int {
	if *full {
		return all
	}
	return little
}

// simulations returns size for tests that run simulations of tasks.
func simulations(little, all int) int {
	if raced {
		return max(1, little/15)
	}
	return size(little, all)
}

// TestChaos runs seeds, each in a simulation of its own.
func TestChaos(t *testing.T) {
	t.Parallel()
	if *oneSeed != 0 {
		runSeed(t, *oneSeed)
		return
	}
	n := simulations(200, 10_000)
	if *seeds > 0 {
		n = *seeds
	}
	var next, calls, commits atomic.Int64
	var mu sync.Mutex
	answers := map[int]int{}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for seed := next.Add(1); seed <= int64(n) && !t.Failed(); seed = next.Add(1) {
				w := run(uint64(seed), program(uint64(seed), *programs), kvtest.NewMemory(), nil)
				calls.Add(int64(w.calls))
				commits.Add(int64(w.commits))
				if len(w.truth.found) > 0 {
					runSeed(t, uint64(seed))
				}
				mu.Lock()
				for status, n := range w.clients.answers {
					answers[status] += n
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	t.Logf("%d seeds of %d steps, %d calls, %d commits, answers %v", n, *programs, calls.Load(),
		commits.Load(), answers)
}

// maxTrace is the number of trace lines that a failure prints unless more are asked for.
const maxTrace = 4000

// runSeed runs one seed again, leaves out what is not needed to make it fail, and prints the rest.
func runSeed(t *testing.T, seed uint64) {
	again := func(seed uint64, steps []step) *simulation {
		return run(seed, steps, kvtest.NewMemory(), nil)
	}
	steps := program(seed, *programs)
	w := again(seed, steps)
	if len(w.truth.found) == 0 {
		return
	}
	first := w.truth.found[0]
	steps = shrink(seed, steps, promise(first), again)
	w = run(seed, steps, kvtest.NewMemory(), func(w *simulation) { w.trace = &strings.Builder{} })
	if len(w.trace.String()) > maxTrace && *oneSeed == 0 {
		text := w.trace.String()
		w.trace.Reset()
		w.trace.WriteString("…\n" + text[len(text)-maxTrace:])
	}
	t.Errorf(
		"seed %d breaks a promise: %s\nagain: go test ./pkg/worker/chaos -run TestChaos -seed %d\n%d of %d steps are enough:%s\n%s",
		seed, strings.Join(w.truth.found, "\n"), seed, len(steps), *programs, describe(steps),
		w.trace)
}
