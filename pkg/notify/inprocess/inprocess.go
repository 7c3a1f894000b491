// Package inprocess notifies inside one process: a bounded queue of tasks for each kind of work,
// and workers that take from it. The queue is fair between companies, and within a company between
// candidates or targets. A full queue drops tasks of the company that has the most, for the sweeper
// to find; a caller never waits.
package inprocess

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

// grace is the time that cancelled work has left to stop.
const grace = time.Second

// ErrClosed is returned for work that the notifier no longer begins; it is a context.Canceled.
var ErrClosed = fmt.Errorf("the process is stopping: %w", context.Canceled)

// Consumer works on one kind of task.
type Consumer struct {
	Workers int // tasks worked on at the same time
	Queue   int // tasks that may wait

	// Handle works on one task. It logs its own errors: an unfinished task stays open in the
	// table, and the sweeper notifies of it again.
	Handle func(context.Context, store.Task) error

	// PerCompany bounds the tasks of one company that are worked on at the same time [Workers].
	// With less than Workers, a company that floods leaves workers to the others.
	PerCompany int
	// PerTarget bounds those of one integration or scenario in the same way [PerCompany].
	PerTarget int
}

// Notifier hands tasks to the consumers of its own process. Its methods may be called at the same
// time.
type Notifier struct {
	work    context.Context // ends when Close stops waiting
	cancel  context.CancelFunc
	workers sync.WaitGroup

	mu     sync.Mutex
	queues map[string]*queue
	closed bool
}

// New returns a notifier without consumers.
func New() *Notifier {
	ctx, cancel := context.WithCancel(context.Background())
	return &Notifier{work: ctx, cancel: cancel, queues: map[string]*queue{}}
}

// Start starts the consumers, each under the name of its queue: the kind of task (a Task constant
// of store), or any name for Enqueue. It is called once. Tasks notified of before are dropped.
func (n *Notifier) Start(consumers map[string]Consumer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name, c := range consumers {
		q := newQueue(c, &n.mu)
		n.queues[name] = q
		for range c.Workers {
			n.workers.Go(func() { n.serve(q) })
		}
	}
}

// Notify puts each task into the queue of its kind.
func (n *Notifier) Notify(_ context.Context, tasks []store.Task) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range tasks {
		if q := n.queues[t.Kind]; q != nil && !n.closed {
			q.add(t)
		}
	}
}

// Enqueue puts a task into the named queue instead of that of its kind.
func (n *Notifier) Enqueue(name string, t store.Task) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if q := n.queues[name]; q != nil && !n.closed {
		q.add(t)
	}
}

// Do runs a step of a task's work on a worker of the named queue, when it is its company's turn,
// and waits for it. The step goes before the other tasks of its company. An error means that the
// step was not begun: the context ended first, or the notifier was closed.
func (n *Notifier) Do(ctx context.Context, name string, t store.Task, run func()) error {
	s := &step{run: run, begun: make(chan struct{}), ended: make(chan struct{})}
	n.mu.Lock()
	q := n.queues[name]
	if q == nil || n.closed {
		n.mu.Unlock()
		return ErrClosed
	}
	q.addStep(t, s)
	n.mu.Unlock()
	select {
	case <-s.begun:
	case <-ctx.Done():
		n.mu.Lock()
		waits := q.removeStep(t, s)
		n.mu.Unlock()
		if waits {
			return context.Cause(ctx)
		}
	case <-q.stopped:
		n.mu.Lock()
		waits := q.removeStep(t, s)
		n.mu.Unlock()
		if waits {
			return ErrClosed
		}
	}
	<-s.ended
	return nil
}

// Close takes no more tasks and waits for those that are being worked on; those that wait are
// dropped. If ctx ends first, the work is cancelled, has a second to stop, and Close returns the
// reason.
func (n *Notifier) Close(ctx context.Context) error {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		for _, q := range n.queues {
			q.close()
		}
	}
	n.mu.Unlock()
	defer n.cancel()
	done := make(chan struct{})
	go func() {
		n.workers.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		n.cancel()
		select {
		case <-done:
		case <-time.After(grace):
		}
		return fmt.Errorf("work was interrupted: %w", context.Cause(ctx))
	}
}

func (n *Notifier) serve(q *queue) {
	for {
		n.mu.Lock()
		e, g, ok := q.take()
		n.mu.Unlock()
		if !ok {
			return
		}
		if e.step == nil {
			_ = q.consumer.Handle(n.work, e.task) // logged there
		} else {
			e.step.run()
			close(e.step.ended)
		}
		n.mu.Lock()
		q.done(g)
		n.mu.Unlock()
	}
}
