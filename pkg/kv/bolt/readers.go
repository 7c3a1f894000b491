package bolt

import (
	"errors"
	"sync"
	"time"
)

// readers counts the reads that are under way, by generation.
type readers struct {
	mu         sync.Mutex
	generation int64
	reads      map[int64]int // by the generation that they began in; none is 0
}

// begin counts a read that begins now; end ends it.
func (r *readers) begin() (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reads == nil {
		r.reads = map[int64]int{}
	}
	own := r.generation
	r.reads[own]++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.reads[own]--; r.reads[own] == 0 {
			delete(r.reads, own)
		}
	}
}

var errOldReader = errors.New("a read that began before goes on")

// renew begins a generation and waits until no read of an older one is under way.
func (r *readers) renew(wait time.Duration) error {
	r.mu.Lock()
	r.generation++
	now := r.generation
	r.mu.Unlock()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(wait); r.older(now); <-tick.C {
		if time.Now().After(end) {
			return errOldReader
		}
	}
	return nil
}

// older reports whether a read of a generation before this one is under way.
func (r *readers) older(generation int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for of := range r.reads {
		if of < generation {
			return true
		}
	}
	return false
}
