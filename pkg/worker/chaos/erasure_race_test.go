package chaos

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/kv/kvtest"
	"github.com/dossierhq/dossier/pkg/store"
)

// TestErasureRace stops an erasure at each of its calls, lets somebody else finish what they are
// at, and lets it go on: nothing personal is left, and nothing that was to be sent is lost. The
// erasure is the work of the request and then of the sweeper, or, where the request's process
// stopped as soon as it had begun, of the sweeper alone.
func TestErasureRace(t *testing.T) {
	t.Parallel()
	stride, runs := 1, 0
	if raced {
		stride = 7
	}
	of := 1
	for who := 0; who < 2*of; who++ {
		for at := 0; ; at += stride {
			w, others, ended := race(at, who/2, who%2 == 1)
			of = len(others)
			if len(w.truth.found) > 0 {
				t.Fatalf("call %d of the erasure meets %s:\n%s", at, others[who/2].SK,
					strings.Join(w.truth.found, "\n"))
			}
			runs++
			if ended {
				break
			}
		}
	}
	t.Logf("%d meetings with %d others", runs, of)
}

// race runs an erasure up to one of its calls, then one of the other entries, then the rest. ended
// tells that the erasure has fewer calls.
func race(at, who int, stopped bool) (w *simulation, others []store.Task, ended bool) {
	w = newSimulation(8, kvtest.NewMemory())
	w.createSettings()
	w.notifications = nil
	erased := w.clients.candidates[0]
	w.checker.fixed = &store.CheckResult{State: "validated"}
	for _, n := range []int{0, 1} {
		w.must("POST", "/candidateDocumentTypes/"+w.clients.requests[2*n]+"/upload",
			`{"parts":[{"name":"front","fileName":%q,"contentType":"application/json","content":"e30="}]}`, canary)
		if n == 0 {
			w.handOn(store.TaskCheck)
		}
	}
	w.must("POST", "/candidates/"+erased+"/messages", `{"text":%q}`, canary)
	w.handOn(store.TaskDispatch)
	for _, r := range w.notifications {
		others = append(others, r.entry)
	}
	w.notifications = nil
	ask := func(*task) { w.ask(request{method: "DELETE", path: "/candidates/" + erased}) }
	if stopped {
		asked := w.start("ask to erase", 0, ask)
		for began := w.commits; w.commits == began; {
			w.step(asked)
		}
		w.kill(asked)
	}
	erasure := w.start("erase", 0, func(t *task) {
		if !stopped {
			ask(t)
		}
		_, err := w.machines[0].sweep.Work(background)
		w.technical(t, err)
	})
	for range at {
		if w.alive(erasure) {
			w.step(erasure)
		}
	}
	ended = !w.alive(erasure)
	erasure.until = w.now.Add(time.Hour)
	w.consume(others[who])
	w.drain()
	erasure.until = time.Time{}
	w.settle()
	w.end()
	return w, others, ended
}

// handOn delivers the notifications of one kind and leaves all others.
func (w *simulation) handOn(kind string) {
	for n := 0; n < len(w.notifications); {
		if e := w.notifications[n].entry; e.Kind == kind {
			w.notifications = slices.Delete(w.notifications, n, n+1)
			w.consume(e)
			w.drain()
		} else {
			n++
		}
	}
}
