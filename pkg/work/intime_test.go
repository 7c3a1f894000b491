package work_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/table"
	"github.com/dossierhq/dossier/pkg/table/bolt"
	"github.com/dossierhq/dossier/pkg/work"
)

// bell counts what it rings for at once, and may end the sweep's time.
type bell struct {
	rung []int
	over func()
}

func (b *bell) Ring(_ context.Context, entries []table.Entry) {
	b.rung = append(b.rung, len(entries))
	if b.over != nil {
		b.over()
	}
}

// eraser is a blob store that takes long: the sweep's time is over with the first prefix.
type eraser struct {
	bell *bell
	over context.CancelFunc
	saw  []int // how often it had rung at each deletion
}

func (e *eraser) DeleteAll(context.Context, string) error {
	e.saw = append(e.saw, len(e.bell.rung))
	e.over()
	return nil
}

// late is a table with much that is due: three candidates to erase, and events of 120 others.
func late(t *testing.T, b *bell) *table.Table {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	tb := table.New(engine, table.Config{Doorbell: b, Now: func() time.Time { return now }})
	company := must(tb.CreateCompany(t.Context(), "", "Test"))(t)
	for n := range 123 {
		c := must(tb.CreateCandidate(t.Context(), company.ID, table.NewCandidate{}))(t)
		if n < 3 {
			if err := tb.EraseCandidate(t.Context(), company.ID, c.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.rung, now = nil, now.Add(time.Hour)
	return tb
}

// A sweep rings before it does work of its own, and leaves the rest of that to a later one when its time is over: that is no failure.
func TestSweepRingsFirst(t *testing.T) {
	t.Parallel()
	b := &bell{}
	tb := late(t, b)
	ctx, over := context.WithCancel(t.Context())
	defer over()
	blobs := &eraser{bell: b, over: over}
	swept, err := (&work.Sweep{Table: tb, Blobs: blobs, Log: slog.New(slog.DiscardHandler)}).Work(ctx)
	if err != nil || swept.Due < 123 {
		t.Errorf("%+v, %v", swept, err)
	}
	if len(b.rung) < 2 || slices.Max(b.rung) > 100 {
		t.Errorf("rang for %v entries at once", b.rung)
	}
	for _, rung := range blobs.saw {
		if rung != len(b.rung) {
			t.Errorf("erased after %d of %d rings", rung, len(b.rung))
		}
	}
	if erased := len(blobs.saw); erased == 0 || erased > 2 { // one candidate has two prefixes
		t.Errorf("%d prefixes were deleted", erased)
	}
}

// A sweep whose time is over rings no more.
func TestSweepEndsInTime(t *testing.T) {
	t.Parallel()
	b := &bell{}
	tb := late(t, b)
	ctx, over := context.WithCancel(t.Context())
	defer over()
	b.over = over
	blobs := &eraser{bell: b, over: over}
	if _, err := (&work.Sweep{Table: tb, Blobs: blobs, Log: slog.New(slog.DiscardHandler)}).Work(ctx); err != nil {
		t.Error(err)
	}
	if len(b.rung) != 1 || len(blobs.saw) != 0 {
		t.Errorf("rang %d times and deleted %d prefixes", len(b.rung), len(blobs.saw))
	}
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
