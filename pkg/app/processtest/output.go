// Package processtest has what tests of a running process share.
package processtest

import (
	"bytes"
	"sync"
)

// Output keeps what a process prints. Its zero value is empty, and its methods may be called from
// any number of goroutines.
type Output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	ready   chan struct{}
	started bool
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.started {
		o.started = true
		close(o.channel())
	}
	return o.text.Write(p)
}

// Ready returns a channel that is closed with the first write.
func (o *Output) Ready() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.channel()
}

func (o *Output) channel() chan struct{} {
	if o.ready == nil {
		o.ready = make(chan struct{})
	}
	return o.ready
}

// String returns what was printed so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
