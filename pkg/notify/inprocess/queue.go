package inprocess

import (
	"sync"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// line is what waits for one kind of consumer. An entry that waits already is not put there a second time. The doorbell's lock is
// held around every method.
type queue struct {
	consumer Consumer
	groups   map[string]*group // those with entries that wait or are worked on
	turn     []*group          // those with an entry that may be worked on now, in the order in which they have their turn
	waiting  map[kv.Key]bool
	ready    *sync.Cond
	closed   bool
}

// group is the entries that share a part of the workers.
type group struct {
	name      string
	tasks     []store.Task
	running   int
	scheduled bool
}

func newQueue(c Consumer, mu *sync.Mutex) *queue {
	if c.Group == nil {
		c.Group = func(store.Task) string { return "" }
	}
	if c.PerGroup == 0 {
		c.PerGroup = c.Workers
	}
	return &queue{consumer: c, groups: map[string]*group{}, waiting: map[kv.Key]bool{}, ready: sync.NewCond(mu)}
}

// add puts an entry at the end of its group, unless it waits already or there is no room.
func (l *queue) add(e store.Task) {
	name := l.consumer.Group(e)
	g := l.groups[name]
	room := l.consumer.Queue
	if name != "" {
		room = max(1, room/4)
	}
	if l.waiting[e.Key()] || len(l.waiting) >= l.consumer.Queue || g != nil && len(g.tasks) >= room {
		return
	}
	if g == nil {
		g = &group{name: name}
		l.groups[name] = g
	}
	g.tasks = append(g.tasks, e)
	l.waiting[e.Key()] = true
	l.schedule(g)
}

// queue gives a group its turn, where it has work and may do more of it.
func (l *queue) schedule(g *group) {
	if !g.scheduled && len(g.tasks) > 0 && g.running < l.consumer.PerGroup {
		g.scheduled = true
		l.turn = append(l.turn, g)
		l.ready.Signal()
	}
}

// take waits for an entry to work on; false is the end. From here on what changes needs a ring of its own.
func (l *queue) take() (store.Task, *group, bool) {
	for len(l.turn) == 0 && !l.closed {
		l.ready.Wait()
	}
	if l.closed {
		return store.Task{}, nil, false
	}
	g := l.turn[0]
	l.turn = l.turn[1:]
	e := g.tasks[0]
	g.tasks, g.scheduled, g.running = g.tasks[1:], false, g.running+1
	delete(l.waiting, e.Key())
	l.schedule(g)
	return e, g, true
}

// done makes room for the next of a group.
func (l *queue) done(g *group) {
	g.running--
	if g.running == 0 && len(g.tasks) == 0 {
		delete(l.groups, g.name)
	}
	l.schedule(g)
}

// close ends the waiting, and drops what waits.
func (l *queue) close() {
	l.closed = true
	l.ready.Broadcast()
}
