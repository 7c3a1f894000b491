// Package notify holds what the doorbells share. Each doorbell is a package of its own, so that a binary links only the clients it
// uses: eventbus rings on EventBridge, queue through SQS, and inprocess inside one process.
//
// No doorbell reports an error: a ring that gets lost is rung again by the sweeper, as long as the entry is open.
package notify

import (
	"context"
	"sync"
	"time"

	"github.com/dossierhq/dossier/pkg/store"
)

// Patience is how long a ring may keep the caller waiting, whose work is stored already.
const Timeout = 2 * time.Second

// What one request to EventBridge or SQS takes.
const (
	maxEntries = 10
	maxBytes   = 256 << 10
)

// All rings several doorbells at the same time; each picks the kinds that are its own.
type Fanout []store.Notifier

// Ring rings every doorbell and waits for all.
func (a Fanout) Notify(ctx context.Context, entries []store.Task) {
	var group sync.WaitGroup
	for _, bell := range a {
		group.Go(func() { bell.Notify(ctx, entries) })
	}
	group.Wait()
}

// Batches cuts the entries into as few requests as their number and size (in bytes) allow, in order. What is too big for any request
// goes alone, and is refused there.
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

// Patient is the time a ring has: not shortened by a caller who is gone.
func Context(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), Timeout)
}
