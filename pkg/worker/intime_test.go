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
	notified *recorder
	over     context.CancelFunc
	saw      []int // the number of notifications at each deletion
}

func (e *eraser) DeleteAll(context.Context, string) error {
	e.saw = append(e.saw, len(e.notified.atOnce))
	e.over()
	return nil
}

// sweepLate sweeps a table where much is due: three candidates to erase, and events of 120 others.
// Its time is over with the first prefix that it deletes, or with its first notification.
func sweepLate(t *testing.T, firstNotification bool) (*eraser, worker.Swept) {
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
	*p.notified = recorder{}
	if firstNotification {
		p.notified.then = over
	}
	blobs := &eraser{notified: p.notified, over: over}
	swept, err := (&worker.Sweep{Store: p.store, Blobs: blobs,
		Log: slog.New(slog.DiscardHandler)}).Work(ctx)
	if err != nil {
		t.Error(err)
	}
	return blobs, swept
}

// A sweep notifies before it does work of its own, and leaves the rest to a later one when its
// time is over, which is no failure.
func TestSweepNotifiesFirst(t *testing.T) {
	t.Parallel()
	blobs, swept := sweepLate(t, false)
	batches := blobs.notified.atOnce
	if swept.Due < 123 {
		t.Errorf("%+v", swept)
	}
	if len(batches) < 2 || slices.Max(batches) > 100 {
		t.Errorf("notified of %v tasks at once", batches)
	}
	for _, before := range blobs.saw {
		if before != len(batches) {
			t.Errorf("erased after %d of %d notifications", before, len(batches))
		}
	}
	if erased := len(blobs.saw); erased == 0 || erased > 2 { // one candidate has two prefixes
		t.Errorf("%d prefixes were deleted", erased)
	}
}

// A sweep whose time is over notifies no more.
func TestSweepEndsInTime(t *testing.T) {
	t.Parallel()
	blobs, _ := sweepLate(t, true)
	if batches := blobs.notified.atOnce; len(batches) != 1 || len(blobs.saw) != 0 {
		t.Errorf("notified %d times and deleted %d prefixes", len(batches), len(blobs.saw))
	}
}

// A delivery that would not end in time is not begun, but the first one always is: something has to
// get on.
func TestDeliverEndsInTime(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	must(p.store.CreateIntegration(t.Context(), p.company,
		dossier.IntegrationInput{Name: "I", TriggerEvent: "candidateMessageSent",
			Target: dossier.Target{Type: dossier.TargetWebhook, URL: "https://example.com"}},
		"whsec_x"))(t)
	c := must(p.store.CreateCandidate(t.Context(), p.company, store.NewCandidate{}))(t)
	for range 3 {
		must(p.store.SendMessage(t.Context(), p.company, c.ID,
			dossier.Author{Type: dossier.AuthorSystem}, "Hello."))(t)
	}
	dispatch := &worker.Dispatch{Store: p.store}
	for _, e := range slices.Clone(p.notified.entries) {
		if e.Kind == store.TaskDispatch {
			if err := dispatch.Work(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	last := p.notified.entries[len(p.notified.entries)-1]
	if last.Kind != store.TaskDeliver {
		t.Fatalf("notified of %v", p.notified.entries)
	}
	deliver := &worker.Deliver{Store: p.store, Sender: p.receiver, Now: func() time.Time {
		return p.now
	}}
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
