package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/worker"
)

// counted counts the commits of a storage engine.
type counted struct {
	kv.Engine
	commits int
}

func (c *counted) Commit(ctx context.Context, writes ...kv.Write) error {
	c.commits++
	return c.Engine.Commit(ctx, writes...)
}

// endpoint answers the nth request with what says has at n, and then with Delivered; each takes so
// long.
type endpoint struct {
	p     *pipeline
	says  map[int]dossier.DeliveryResult
	takes time.Duration
	got   []string
}

func (e *endpoint) Send(_ context.Context, d dossier.Delivery) dossier.Outcome {
	e.got = append(e.got, d.ID)
	e.p.now = e.p.now.Add(e.takes)
	result, ok := e.says[len(e.got)]
	if !ok {
		result = dossier.Delivered
	}
	return dossier.Outcome{Result: result, Attempt: dossier.Attempt{At: dossier.NewTime(e.p.now)}}
}

// together is a candidate with so many deliveries in line to one integration.
type together struct {
	*pipeline
	engine  *counted
	deliver *worker.Deliver
	last    store.Task
}

func newTogether(t *testing.T, n int, to *endpoint) *together {
	t.Helper()
	w := &together{engine: &counted{Engine: newBolt(t)}}
	w.pipeline = newPipelineOn(t, w.engine)
	to.p = w.pipeline
	w.deliver = &worker.Deliver{Store: w.store, Sender: to, Now: func() time.Time { return w.now },
		Log: slog.New(slog.DiscardHandler), DisableAfter: time.Hour,
		NextDelay: func(int, time.Duration, float64) (time.Duration, bool) {
			return time.Minute, true
		}}
	must(w.store.CreateIntegration(t.Context(), w.company,
		dossier.IntegrationInput{Name: "I", TriggerEvent: "candidateMessageSent",
			Target: dossier.Target{Type: dossier.TargetWebhook, URL: "https://example.com"}},
		"whsec_x"))(t)
	c := must(w.store.CreateCandidate(t.Context(), w.company, store.NewCandidate{}))(t)
	for n := range n {
		must(w.store.SendMessage(t.Context(), w.company, c.ID,
			dossier.Author{Type: dossier.AuthorSystem}, fmt.Sprint(n)))(t)
	}
	dispatch := &worker.Dispatch{Store: w.store}
	for _, e := range slices.Clone(w.notified.entries) {
		if e.Kind == store.TaskDispatch {
			if err := dispatch.Work(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.last = w.notified.entries[len(w.notified.entries)-1]
	w.engine.commits = 0
	return w
}

// log returns the statuses of the integration log with the number of attempts, the oldest first.
func (w *together) log(t *testing.T) []string {
	t.Helper()
	entries, _, err := w.store.Logs(t.Context(), w.company, store.LogFilter{}, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(entries, func(a, b dossier.LogEntry) int {
		return slices.Compare([]string{a.ID}, []string{b.ID})
	})
	var all []string
	for _, e := range entries {
		all = append(all, fmt.Sprint(e.Status, " ", len(e.Attempts)))
	}
	return all
}

func (w *together) work(t *testing.T) {
	t.Helper()
	if err := w.deliver.Work(t.Context(), w.last); err != nil {
		t.Fatal(err)
	}
}

// What waits for one integration is claimed in one commit and recorded in one, and sent in order.
func TestDeliverTogether(t *testing.T) {
	t.Parallel()
	to := &endpoint{}
	w := newTogether(t, 20, to)
	w.work(t)
	if len(to.got) != 20 || !slices.IsSorted(to.got) || w.engine.commits != 4 {
		t.Errorf("%d commits for %v", w.engine.commits, to.got)
	}
	if diff := cmp.Diff(slices.Repeat([]string{"delivered 1"}, 20), w.log(t)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// A failure leaves what was made before it recorded, and what comes after it waiting.
func TestDeliverTogetherFails(t *testing.T) {
	t.Parallel()
	to := &endpoint{says: map[int]dossier.DeliveryResult{3: dossier.Retry}}
	w := newTogether(t, 5, to)
	w.work(t)
	want := []string{"delivered 1", "delivered 1", "pending 1", "pending 0", "pending 0"}
	if diff := cmp.Diff(want, w.log(t)); diff != "" || len(to.got) != 3 {
		t.Errorf("%d requests (-want +got):\n%s", len(to.got), diff)
	}
	cursors := store.SweepCursors{}
	due, _, err := w.store.Due(t.Context(), 100, &cursors)
	if err != nil || len(deliveries(due)) != 0 {
		t.Errorf("due before the next attempt: %v, %v", due, err)
	}
	w.work(t) // the first has to wait
	w.now = w.now.Add(time.Minute)
	w.work(t)
	want = []string{"delivered 1", "delivered 1", "delivered 2", "delivered 1", "delivered 1"}
	if diff := cmp.Diff(want, w.log(t)); diff != "" || !slices.IsSorted(to.got) {
		t.Errorf("%v (-want +got):\n%s", to.got, diff)
	}
}

func deliveries(tasks []store.Task) []store.Task {
	return slices.DeleteFunc(tasks, func(e store.Task) bool { return e.Kind != store.TaskDeliver })
}

// An endpoint that is gone disables its integration; what was claimed with the request is held.
func TestDeliverTogetherGone(t *testing.T) {
	t.Parallel()
	to := &endpoint{says: map[int]dossier.DeliveryResult{2: dossier.Gone}}
	w := newTogether(t, 4, to)
	w.work(t)
	w.work(t)
	want := []string{"delivered 1", "held 1", "held 0", "held 0"}
	if diff := cmp.Diff(want, w.log(t)); diff != "" || len(to.got) != 2 {
		t.Errorf("%d requests (-want +got):\n%s", len(to.got), diff)
	}
}

// Slow requests are recorded after a while, long before the claim ends, and the others follow.
func TestDeliverTogetherSlow(t *testing.T) {
	t.Parallel()
	to := &endpoint{takes: 1500 * time.Millisecond}
	w := newTogether(t, 4, to)
	w.work(t)
	if len(to.got) != 4 || !slices.IsSorted(to.got) {
		t.Errorf("sent %v", to.got)
	}
	// Two are claimed, recorded and given back at a time: 3 commits, and then 2.
	if diff := cmp.Diff(slices.Repeat([]string{"delivered 1"}, 4), w.log(t)); diff != "" ||
		w.engine.commits != 5 {
		t.Errorf("%d commits, log (-want +got):\n%s", w.engine.commits, diff)
	}
}

// A process that stops cleanly records what it made, and gives the rest back at once.
func TestDeliverTogetherInterrupted(t *testing.T) {
	t.Parallel()
	to := &endpoint{says: map[int]dossier.DeliveryResult{2: dossier.Interrupted}}
	w := newTogether(t, 3, to)
	w.work(t)
	want := []string{"delivered 1", "pending 0", "pending 0"}
	if diff := cmp.Diff(want, w.log(t)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	w.work(t)
	if diff := cmp.Diff(slices.Repeat([]string{"delivered 1"}, 3), w.log(t)); diff != "" ||
		len(to.got) != 4 {
		t.Errorf("%v (-want +got):\n%s", to.got, diff)
	}
}

// A worker that was away past its claim records what nobody else has made since.
func TestDeliverTogetherLate(t *testing.T) {
	t.Parallel()
	w := newTogether(t, 3, &endpoint{})
	late, err := w.store.ClaimDeliveries(t.Context(), w.last)
	if err != nil || len(late) != 3 {
		t.Fatalf("claims: %v, %v", late, err)
	}
	w.now = w.now.Add(time.Minute)
	again, err := w.store.ClaimDeliveries(t.Context(), w.last)
	if err != nil || len(again) != 3 {
		t.Fatalf("claims: %v, %v", again, err)
	}
	made := func(claims []store.Delivery) (all []store.Made) {
		for _, c := range claims {
			all = append(all, store.Made{Claim: c})
		}
		return all
	}
	if err := w.store.Delivered(t.Context(), made(late)); err == nil {
		t.Error("the late worker ends deliveries of another")
	}
	mixed := append(made(late[:1]), made(again[1:])...)
	if err := w.store.Delivered(t.Context(), mixed); err == nil {
		t.Error("the late worker ends the first delivery of another")
	}
	want := []string{"pending 0", "delivered 1", "delivered 1"}
	if diff := cmp.Diff(want, w.log(t)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
