// Package inprocess rings inside one process: a bounded line of entries for each kind of work, and workers that take from it. What
// finds the line full is dropped, for the sweeper to ring again; a caller never waits.
package inprocess

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

// grace is what cancelled work has left.
const grace = time.Second

// Consumer works on one kind of entry.
type Consumer struct {
	Workers int // entries worked on at the same time
	Queue   int // entries that may wait
	Handle  func(context.Context, store.Task) error

	// Group names what an entry has in common with others, such as the endpoint it is for [all are one group]. At most Share entries of
	// a group are worked on at the same time [Workers], and at most a quarter of the line is theirs, so that a slow one
	// does not keep the others waiting.
	Group    func(store.Task) string
	PerGroup int
}

// Doorbell wakes the consumers of its own process. Its methods may be called at the same time.
type Notifier struct {
	log     *slog.Logger
	work    context.Context // ends when Close runs out of patience
	cancel  context.CancelFunc
	workers sync.WaitGroup

	mu     sync.Mutex
	queues map[string]*queue
	closed bool
}

// New returns a doorbell that nobody answers yet.
func New(log *slog.Logger) *Notifier {
	ctx, cancel := context.WithCancel(context.Background())
	return &Notifier{log: log, work: ctx, cancel: cancel, queues: map[string]*queue{}}
}

// Start begins to answer rings of these kinds (the Work constants of table). It is called once. What rang before is dropped.
func (d *Notifier) Start(consumers map[string]Consumer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for kind, c := range consumers {
		l := newQueue(c, &d.mu)
		d.queues[kind] = l
		for range c.Workers {
			d.workers.Go(func() { d.serve(l) })
		}
	}
}

// Ring puts the entries in line.
func (d *Notifier) Notify(_ context.Context, entries []store.Task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	for _, e := range entries {
		if l := d.queues[e.Kind]; l != nil {
			l.add(e)
		}
	}
}

// Close takes no more rings and waits for what is being worked on; what is still in line is dropped. When ctx ends first, the work
// is cancelled, has a second to stop, and Close returns the reason.
func (d *Notifier) Close(ctx context.Context) error {
	d.mu.Lock()
	if !d.closed {
		d.closed = true
		for _, l := range d.queues {
			l.close()
		}
	}
	d.mu.Unlock()
	defer d.cancel()
	done := make(chan struct{})
	go func() {
		d.workers.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		d.cancel()
		select {
		case <-done:
		case <-time.After(grace):
		}
		return fmt.Errorf("work was interrupted: %w", context.Cause(ctx))
	}
}

func (d *Notifier) serve(l *queue) {
	for {
		d.mu.Lock()
		e, g, ok := l.take()
		d.mu.Unlock()
		if !ok {
			return
		}
		if err := d.try(e, l.consumer); err != nil {
			d.log.ErrorContext(d.work, "entry failed", "kind", e.Kind, "error", err)
		}
		d.mu.Lock()
		l.done(g)
		d.mu.Unlock()
	}
}

// try keeps a panic in one piece of work from ending the process and all other work with it.
func (d *Notifier) try(e store.Task, c Consumer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.Handle(d.work, e)
}
