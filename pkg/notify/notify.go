// Package notify holds the shared parts of the notifiers. Each notifier is a package of its own, so
// that a binary links only the clients it uses: eventbus notifies through EventBridge, queue
// through SQS, and inprocess inside one process.
//
// No notifier reports an error: the sweeper notifies again of every task that is still open.
package notify

import (
	"context"
	"sync"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

// Timeout bounds the time that a notification may delay its caller, whose work is stored already.
const Timeout = 2 * time.Second

// The bounds of one request to EventBridge or SQS.
const (
	maxEntries = 10
	maxBytes   = 256 << 10
)

// Fanout notifies through several notifiers concurrently; each picks the kinds of task it handles.
type Fanout []store.Notifier

// Notify calls every notifier and waits for all.
func (a Fanout) Notify(ctx context.Context, tasks []store.Task) {
	var group sync.WaitGroup
	for _, n := range a {
		group.Go(func() { n.Notify(ctx, tasks) })
	}
	group.Wait()
}

// Batches splits the entries into as few requests as their number and size (in bytes) allow, in
// order. An entry that is too big for any request is sent alone, and is refused there.
func Batches[E any](entries []E, size func(E) int) [][]E {
	var batches [][]E
	start, bytes := 0, 0
	for i, e := range entries {
		n := size(e)
		if i > start && (i-start == maxEntries || bytes+n > maxBytes) {
			batches = append(batches, entries[start:i])
			start, bytes = i, 0
		}
		bytes += n
	}
	if start < len(entries) {
		batches = append(batches, entries[start:])
	}
	return batches
}

// Context returns a context that ignores the cancellation of ctx and expires after Timeout.
func Context(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), Timeout)
}
