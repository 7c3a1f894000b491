package chaos

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/dossierhq/dossier/pkg/kv"
)

// task is one piece of work under way: a request of somebody, or a consumer of a notification. It
// stops at each of its calls (storage, blobs, a parser, a webhook) and goes on when the scheduler
// says so; between its calls nothing can come in between.
type task struct {
	name    string
	machine int // whose clock it goes by
	next    func() (string, bool)
	stop    func()
	yield   func(string) bool
	until   time.Time // held until then
	dead    bool      // its process was stopped: no call of it does anything any more
	born    int       // commits when it began
	heard   map[string]heard
	// commits when it last looked for the next delivery, by partition and target
	looked map[string]int
}

// errDead is returned by every call of a stopped process, so that its goroutine ends.
var errDead = fmt.Errorf("%w: the process was stopped", kv.ErrUnavailable)

// start begins a task; it runs up to its first call when it is stepped first.
func (w *simulation) start(name string, machine int, run func(*task)) *task {
	t := &task{name: name, machine: machine, heard: map[string]heard{}, looked: map[string]int{},
		born: w.commits}
	t.next, t.stop = iter.Pull(func(yield func(string) bool) {
		t.yield = yield
		run(t)
	})
	w.tasks = append(w.tasks, t)
	return t
}

// step lets a task do the call it stands at, and go on to its next one.
func (w *simulation) step(t *task) {
	w.current = t
	what, more := t.next()
	w.current = nil
	if more {
		w.note("  %s stands at %s", t.name, what)
		return
	}
	w.note("  %s ended", t.name)
	for n, o := range w.tasks {
		if o == t {
			w.tasks = append(w.tasks[:n], w.tasks[n+1:]...)
			return
		}
	}
}

// kill stops the process of a task where it stands.
func (w *simulation) kill(t *task) {
	t.dead = true
	for len(w.tasks) > 0 && w.alive(t) {
		w.step(t)
	}
}

func (w *simulation) alive(t *task) bool {
	for _, o := range w.tasks {
		if o == t {
			return true
		}
	}
	return false
}

// errFault is a failure that the simulation injected.
var errFault = fmt.Errorf("%w: on purpose", kv.ErrUnavailable)

// call wraps every call of a task: do happens or doesn't, and what the task is told
// need not be the truth.
func (w *simulation) call(what string, do func() error) error {
	t := w.current
	if t == nil || t.dead {
		if t != nil {
			return errDead
		}
		return do()
	}
	w.calls++
	if w.serial == nil && !t.yield(what) {
		t.dead = true
	}
	if t.dead {
		return errDead
	}
	fault := w.fault(what)
	switch fault {
	case stopBefore:
		t.dead = true
		return errDead
	case failBefore:
		return errFault
	}
	err := do()
	switch fault {
	case stopAfter:
		t.dead = true
		return errDead
	case failAfter:
		if failed := (*kv.ConditionFailed)(nil); err == nil || errors.As(err, &failed) {
			return errFault
		}
	}
	return err
}

// What can go wrong at a call.
const (
	noFault    = iota
	stopBefore // the process stops, and the call was not made
	stopAfter  // the process stops, and the call was made
	failBefore // the call fails: throttled, refused, in conflict
	failAfter  // the call is done and says that it failed: its answer was lost
)

var faultNames = []string{"nothing", "stop before", "stop after", "error instead",
	"error although done"}

// odds are the probabilities of faults at one call.
type odds struct{ stop, fail float64 }

func (w *simulation) fault(what string) int {
	if w.serial != nil {
		return w.serial(what)
	}
	x := w.rnd.Float64()
	fault := noFault
	switch {
	case x < w.odds.stop/2:
		fault = stopBefore
	case x < w.odds.stop:
		fault = stopAfter
	case x < w.odds.stop+w.odds.fail*2/3:
		fault = failBefore
	case x < w.odds.stop+w.odds.fail:
		fault = failAfter
	}
	if fault != noFault {
		w.note("    %s: %s", what, faultNames[fault])
	}
	return fault
}
