package inprocess

import (
	"slices"
	"sync"

	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// queue holds the tasks that wait for one consumer, each of them once. Companies take turns, and so
// do the groups of a company. The notifier's lock is held around every method.
type queue struct {
	consumer  Consumer
	companies map[string]*company // those with tasks that wait or are worked on
	turn      []*company          // those with a task that may be worked on now
	waiting   map[kv.Key]bool
	ready     *sync.Cond
	closed    bool
	stopped   chan struct{} // closed with the queue
}

// company holds the groups of one company.
type company struct {
	name      string
	groups    map[string]*group
	turn      []*group // those with a task that may be worked on now
	waiting   int
	running   int
	scheduled bool
}

// group holds the tasks of one candidate, or of one target where the tasks have one.
type group struct {
	company   *company
	name      string
	entries   []entry
	running   int
	limit     int
	scheduled bool
}

// entry is a task, or a step of one.
type entry struct {
	task store.Task
	step *step
}

// step is a piece of a task's work that another worker waits for.
type step struct {
	run          func()
	begun, ended chan struct{}
}

func newQueue(c Consumer, mu *sync.Mutex) *queue {
	if c.PerCompany == 0 {
		c.PerCompany = c.Workers
	}
	if c.PerTarget == 0 {
		c.PerTarget = c.PerCompany
	}
	return &queue{consumer: c, companies: map[string]*company{}, waiting: map[kv.Key]bool{},
		ready: sync.NewCond(mu), stopped: make(chan struct{})}
}

// group returns the group that a task belongs to, making it if need be.
func (q *queue) group(t store.Task) *group {
	name, candidate, _ := t.Owner()
	c := q.companies[name]
	if c == nil {
		c = &company{name: name, groups: map[string]*group{}}
		q.companies[name] = c
	}
	key, limit := candidate, q.consumer.PerCompany
	if target := t.Target(); target != "" {
		key, limit = target, q.consumer.PerTarget
	}
	g := c.groups[key]
	if g == nil {
		g = &group{company: c, name: key, limit: limit}
		c.groups[key] = g
	}
	return g
}

// add appends a task to its group, unless it waits already.
func (q *queue) add(t store.Task) {
	if q.waiting[t.Key()] || !q.makeRoom(t) {
		return
	}
	g := q.group(t)
	g.entries = append(g.entries, entry{task: t})
	g.company.waiting++
	q.waiting[t.Key()] = true
	q.schedule(g)
}

// addStep puts a step before everything else of its company, because the lease of its task runs
// already. Steps are as many as the workers that wait for them, so they need no bound of their own.
func (q *queue) addStep(t store.Task, s *step) {
	g := q.group(t)
	c := g.company
	g.entries = slices.Insert(g.entries, 0, entry{t, s})
	c.waiting++
	q.schedule(g)
	if n := slices.Index(c.turn, g); n > 0 {
		c.turn = slices.Insert(slices.Delete(c.turn, n, n+1), 0, g)
	}
}

// removeStep takes back a step, and reports whether it still waited.
func (q *queue) removeStep(t store.Task, s *step) bool {
	g := q.group(t)
	n := slices.IndexFunc(g.entries, func(e entry) bool { return e.step == s })
	if n >= 0 {
		q.remove(g, n)
	}
	q.forget(g)
	return n >= 0
}

// makeRoom reports whether there is room for a task. A full queue drops the newest task of the
// company that has the most of them, so that a company below its share loses none.
func (q *queue) makeRoom(t store.Task) bool {
	if len(q.waiting) < q.consumer.Queue {
		return true
	}
	name, _, _ := t.Owner()
	own := 0
	var most *company
	for _, c := range q.companies {
		if c.name == name {
			own = c.waiting
		}
		if most == nil || c.waiting > most.waiting {
			most = c
		}
	}
	if most == nil || own+1 >= most.waiting {
		return false
	}
	for _, g := range most.groups {
		if n := len(g.entries) - 1; n >= 0 && g.entries[n].step == nil {
			q.remove(g, n)
			q.forget(g)
			return true
		}
	}
	return false
}

// remove takes an entry out of the queue. A group or company with nothing left loses its turn.
func (q *queue) remove(g *group, n int) {
	e, c := g.entries[n], g.company
	g.entries = slices.Delete(g.entries, n, n+1)
	c.waiting--
	if e.step == nil {
		delete(q.waiting, e.task.Key())
	}
	if len(g.entries) == 0 && g.scheduled {
		g.scheduled = false
		c.turn = slices.DeleteFunc(c.turn, func(o *group) bool { return o == g })
	}
	if len(c.turn) == 0 && c.scheduled {
		c.scheduled = false
		q.turn = slices.DeleteFunc(q.turn, func(o *company) bool { return o == c })
	}
}

// schedule gives a group its turn if it has work and may do more of it, and its company likewise.
func (q *queue) schedule(g *group) {
	c := g.company
	if !g.scheduled && len(g.entries) > 0 && g.running < g.limit {
		g.scheduled = true
		c.turn = append(c.turn, g)
	}
	if !c.scheduled && len(c.turn) > 0 && c.running < q.consumer.PerCompany {
		c.scheduled = true
		q.turn = append(q.turn, c)
		q.ready.Signal()
	}
}

// take waits for an entry to work on. false means closed: a later change to the task must be
// notified again.
func (q *queue) take() (entry, *group, bool) {
	for len(q.turn) == 0 && !q.closed {
		q.ready.Wait()
	}
	if q.closed {
		return entry{}, nil, false
	}
	c := q.turn[0]
	q.turn, c.scheduled = q.turn[1:], false
	g := c.turn[0]
	c.turn, g.scheduled = c.turn[1:], false
	e := g.entries[0]
	g.entries = g.entries[1:]
	g.running, c.running, c.waiting = g.running+1, c.running+1, c.waiting-1
	if e.step == nil {
		delete(q.waiting, e.task.Key())
	} else {
		close(e.step.begun)
	}
	q.schedule(g)
	return e, g, true
}

// done records the end of a group's task and lets the next one begin.
func (q *queue) done(g *group) {
	g.running--
	g.company.running--
	q.forget(g)
	q.schedule(g)
}

// forget drops a group, and its company, if nothing of it waits or runs.
func (q *queue) forget(g *group) {
	c := g.company
	if g.running == 0 && len(g.entries) == 0 {
		delete(c.groups, g.name)
	}
	if len(c.groups) == 0 {
		delete(q.companies, c.name)
	}
}

// close ends the waiting and drops what waits.
func (q *queue) close() {
	q.closed = true
	close(q.stopped)
	q.ready.Broadcast()
}
