package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
)

// TestRateOfACompanyInAllProcesses has one company call four processes at once, as fast as it can.
// Together they answer as many requests as the company may send, and what each has yet to count.
func TestRateOfACompanyInAllProcesses(t *testing.T) {
	onBothEngines(t, func(t *testing.T, h *testAPI) {
		const processes, burst = 4, 3 * countedAtOnce
		cfg := h.cfg
		cfg.CompanyRate, cfg.CompanyBurst, cfg.Requests = 10, burst, h.store
		apis := make([]*API, processes)
		for n := range apis {
			var err error
			if apis[n], err = New(cfg); err != nil {
				t.Fatal(err)
			}
		}
		flood := func(key string) (answered int, refusal *httptest.ResponseRecorder) {
			for n := range 2 * processes * burst {
				r := httptest.NewRequest(http.MethodGet, "/forms", nil)
				r.Header.Set("Authorization", "Bearer "+key)
				w := httptest.NewRecorder()
				if apis[n%processes].ServeHTTP(w, r); w.Code == http.StatusOK {
					answered++
				} else {
					refusal = w
				}
			}
			return answered, refusal
		}
		answered, refusal := flood(h.key)
		if answered < burst || answered > burst+processes*countedAtOnce {
			t.Errorf("%d requests at once, of %d", answered, burst)
		}
		if refusal == nil || refusal.Code != http.StatusTooManyRequests {
			t.Fatalf("the last is %+v", refusal)
		}
		seconds, err := strconv.Atoi(refusal.Header().Get("Retry-After"))
		if err != nil || seconds < 1 || seconds > 2+processes*countedAtOnce/10 {
			t.Errorf("Retry-After is %d seconds, %v", seconds, err)
		}
		another, err := h.store.CreateCompany(t.Context(), "", "Two")
		if err != nil {
			t.Fatal(err)
		}
		if answered, _ := flood(another.Key.Secret); answered < burst {
			t.Errorf("%d requests of a company that was quiet", answered)
		}
		h.clock.forward(time.Minute)
		if answered, _ := flood(h.key); answered < burst {
			t.Errorf("%d requests a minute later", answered)
		}
	})
}

// TestCountWithoutTable answers requests where the table can't count them.
func TestCountWithoutTable(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, withRoutes(Config{Requests: noTable{}},
		settingsRow("GET", "/x", dossier.ScopeSettingsRead)))
	for n := range 3 * countedAtOnce {
		if w := h.do(t, call{method: "GET", target: "/x"}); w.Code != http.StatusOK {
			t.Fatalf("request %d: %d %s", n, w.Code, w.Body)
		}
	}
}

// noTable is a table that does not answer.
type noTable struct{}

// CountRequests implements RequestCounter.
func (noTable) CountRequests(context.Context, store.RequestBucket, int) (time.Duration, error) {
	return 0, kv.ErrUnavailable
}
