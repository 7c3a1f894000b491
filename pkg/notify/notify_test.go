package notify

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/store"
)

func TestBatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sizes []int
		want  []int // entries in each batch
	}{
		"OK none":        {nil, nil},
		"OK ten":         {slices.Repeat([]int{1}, 10), []int{10}},
		"OK eleven":      {slices.Repeat([]int{1}, 11), []int{10, 1}},
		"OK full":        {[]int{maxBytes - 1, 1, 1}, []int{2, 1}},
		"ErrTooBigAlone": {[]int{1, maxBytes + 1, 1}, []int{1, 1, 1}},
	} {
		var got, flat []int
		for _, batch := range Batches(c.sizes, func(n int) int { return n }) {
			got = append(got, len(batch))
			flat = append(flat, batch...)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: batches (-want +got):\n%s", name, diff)
		}
		if !slices.Equal(flat, c.sizes) {
			t.Errorf("%s: the order changed", name)
		}
	}
}

type notifierFunc func([]store.Task)

func (b notifierFunc) Notify(_ context.Context, entries []store.Task) { b(entries) }

func TestAll(t *testing.T) {
	t.Parallel()
	var together sync.WaitGroup
	together.Add(2)
	wait := notifierFunc(func(e []store.Task) {
		if len(e) != 1 {
			t.Errorf("rung for %d entries", len(e))
		}
		together.Done()
		together.Wait() // ends only if both notify at the same time
	})
	Fanout{wait, wait}.Notify(t.Context(), []store.Task{{Kind: store.TaskCheck}})
}

func TestPatient(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	ctx, stop := Context(gone)
	defer stop()
	if ctx.Err() != nil {
		t.Error("OK: a caller who is gone ends the ring")
	}
	if end, ok := ctx.Deadline(); !ok || time.Until(end) > Timeout {
		t.Errorf("OK: the ring ends at %v", end)
	}
}
