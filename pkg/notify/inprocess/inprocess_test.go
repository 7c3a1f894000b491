package inprocess

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

func entry(sk string) store.Task { return store.Task{Kind: store.TaskCheck, PK: "p", SK: sk} }

func TestRing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := New(slog.New(slog.DiscardHandler))
		var worked sync.Map
		var checks, other atomic.Int32
		d.Notify(t.Context(), []store.Task{entry("early")})
		d.Start(map[string]Consumer{
			store.TaskCheck: {Workers: 2, Queue: 10, Handle: func(_ context.Context, e store.Task) error {
				checks.Add(1)
				worked.Store(e.SK, true)
				return nil
			}},
			store.TaskRules: {Workers: 1, Queue: 1, Handle: func(context.Context, store.Task) error { other.Add(1); return nil }},
		})
		d.Notify(t.Context(), []store.Task{entry("1"), entry("2"), {Kind: store.TaskDeliver, PK: "p", SK: "3"}})
		synctest.Wait()
		if _, ok := worked.Load("2"); !ok || checks.Load() != 2 || other.Load() != 0 {
			t.Errorf("OK: %d checks, %d others", checks.Load(), other.Load())
		}
		if err := d.Close(t.Context()); err != nil {
			t.Errorf("OK: Close = %v", err)
		}
		d.Notify(t.Context(), []store.Task{entry("late")})
		if err := d.Close(t.Context()); err != nil || checks.Load() != 2 {
			t.Errorf("OK: after Close: %v, %d checks", err, checks.Load())
		}
	})
}

func TestRingNeverWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := New(slog.New(slog.DiscardHandler))
		release := make(chan struct{})
		var worked atomic.Int32
		d.Start(map[string]Consumer{store.TaskCheck: {Workers: 1, Queue: 2, Handle: func(context.Context, store.Task) error {
			worked.Add(1)
			<-release
			return nil
		}}})
		d.Notify(t.Context(), []store.Task{entry("under way")})
		synctest.Wait()
		// Two fit, one of them rung twice, and the rest is dropped. The one under way may be rung again.
		d.Notify(t.Context(), []store.Task{entry("a"), entry("a"), entry("under way"), entry("b"), entry("c")})
		close(release)
		synctest.Wait()
		if worked.Load() != 3 {
			t.Errorf("OK: worked on %d entries, want 3", worked.Load())
		}
		if err := d.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestErrWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		d := New(slog.New(slog.NewJSONHandler(&log, nil)))
		d.Start(map[string]Consumer{store.TaskCheck: {Workers: 1, Queue: 3, Handle: func(_ context.Context, e store.Task) error {
			if e.SK == "panic" {
				panic("at the table")
			}
			return errors.New("storage is away")
		}}})
		d.Notify(t.Context(), []store.Task{entry("panic"), entry("error")})
		synctest.Wait()
		if err := d.Close(t.Context()); err != nil {
			t.Error(err)
		}
		for _, want := range []string{"at the table", "storage is away", `"kind":"check"`} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("ErrWork: log without %q: %s", want, log.String())
			}
		}
	})
}

func TestCloseWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := New(slog.New(slog.DiscardHandler))
		var finished, begun atomic.Int32
		d.Start(map[string]Consumer{store.TaskCheck: {Workers: 1, Queue: 5, Handle: func(ctx context.Context, e store.Task) error {
			begun.Add(1)
			select {
			case <-time.After(2 * time.Second):
				finished.Add(1)
			case <-ctx.Done():
			}
			return nil
		}}})
		d.Notify(t.Context(), []store.Task{entry("under way"), entry("in line")})
		synctest.Wait()
		if err := d.Close(t.Context()); err != nil || finished.Load() != 1 || begun.Load() != 1 {
			t.Errorf("OK: Close = %v with %d finished of %d begun", err, finished.Load(), begun.Load())
		}
	})
}

func TestErrCloseInterrupts(t *testing.T) {
	t.Parallel()
	for name, obeys := range map[string]bool{"ErrSlow": true, "ErrDeaf": false} {
		synctest.Test(t, func(t *testing.T) {
			d := New(slog.New(slog.DiscardHandler))
			d.Start(map[string]Consumer{store.TaskCheck: {Workers: 1, Queue: 1, Handle: func(ctx context.Context, _ store.Task) error {
				if obeys {
					<-ctx.Done()
					return ctx.Err()
				}
				time.Sleep(time.Minute)
				return nil
			}}})
			d.Notify(t.Context(), []store.Task{entry("slow")})
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			start := time.Now()
			if err := d.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 4*time.Second {
				t.Errorf("%s: Close = %v after %v", name, err, time.Since(start))
			}
			time.Sleep(time.Minute) // of the bubble: the deaf one ends
		})
	}
}
