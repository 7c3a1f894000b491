package inprocess

import (
	"sync"

	"github.com/dossierhq/dossier/pkg/table"
)

// line is what waits for one kind of consumer. An entry that waits already is not put there a second time. The doorbell's lock is
// held around every method.
type line struct {
	consumer Consumer
	groups   map[string]*group // those with entries that wait or are worked on
	turn     []*group          // those with an entry that may be worked on now, in the order in which they have their turn
	waiting  map[table.Key]bool
	ready    *sync.Cond
	closed   bool
}

// group is the entries that share a part of the workers.
type group struct {
	name    string
	entries []table.Entry
	running int
	inTurn  bool
}

func newLine(c Consumer, mu *sync.Mutex) *line {
	if c.Group == nil {
		c.Group = func(table.Entry) string { return "" }
	}
	if c.Share == 0 {
		c.Share = c.Workers
	}
	return &line{consumer: c, groups: map[string]*group{}, waiting: map[table.Key]bool{}, ready: sync.NewCond(mu)}
}

// add puts an entry at the end of its group, unless it waits already or there is no room.
func (l *line) add(e table.Entry) {
	name := l.consumer.Group(e)
	g := l.groups[name]
	room := l.consumer.Line
	if name != "" {
		room = max(1, room/4)
	}
	if l.waiting[e.Key()] || len(l.waiting) >= l.consumer.Line || g != nil && len(g.entries) >= room {
		return
	}
	if g == nil {
		g = &group{name: name}
		l.groups[name] = g
	}
	g.entries = append(g.entries, e)
	l.waiting[e.Key()] = true
	l.queue(g)
}

// queue gives a group its turn, where it has work and may do more of it.
func (l *line) queue(g *group) {
	if !g.inTurn && len(g.entries) > 0 && g.running < l.consumer.Share {
		g.inTurn = true
		l.turn = append(l.turn, g)
		l.ready.Signal()
	}
}

// take waits for an entry to work on; false is the end. From here on what changes needs a ring of its own.
func (l *line) take() (table.Entry, *group, bool) {
	for len(l.turn) == 0 && !l.closed {
		l.ready.Wait()
	}
	if l.closed {
		return table.Entry{}, nil, false
	}
	g := l.turn[0]
	l.turn = l.turn[1:]
	e := g.entries[0]
	g.entries, g.inTurn, g.running = g.entries[1:], false, g.running+1
	delete(l.waiting, e.Key())
	l.queue(g)
	return e, g, true
}

// done makes room for the next of a group.
func (l *line) done(g *group) {
	g.running--
	if g.running == 0 && len(g.entries) == 0 {
		delete(l.groups, g.name)
	}
	l.queue(g)
}

// close ends the waiting, and drops what waits.
func (l *line) close() {
	l.closed = true
	l.ready.Broadcast()
}
