package chaos

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/kv/kvtest"
)

// outage is the time without any answer, on the simulation's clock.
const outage = 3 * time.Hour

// TestOutage lets 30 of 100 calls of the storage fail, then all of them for three hours; and the
// same of the webhooks' endpoints. Clients see 503 with Retry-After meanwhile and never 500, and
// afterwards everything comes to its end.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]struct {
		some, all func(*simulation)
		answers   bool // whether the storage still answers
	}{
		"OKStorage": {
			some: func(w *simulation) { w.odds = odds{0, 0.3} },
			all:  func(w *simulation) { w.odds = odds{0, 10} },
		},
		"OKWebhooks": {
			some: func(w *simulation) {
				w.setBehaviour(func() string {
					return []string{"", "", "", "broken", "lost"}[w.rnd.IntN(5)]
				})
			},
			all:     func(w *simulation) { w.setBehaviour(func() string { return "refused" }) },
			answers: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			partly, wholly := map[int]int{}, map[int]int{}
			for seed := range uint64(simulations(15, 200)) {
				w := newSimulation(seed, kvtest.NewMemory())
				w.createSettings()
				w.lossy = true
				w.clients.count(partly)
				w.through(seed, 150, out.some)
				w.clients.count(wholly)
				for began := w.now; w.now.Sub(began) < outage; w.now = w.now.Add(5 * time.Minute) {
					w.through(seed+uint64(w.now.Unix()), 4, out.all)
				}
				w.clients.count(map[int]int{})
				w.rnd = rand.New(rand.NewPCG(seed, 2))
				w.settle()
				w.end()
				if len(w.truth.found) > 0 {
					t.Fatalf("seed %d: %v", seed, w.truth.found)
				}
			}
			if !out.answers && wholly[http.StatusOK] > 0 || partly[http.StatusOK] == 0 {
				t.Errorf("this was no outage: %v, then %v", partly, wholly)
			}
			t.Logf("answers while some calls fail: %s; while all do: %s", counted(partly),
				counted(wholly))
		})
	}
}

// through makes steps, with what fails set anew before each.
func (w *simulation) through(seed uint64, n int, weather func(*simulation)) {
	for _, s := range program(seed, n) {
		if s.op == opWeather || s.op == opMood {
			continue
		}
		w.rnd = rand.New(rand.NewPCG(s.seed, seed))
		weather(w)
		w.do(s)
	}
}

func (w *simulation) setBehaviour(mood func() string) {
	for _, id := range w.clients.integrations {
		w.receiver.behaviour[id] = mood()
	}
}

func counted(answers map[int]int) string {
	text := ""
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		text += fmt.Sprintf(" %d × %d", answers[status], status)
	}
	return text
}
