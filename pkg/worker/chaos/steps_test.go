package chaos

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// step is one decision of the scheduler. Each has a seed of its own, so that leaving some out
// changes the others as little as it can.
type step struct {
	op   int
	seed uint64
}

// What the scheduler decides.
const (
	opAct     = iota // somebody does something
	opRun            // some tasks go on for some calls
	opNotify         // some notifications are delivered
	opSweep          // a sweeper sweeps
	opTick           // the clock goes on
	opHold           // a task is held, for up to hours
	opKill           // the process of a task is stopped
	opMood           // an integration's endpoint answers otherwise
	opWeather        // calls fail more or less often
	opDrain          // all tasks that are not held run to their end
	opAgain          // requests without a certain answer are sent again
	opRush           // somebody does something twice or more at once
)

var opWeights = []int{26, 42, 18, 4, 7, 3, 2, 3, 1, 4, 3, 5}

// program makes the steps of a seed.
func program(seed uint64, length int) []step {
	rnd := rand.New(rand.NewPCG(seed, 1))
	total := 0
	for _, weight := range opWeights {
		total += weight
	}
	steps := make([]step, length)
	for n := range steps {
		x := rnd.IntN(total)
		for op, weight := range opWeights {
			if x -= weight; x < 0 {
				steps[n] = step{op, rnd.Uint64()}
				break
			}
		}
	}
	return steps
}

// run makes a simulation and the steps in it, waits until it is quiet, and returns what went wrong.
func run(seed uint64, steps []step, base kv.Engine, prepare func(*simulation)) *simulation {
	w := newSimulation(seed, base)
	if prepare != nil {
		prepare(w)
	}
	w.createSettings()
	w.lossy, w.odds = true, odds{0.004, 0.02}
	for n, s := range steps {
		w.rnd = rand.New(rand.NewPCG(s.seed, seed))
		w.do(s)
		if len(w.truth.found) > 0 {
			w.note("after step %d", n)
			break
		}
	}
	if len(w.truth.found) == 0 {
		w.rnd = rand.New(rand.NewPCG(seed, 2))
		w.settle()
		w.dayAfter()
	}
	w.end()
	return w
}

// end releases the tasks that still run.
func (w *simulation) end() {
	for _, t := range w.tasks {
		t.dead = true
		t.stop()
	}
}

func (w *simulation) do(s step) {
	switch s.op {
	case opAct:
		w.randomAction(1)
	case opRun:
		for range 1 + w.rnd.IntN(16) {
			if ready := w.ready(); len(ready) > 0 {
				w.step(ready[w.rnd.IntN(len(ready))])
			}
		}
	case opNotify:
		w.deliverNotifications(1 + w.rnd.IntN(4))
	case opSweep:
		w.startSweep(w.rnd.IntN(len(w.machines)))
	case opTick:
		w.tick([]time.Duration{time.Second, 10 * time.Second, 31 * time.Second, time.Minute,
			6 * time.Minute, time.Hour, 3 * time.Hour}[w.rnd.IntN(7)])
	case opHold, opKill:
		w.interfere(s.op)
	case opMood:
		integration := pick(w.clients.integrations, w.rnd.IntN(1<<20))
		w.receiver.behaviour[integration] = []string{"", "", "lost", "gone", "broken",
			"refused"}[w.rnd.IntN(6)]
	case opWeather:
		w.odds = []odds{{}, {0.004, 0.02}, {0.02, 0.05}, {0, 0.3}}[w.rnd.IntN(4)]
	case opDrain:
		w.drain()
	case opAgain:
		w.insistAgain()
	case opRush:
		w.randomAction(2 + w.rnd.IntN(2))
	}
}

// tick moves the clock. People send again what was not answered within the day that answers are
// kept, so a run stays within it.
func (w *simulation) tick(d time.Duration) {
	if w.now.Add(d).Sub(beginning) < 20*time.Hour {
		w.now = w.now.Add(d)
		w.note("it is %s", w.now.Format(time.TimeOnly))
	}
}

func (w *simulation) interfere(op int) {
	ready := w.ready()
	if len(ready) == 0 {
		return
	}
	t := ready[w.rnd.IntN(len(ready))]
	if op == opKill {
		w.note("kill %s", t.name)
		w.kill(t)
		return
	}
	t.until = w.now.Add([]time.Duration{20 * time.Second, 2 * time.Minute, 20 * time.Minute,
		4 * time.Hour}[w.rnd.IntN(4)])
	w.note("hold %s until %s", t.name, t.until.Format(time.TimeOnly))
}

// settle ends the failures and sweeps until no work is open: not until it looks quiet.
func (w *simulation) settle() {
	w.note("settle")
	w.odds = odds{}
	clear(w.receiver.behaviour)
	for _, t := range w.tasks {
		t.until = time.Time{}
	}
	w.drain()
	for n := 0; len(w.clients.pending) > 0 && n < 50; n++ {
		w.insistAgain()
		w.drain()
		w.answerAll()
		w.now = w.now.Add(31 * time.Second)
	}
	w.lossy = false
	for range 400 {
		w.answerAll()
		next, open := w.nextDue()
		if !open || len(w.truth.found) > 0 {
			break
		}
		if next.After(w.now) {
			w.now = next
		}
		w.startSweep(0)
		w.drain()
	}
	if len(w.truth.found) == 0 {
		w.truth.quiet()
		w.kept()
	}
}

// dayAfter sends requests again, twice at once, after the day for which answers are kept: they are
// new ones then.
func (w *simulation) dayAfter() {
	w.now = w.now.Add(25 * time.Hour)
	w.odds = odds{}
	for _, key := range slices.Sorted(maps.Keys(w.clients.requests200))[:min(2,
		len(w.clients.requests200))] {
		r := w.clients.requests200[key]
		for range 2 {
			w.start("the day after", 0, func(*task) { w.ask(r) })
		}
	}
	w.drain()
}

// answerAll delivers every notification, those that follow included, whatever their time.
func (w *simulation) answerAll() {
	for range 10_000 {
		if len(w.notifications) == 0 {
			return
		}
		for n := range w.notifications {
			w.notifications[n].at = w.now
		}
		w.deliverNotifications(1)
		w.drain()
	}
	w.truth.wrong("never ends", "rings go on and on")
}

// nextDue is when the next open work is due.
func (w *simulation) nextDue() (next time.Time, open bool) {
	for _, i := range w.truth.items {
		if i.Open == "" {
			continue
		}
		due, err := time.Parse(time.RFC3339Nano, i.Due)
		if err != nil {
			w.truth.wrong("open", "%s is due at %q", i.SK, i.Due)
			return next, false
		}
		if !open || due.Before(next) {
			next, open = due, true
		}
	}
	return next, open
}

func (u *truth) isFrozen(id string) bool {
	for _, p := range u.people {
		for _, r := range p.requests {
			if r.ID == id {
				return r.State == dossier.StateProcessing
			}
		}
	}
	return false
}

// kept checks that what was answered 200 is there, once.
func (w *simulation) kept() {
	documents, texts := map[string]bool{}, map[string]int{}
	erased := map[string]bool{}
	for pk, p := range w.truth.people {
		erased[pk[strings.LastIndex(pk, "#")+1:]] = p.candidate.Erased
	}
	for key, i := range w.truth.items {
		switch {
		case strings.HasPrefix(key.SK, "DOC#"):
			documents[decoded[dossier.Document](i).ID] = true
		case strings.HasSuffix(key.PK, "#MSG"):
			texts[decoded[dossier.Message](i).Text]++
		}
	}
	for key, document := range w.clients.uploads {
		if !documents[document] {
			w.truth.wrong("lost", "%s was answered with %s, which is not there", key, document)
		}
	}
	for text := range w.clients.sent {
		if n := texts[text]; n > 1 || n == 0 && !w.clients.deleted[text] && len(erased) == 0 {
			w.truth.wrong("twice", "message %q is there %d times", text, n)
		}
	}
}

// shrink leaves steps out as long as the same promise is broken.
func shrink(seed uint64, steps []step, what string, again func(uint64, []step) *simulation) []step {
	for size := len(steps) / 2; size > 0; size /= 2 {
		for from := 0; from+size <= len(steps); {
			fewer := slices.Concat(steps[:from], steps[from+size:])
			if w := again(seed, fewer); len(w.truth.found) > 0 &&
				promise(w.truth.found[0]) == what {
				steps = fewer
			} else {
				from += size
			}
		}
	}
	return steps
}

// promise is the word of a violation that says what was broken.
func promise(violation string) string {
	what, _, _ := strings.Cut(violation, ":")
	return what
}

func describe(steps []step) string {
	names := []string{"act", "run", "ring", "sweep", "tick", "hold", "kill", "mood", "weather",
		"drain", "again", "rush"}
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, " %s:%x", names[s.op], s.seed)
	}
	return b.String()
}
