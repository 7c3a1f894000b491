package chaos

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

// skews are the offsets of the machines' clocks from the simulation's. The first is that of the
// HTTP handlers and of the last sweeps.
var skews = []time.Duration{0, 5 * time.Minute, -5 * time.Minute, 2 * time.Minute,
	-90 * time.Second}

// simulation holds one run: storage, machines, clients, receivers, and a clock.
type simulation struct {
	seed    uint64
	rnd     *rand.Rand // of the step that is being made
	now     time.Time
	ids     uint64
	calls   int
	commits int
	odds    odds
	serial  func(what string) int // instead of interleaving tasks: what happens at each call

	tasks         []*task
	current       *task
	notifications []notification
	lossy         bool // notifications are dropped, doubled and late

	engine   kv.Engine // with the faults
	base     kv.Engine
	mutation *conditionMutation
	blobs    *blobs
	machines []machine
	api      http.Handler
	clients  clients
	receiver receiver
	checker  checker
	truth    *truth
	trace    *strings.Builder
}

// machine is one process with a clock of its own.
type machine struct {
	now     func() time.Time
	store   *store.Store
	answers map[string]func(context.Context, store.Task) error
	sweep   *worker.Sweep
}

// notification is a task that is notified at a moment.
type notification struct {
	entry store.Task
	at    time.Time
}

var beginning = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func newSimulation(seed uint64, base kv.Engine) *simulation {
	w := &simulation{seed: seed, now: beginning, base: base, rnd: rand.New(rand.NewPCG(seed, 0))}
	w.blobs = &blobs{w: w, kept: map[string][]byte{}}
	w.truth = newTruth(w)
	w.engine = &faulty{w}
	w.receiver = receiver{w: w, behaviour: map[string]string{}, got: map[string]*received{},
		accepted: map[string][]int64{}}
	w.checker = checker{w: w}
	for n := range skews {
		w.machines = append(w.machines, w.machine(n))
	}
	first := w.machines[0]
	api, err := httpapi.New(httpapi.Config{
		Store: first.store, Groups: httpapi.Groups(), Log: slog.New(slog.DiscardHandler),
		Now: first.now, Rate: 1e9, Burst: 1e9,
		GuestRate: 1e9, GuestBurst: 1e9, FailureRate: 1e9, FailureBurst: 1e9, Blobs: w.blobs,
		Rules: &worker.Rules{Store: first.store}, Targets: anywhere{}, Prober: anywhere{},
		People:    everybody{},
		NewSecret: func() string { return "whsec_" + w.newID(w.now) },
	})
	if err != nil {
		panic(err)
	}
	w.api = api
	return w
}

func (w *simulation) machine(n int) machine {
	m := machine{now: func() time.Time { return w.now.Add(skews[n]) }}
	m.store = store.New(w.engine, store.Config{Notifier: w, Now: m.now, NewID: w.newID,
		Parallel: oneAfterTheOther,
		Pause: func(context.Context, time.Duration) error {
			return w.call("pause", func() error { return nil })
		}})
	log := slog.New(slog.DiscardHandler)
	check := &worker.Check{Store: m.store, Bytes: w.blobs, Checker: &w.checker, Now: m.now,
		Log: log}
	rules := &worker.Rules{Store: m.store}
	dispatch := &worker.Dispatch{Store: m.store}
	deliver := &worker.Deliver{Store: m.store, Sender: &w.receiver, Log: log, Now: m.now,
		DisableAfter: webhook.DisableAfter,
		NextDelay: func(failed int, after time.Duration, _ float64) (time.Duration, bool) {
			return webhook.NextDelay(failed, after, 0.5)
		}}
	m.sweep = &worker.Sweep{Store: m.store, Blobs: w.blobs, Log: log}
	m.answers = map[string]func(context.Context, store.Task) error{store.TaskCheck: check.Work,
		store.TaskRules:    rules.Work,
		store.TaskDispatch: dispatch.Work, store.TaskScenario: dispatch.Work,
		store.TaskDeliver: deliver.Work}
	return m
}

// oneAfterTheOther is a store.Config.Parallel: a task of the simulation has one goroutine.
func oneAfterTheOther(n int, do func(n int)) {
	for k := range n {
		do(k)
	}
}

// newID makes ULIDs that are the same in every run of a seed.
func (w *simulation) newID(now time.Time) string {
	w.ids++
	var entropy [10]byte
	binary.BigEndian.PutUint64(entropy[2:], w.ids)
	var id ulid.ULID
	_ = id.SetTime(ulid.Timestamp(now)) // a time of this era always fits
	_ = id.SetEntropy(entropy[:])       // ten bytes always fit
	return id.String()
}

// Notify implements store.Notifier: 17 of 100 notifications are lost, 20 doubled, a third held for
// up to hours, and none is in order.
func (w *simulation) Notify(_ context.Context, entries []store.Task) {
	if t := w.current; t != nil && t.dead {
		return
	}
	if w.serial != nil && w.call("ring", func() error { return nil }) != nil {
		return
	}
	for _, e := range entries {
		if _, stored := w.truth.items[e.Key()]; e.Event != nil && !stored {
			w.truth.wrong("events", "%s is told of, and did not happen", e.Event.ID)
		}
		n := 1
		if w.lossy {
			switch x := w.rnd.Float64(); {
			case x < 0.17:
				n = 0
			case x < 0.37:
				n = 2
			}
		}
		for range n {
			at := w.now
			if w.lossy && w.rnd.IntN(3) == 0 {
				at = at.Add(time.Duration(w.rnd.Int64N(
					int64([]time.Duration{time.Minute, time.Hour, 5 * time.Hour}[w.rnd.IntN(3)]))))
			}
			w.notifications = append(w.notifications, notification{e, at})
		}
	}
}

// deliverNotifications starts a consumer for up to n notifications that are due, in any order.
func (w *simulation) deliverNotifications(n int) {
	for range n {
		var due []int
		for i, r := range w.notifications {
			if !r.at.After(w.now) {
				due = append(due, i)
			}
		}
		if len(due) == 0 {
			return
		}
		at := due[0]
		if w.lossy {
			at = due[w.rnd.IntN(len(due))]
		}
		e := w.notifications[at].entry
		w.notifications = append(w.notifications[:at], w.notifications[at+1:]...)
		w.consume(e)
	}
}

func (w *simulation) consume(e store.Task) {
	m := 0
	if w.lossy {
		m = w.rnd.IntN(len(w.machines))
	}
	w.note("ring %s %s on machine %d", e.Kind, e.SK, m)
	w.start(fmt.Sprintf("%s %s", e.Kind, e.SK), m, func(t *task) {
		err := w.machines[m].answers[e.Kind](context.Background(), e)
		w.technical(t, err)
	})
}

func (w *simulation) startSweep(m int) {
	w.note("sweep on machine %d", m)
	w.start("sweep", m, func(t *task) {
		_, err := w.machines[m].sweep.Work(context.Background())
		w.technical(t, err)
	})
}

// technical makes sure that a consumer fails only where something failed under it.
func (w *simulation) technical(t *task, err error) {
	if err != nil && !isUnavailable(err) {
		w.truth.wrong("consumer fails", "%s: %v", t.name, err)
	}
}

func (w *simulation) note(format string, args ...any) {
	if w.trace != nil {
		fmt.Fprintf(w.trace, format+"\n", args...)
	}
}

// drain runs all tasks that are not held to their end.
func (w *simulation) drain() {
	for range 100_000 {
		ready := w.ready()
		if len(ready) == 0 {
			return
		}
		w.step(ready[w.rnd.IntN(len(ready))])
	}
	w.truth.wrong("never ends", "tasks go on and on: %s", w.tasks[0].name)
}

func (w *simulation) ready() []*task {
	var ready []*task
	for _, t := range w.tasks {
		if !t.until.After(w.now) {
			ready = append(ready, t)
		}
	}
	return ready
}
