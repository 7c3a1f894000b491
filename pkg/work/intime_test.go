package work_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/table"
	"github.com/dossierhq/dossier/pkg/work"
)

// eraser is a blob store that takes long: the sweep's time is over with the first prefix.
type eraser struct {
	rung func() int
	over context.CancelFunc
	saw  []int // how often it had rung at each deletion
}

func (e *eraser) DeleteAll(context.Context, string) error {
	e.saw = append(e.saw, e.rung())
	e.over()
	return nil
}

// A sweep rings before it does work of its own, and leaves the rest of that to the next one when its time is over.
func TestSweepRingsFirst(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	for range 3 {
		c := must(p.table.CreateCandidate(t.Context(), p.company, table.NewCandidate{}))(t)
		if err := p.table.EraseCandidate(t.Context(), p.company, c.ID); err != nil {
			t.Fatal(err)
		}
	}
	must(p.table.CreateCandidate(t.Context(), p.company, table.NewCandidate{}))(t)
	p.rings.entries, p.now = nil, p.now.Add(time.Hour)
	ctx, over := context.WithCancel(t.Context())
	defer over()
	blobs := &eraser{over: over, rung: func() int { return len(p.rings.entries) }}
	swept, _ := (&work.Sweep{Table: p.table, Blobs: blobs, Log: slog.New(slog.DiscardHandler)}).Work(ctx)
	if len(blobs.saw) == 0 || blobs.saw[0] == 0 || swept.Due < 4 {
		t.Errorf("%+v: rung for %v entries before each deletion", swept, blobs.saw)
	}
	erased := map[string]bool{}
	for _, e := range must(due(t, p.table))(t) {
		if e.Kind == table.WorkErase {
			erased[e.PK] = true
		}
	}
	if len(erased) != 3 { // the first was not ended: its time was over
		t.Errorf("%d erasures are left", len(erased))
	}
}

func due(t *testing.T, tb *table.Table) ([]table.Entry, error) {
	t.Helper()
	entries, _, err := tb.Due(t.Context(), 100, new(table.Places))
	return entries, err
}

// A delivery that would not end in time is not begun, but the first one always is: something has to get on.
func TestDeliverEndsInTime(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	must(p.table.CreateIntegration(t.Context(), p.company, table.IntegrationContent{Name: "I", TriggerEvent: "candidateMessageSent",
		Target: dossier.Target{Type: dossier.TargetWebhook, URL: "https://example.com"}}, "whsec_x"))(t)
	c := must(p.table.CreateCandidate(t.Context(), p.company, table.NewCandidate{}))(t)
	for range 3 {
		must(p.table.SendMessage(t.Context(), p.company, c.ID, dossier.Author{Type: dossier.AuthorSystem}, "Hello."))(t)
	}
	dispatch := &work.Dispatch{Table: p.table}
	for _, e := range slices.Clone(p.rings.entries) {
		if e.Kind == table.WorkDispatch {
			if err := dispatch.Work(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	last := p.rings.entries[len(p.rings.entries)-1]
	if last.Kind != table.WorkDeliver {
		t.Fatalf("rang %v", p.rings.entries)
	}
	deliver := &work.Deliver{Table: p.table, Sender: p.receiver, Now: func() time.Time { return p.now }}
	for _, c := range []struct {
		left time.Duration
		want int
	}{{5 * time.Second, 1}, {time.Minute, 3}} {
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
