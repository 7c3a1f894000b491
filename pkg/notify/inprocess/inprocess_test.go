package inprocess

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

// task returns a check of a candidate of a company; sk tells it from the others.
func task(company, candidate, sk string) store.Task {
	pk := fmt.Sprintf("%026s#CAND#%026s", company, candidate)
	return store.Task{Kind: store.TaskCheck, PK: pk, SK: sk}
}

func check(sk string) store.Task { return task("A", "1", sk) }

func start(t *testing.T, c Consumer) *Notifier {
	t.Helper()
	n := New()
	n.Start(map[string]Consumer{store.TaskCheck: c})
	return n
}

func closed(t *testing.T, n *Notifier) {
	t.Helper()
	if err := n.Close(t.Context()); err != nil {
		t.Errorf("Close = %v", err)
	}
}

func TestNotify(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := New()
		var worked sync.Map
		var checks, other atomic.Int32
		n.Notify(t.Context(), []store.Task{check("before Start")})
		n.Start(map[string]Consumer{
			store.TaskCheck: {Workers: 2, Queue: 10,
				Handle: func(_ context.Context, t store.Task) error {
					checks.Add(1)
					worked.Store(t.SK, true)
					return errors.New("logged by the handler")
				}},
			store.TaskRules: {Workers: 1, Queue: 1,
				Handle: func(context.Context, store.Task) error { other.Add(1); return nil }},
		})
		n.Notify(t.Context(), []store.Task{check("1"), check("2"),
			{Kind: store.TaskDeliver, PK: "p", SK: "3"}})
		synctest.Wait()
		if _, ok := worked.Load("2"); !ok || checks.Load() != 2 || other.Load() != 0 {
			t.Errorf("%d checks, %d others", checks.Load(), other.Load())
		}
		closed(t, n)
		n.Notify(t.Context(), []store.Task{check("late")})
		n.Enqueue(store.TaskCheck, check("late"))
		closed(t, n)
		if checks.Load() != 2 {
			t.Errorf("%d checks after Close", checks.Load())
		}
	})
}

func TestNotifyNeverWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var worked atomic.Int32
		n := start(t, Consumer{Workers: 1, Queue: 2,
			Handle: func(context.Context, store.Task) error {
				worked.Add(1)
				<-release
				return nil
			}})
		n.Notify(t.Context(), []store.Task{check("under way")})
		synctest.Wait()
		// Two fit, one of them notified of twice, and the rest is dropped. The one under way may
		// wait again.
		n.Notify(t.Context(), []store.Task{check("a"), check("a"), check("under way"), check("b"),
			check("c")})
		close(release)
		synctest.Wait()
		if worked.Load() != 3 {
			t.Errorf("worked on %d tasks, want 3", worked.Load())
		}
		closed(t, n)
	})
}

// TestFairBetweenCompanies floods the queue with one company's tasks: another's two are next, each
// in its turn, and its candidates take turns too.
func TestFairBetweenCompanies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var order []string
		release := make(chan struct{})
		n := start(t, Consumer{Workers: 1, Queue: 200,
			Handle: func(_ context.Context, t store.Task) error {
				order = append(order, t.SK)
				<-release
				return nil
			}})
		for i := range 100 {
			n.Notify(t.Context(), []store.Task{task("A", "1", fmt.Sprintf("flood %d", i))})
		}
		synctest.Wait()
		n.Notify(t.Context(), []store.Task{task("A", "2", "A's other candidate"),
			task("B", "3", "B first"), task("B", "3", "B second")})
		close(release)
		synctest.Wait()
		want := []string{"flood 0", "B first", "A's other candidate", "B second", "flood 1",
			"flood 2"}
		if len(order) != 103 || !slices.Equal(order[:6], want) {
			t.Errorf("worked in the order %q, want %q", order[:min(6, len(order))], want)
		}
		closed(t, n)
	})
}

// TestPerCompany keeps a worker free for other companies, and drops a flood's tasks before theirs.
func TestPerCompany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most, others := 0, 0, 0
		n := start(t, Consumer{Workers: 3, PerCompany: 2, Queue: 10,
			Handle: func(_ context.Context, t store.Task) error {
				company, _, _ := t.Owner()
				mu.Lock()
				defer mu.Unlock()
				if company != fmt.Sprintf("com_%026s", "A") {
					others++
					return nil
				}
				running++
				most = max(most, running)
				mu.Unlock()
				time.Sleep(time.Minute)
				mu.Lock()
				running--
				return nil
			}})
		for i := range 50 {
			n.Notify(t.Context(), []store.Task{task("A", fmt.Sprint(i), "flood")})
		}
		synctest.Wait()
		before := time.Now()
		n.Notify(t.Context(), []store.Task{task("B", "1", "b"), task("C", "1", "c")})
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if most != 2 || others != 2 || time.Since(before) > 0 {
			t.Errorf("%d of the flood at a time; %d others after %s", most, others,
				time.Since(before))
		}
		mu.Unlock()
		time.Sleep(time.Hour)
		closed(t, n)
		mu.Lock()
	})
}

// TestDo runs a step among the tasks of a queue, when its company has its turn.
func TestDo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		add := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		n := start(t, Consumer{Workers: 1, Queue: 20,
			Handle: func(_ context.Context, t store.Task) error {
				add(t.SK)
				time.Sleep(time.Second)
				return nil
			}})
		for i := range 10 {
			n.Notify(t.Context(), []store.Task{check(fmt.Sprint(i))})
		}
		synctest.Wait()
		if err := n.Do(t.Context(), store.TaskCheck, task("B", "1", "x"), func() {
			add("step")
		}); err != nil {
			t.Error(err)
		}
		mu.Lock()
		if want := []string{"0", "step"}; len(order) < 2 || !slices.Equal(order[:2], want) {
			t.Errorf("order %q, want %q", order, want)
		}
		mu.Unlock()
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := n.Do(short, store.TaskCheck, check("x"), func() {
			t.Error("an abandoned step ran")
		}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ErrTimeout: %v", err)
		}
		go func() {
			time.Sleep(time.Millisecond)
			closed(t, n)
		}()
		if err := n.Do(t.Context(), store.TaskCheck, check("x"), func() {
			t.Error("a step ran after Close")
		}); !errors.Is(err, ErrClosed) {
			t.Errorf("ErrClosed: %v", err)
		}
		if err := n.Do(t.Context(), store.TaskCheck, check("x"), nil); !errors.Is(err, ErrClosed) {
			t.Errorf("ErrClosed: %v", err)
		}
		time.Sleep(time.Minute)
	})
}

func TestCloseWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var finished, begun atomic.Int32
		n := start(t, Consumer{Workers: 1, Queue: 5,
			Handle: func(ctx context.Context, _ store.Task) error {
				begun.Add(1)
				select {
				case <-time.After(2 * time.Second):
					finished.Add(1)
				case <-ctx.Done():
				}
				return nil
			}})
		n.Notify(t.Context(), []store.Task{check("under way"), check("waiting")})
		synctest.Wait()
		closed(t, n)
		if finished.Load() != 1 || begun.Load() != 1 {
			t.Errorf("%d finished of %d begun", finished.Load(), begun.Load())
		}
	})
}

func TestCloseInterrupts(t *testing.T) {
	t.Parallel()
	for name, obeys := range map[string]bool{"ErrSlow": true, "ErrIgnoresContext": false} {
		synctest.Test(t, func(t *testing.T) {
			n := start(t, Consumer{Workers: 1, Queue: 1,
				Handle: func(ctx context.Context, _ store.Task) error {
					if obeys {
						<-ctx.Done()
						return ctx.Err()
					}
					time.Sleep(time.Minute)
					return nil
				}})
			n.Notify(t.Context(), []store.Task{check("slow")})
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			began := time.Now()
			if err := n.Close(ctx); !errors.Is(err, context.DeadlineExceeded) ||
				time.Since(began) > 4*time.Second {
				t.Errorf("%s: Close = %v after %v", name, err, time.Since(began))
			}
			time.Sleep(time.Minute) // of the bubble: the handler that ignores its context ends
		})
	}
}
