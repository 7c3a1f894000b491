package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// noRules simulates no rules on no past documents, which counts as a millisecond at least.
const noRules = `{"submission":{"rules":[]},"over":{` + pastYears + `}}`

// simulateOn sends a simulation to one of several processes.
func simulateOn(a *API, key, documentType string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost,
		"/documentTypes/"+documentType+"/submission/simulate", strings.NewReader(noRules))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

// TestSimulationTime has a company use up its time in one process, and wait. The table knows of it:
// it has to wait in another process too. Another company does not.
func TestSimulationTime(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		cfg := h.cfg
		cfg.SimulationShare, cfg.SimulationBurst = 0.001, simulatedAtOnce
		cfg.Requests = h.store
		apis := make([]*API, 2)
		for n := range apis {
			var err error
			if apis[n], err = New(cfg); err != nil {
				t.Fatal(err)
			}
		}
		const most = int(simulatedAtOnce / time.Millisecond)
		mine := h.documentType(t, "mine", "")
		refusal := simulateOn(apis[0], h.key, mine)
		for n := 0; refusal.Code == http.StatusOK; n++ {
			if refusal = simulateOn(apis[0], h.key, mine); n > most {
				t.Fatal("simulations take less than a millisecond each")
			}
		}
		wait, err := strconv.Atoi(refusal.Header().Get("Retry-After"))
		if refusal.Code != http.StatusTooManyRequests || err != nil || wait < 1 ||
			!strings.Contains(refusal.Body.String(), "have taken too much time") {
			t.Fatalf("%d, Retry-After %d: %s", refusal.Code, wait, refusal.Body)
		}
		// All that this process may take, which it has to tell the table then.
		apis[1].simulations.count(t.Context(), h.company.ID, most, h.clock.now())
		if w := simulateOn(apis[1], h.key, mine); w.Code != http.StatusTooManyRequests {
			t.Errorf("in another process: %d %s", w.Code, w.Body)
		}
		another, err := h.store.CreateCompany(t.Context(), "", "Two")
		if err != nil {
			t.Fatal(err)
		}
		if w := simulateOn(apis[1], another.Key.Secret, mine); w.Code != http.StatusNotFound {
			t.Errorf("another company: %d %s", w.Code, w.Body)
		}
		h.clock.forward(1000 * time.Hour)
		if w := simulateOn(apis[0], h.key, mine); w.Code != http.StatusOK {
			t.Errorf("later: %d %s", w.Code, w.Body)
		}
	})
}

// A company runs one simulation of many documents or tests at once. Single ones go on beside it,
// and those of others.
func TestLongSimulationsAtOnce(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	path := "/documentTypes/" + h.documentType(t, "mine", "") + "/submission/simulate"
	end, err := h.simulations.begin(t.Context(), h.company.ID, true, h.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{noRules, `{"tests":true}`} {
		w := h.do(t, call{method: "POST", target: path, body: body})
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	ok[any](t, h, "POST", path, `{"parsed":{}}`)
	other, err := h.store.CreateCompany(t.Context(), "", "Two")
	if err != nil {
		t.Fatal(err)
	}
	if w := simulateOn(h.API, other.Key.Secret, "dty_x"); w.Code != http.StatusNotFound {
		t.Errorf("another company: %d %s", w.Code, w.Body)
	}
	end()
	ok[any](t, h, "POST", path, noRules)
}

// TestSimulationTimeWithoutTable bounds a process by itself where the table can't count.
func TestSimulationTimeWithoutTable(t *testing.T) {
	t.Parallel()
	l := newSimulationLimit(Config{SimulationShare: 1, SimulationBurst: time.Second,
		Requests: noTable{}}.withDefaults())
	now := time.Now()
	clock := func() time.Time { return now }
	l.count(t.Context(), "a", 1000, now)
	if _, err := l.begin(t.Context(), "a", false, clock); err != nil {
		t.Errorf("an empty bucket: %v", err)
	}
	l.count(t.Context(), "a", 1, now)
	_, err := l.begin(t.Context(), "a", false, clock)
	if e := (*dossier.Error)(nil); !errors.As(err, &e) || e.Code != dossier.CodeRateLimited ||
		e.RetryAfter != time.Millisecond {
		t.Errorf("beyond the bucket: %v", err)
	}
	now = now.Add(time.Millisecond)
	if _, err := l.begin(t.Context(), "a", false, clock); err != nil {
		t.Errorf("a millisecond later: %v", err)
	}
}
