package worker_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/worker"
)

// eraser is a blob store that takes long: the sweep's time is over with the first prefix.
type eraser struct {
	rings *recorder
	over  context.CancelFunc
	saw   []int // how often it had rung at each deletion
}

func (e *eraser) DeleteAll(context.Context, string) error {
	e.saw = append(e.saw, len(e.rings.atOnce))
	e.over()
	return nil
}

// sweepLate sweeps a table where much is due: three candidates to erase, and events of 120 others. Its time is over with the first
// prefix that it deletes, or with its first ring.
func sweepLate(t *testing.T, firstRing bool) (*eraser, worker.Swept) {
	t.Helper()
	p := newPipeline(t)
	for n := range 123 {
		c := must(p.store.CreateCandidate(t.Context(), p.company, store.NewCandidate{}))(t)
		if n < 3 {
			if err := p.store.EraseCandidate(t.Context(), p.company, c.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.now = p.now.Add(time.Hour)
	ctx, over := context.WithCancel(t.Context())
	defer over()
	*p.rings = recorder{}
	if firstRing {
		p.rings.then = over
	}
	blobs := &eraser{rings: p.rings, over: over}
	swept, err := (&worker.Sweep{Store: p.store, Blobs: blobs, Log: slog.New(slog.DiscardHandler)}).Work(ctx)
	if err != nil {
		t.Error(err)
	}
	return blobs, swept
}

// A sweep rings before it does work of its own, and leaves the rest of that to a later one when its time is over: that is no failure.
func TestSweepRingsFirst(t *testing.T) {
	t.Parallel()
	blobs, swept := sweepLate(t, false)
	rung := blobs.rings.atOnce
	if swept.Due < 123 {
		t.Errorf("%+v", swept)
	}
	if len(rung) < 2 || slices.Max(rung) > 100 {
		t.Errorf("rang for %v entries at once", rung)
	}
	for _, before := range blobs.saw {
		if before != len(rung) {
			t.Errorf("erased after %d of %d rings", before, len(rung))
		}
	}
	if erased := len(blobs.saw); erased == 0 || erased > 2 { // one candidate has two prefixes
		t.Errorf("%d prefixes were deleted", erased)
	}
}

// A sweep whose time is over rings no more.
func TestSweepEndsInTime(t *testing.T) {
	t.Parallel()
	blobs, _ := sweepLate(t, true)
	if rung := blobs.rings.atOnce; len(rung) != 1 || len(blobs.saw) != 0 {
		t.Errorf("rang %d times and deleted %d prefixes", len(rung), len(blobs.saw))
	}
}

// A delivery that would not end in time is not begun, but the first one always is: something has to get on.
func TestDeliverEndsInTime(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	must(p.store.CreateIntegration(t.Context(), p.company, dossier.IntegrationInput{Name: "I", TriggerEvent: "candidateMessageSent",
		Target: dossier.Target{Type: dossier.TargetWebhook, URL: "https://example.com"}}, "whsec_x"))(t)
	c := must(p.store.CreateCandidate(t.Context(), p.company, store.NewCandidate{}))(t)
	for range 3 {
		must(p.store.SendMessage(t.Context(), p.company, c.ID, dossier.Author{Type: dossier.AuthorSystem}, "Hello."))(t)
	}
	dispatch := &worker.Dispatch{Store: p.store}
	for _, e := range slices.Clone(p.rings.entries) {
		if e.Kind == store.TaskDispatch {
			if err := dispatch.Work(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	last := p.rings.entries[len(p.rings.entries)-1]
	if last.Kind != store.TaskDeliver {
		t.Fatalf("rang %v", p.rings.entries)
	}
	deliver := &worker.Deliver{Store: p.store, Sender: p.receiver, Now: func() time.Time { return p.now }}
	for _, c := range []struct {
		left time.Duration
		want int
	}{{11 * time.Second, 1}, {time.Minute, 3}} {
		ctx, stop := context.WithTimeout(t.Context(), c.left)
		if err := deliver.Work(ctx, last); err != nil {
			t.Error(err)
		}
		stop()
		if len(p.receiver.got) != c.want {
			t.Errorf("%d were sent with %v left, not %d", len(p.receiver.got), c.left, c.want)
		}
	}
}
