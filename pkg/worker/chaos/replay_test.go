package chaos

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

// TestReplay runs seeds twice in memory and once on the embedded engine: everything happens again,
// in the same order, on both.
func TestReplay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(simulations(15, 200)) {
		first := traced(seed, kvtest.NewMemory())
		if diff := cmp.Diff(first, traced(seed, kvtest.NewMemory())); diff != "" {
			t.Fatalf("seed %d is not the same twice:\n%s", seed, diff)
		}
		engine, err := bolt.Open(filepath.Join(fastDir(t), "db"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, traced(seed, engine)); diff != "" {
			t.Errorf("seed %d goes another way on the embedded engine:\n%s", seed, diff)
		}
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	}
}

func traced(seed uint64, engine kv.Engine) []string {
	w := run(seed, program(seed, *programs), engine, func(w *simulation) {
		w.trace = &strings.Builder{}
	})
	return append(strings.Split(w.trace.String(), "\n"), w.truth.found...)
}

// TestShrink plants a bug in the storage and sees that a seed which finds it is made shorter, and
// still finds it.
func TestShrink(t *testing.T) {
	t.Parallel()
	again := func(seed uint64, steps []step) *simulation {
		return run(seed, steps, kvtest.NewMemory(), func(w *simulation) {
			w.mutation = newConditionMutation(seed, func(s site) bool {
				return s.function == "dispatch" && s.asks == "revision as read"
			})
			w.mutation.alone = true
		})
	}
	for seed := range uint64(50) {
		steps := program(seed, *programs)
		w := again(seed, steps)
		if len(w.truth.found) == 0 {
			continue
		}
		what := promise(w.truth.found[0])
		few := shrink(seed, steps, what, again)
		if w := again(seed, few); len(few) > len(steps)/2 || len(w.truth.found) == 0 ||
			promise(w.truth.found[0]) != what {
			t.Errorf("seed %d: %d of %d steps find %v, not %q", seed, len(few), len(steps),
				w.truth.found, what)
		}
		t.Logf("seed %d: %q is found by %d of %d steps", seed, what, len(few), len(steps))
		return
	}
	t.Error("no seed finds an event that is handed out twice")
}
