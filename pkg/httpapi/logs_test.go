package httpapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

func TestLogs(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	integration := func(name string) string {
		return ok[dossier.Integration](t, h, "POST", "/integrations",
			`{"name":"I","triggerEvent":"`+name+
				`","target":{"type":"webhook","url":"https://example.com/hook"}}`).ID
	}
	created, rejected := integration(event.CandidateCreated), integration(event.CandidateRejected)
	one, two := h.candidate(t), h.candidate(t)
	ok[dossier.Candidate](t, h, "POST", "/candidates/"+two+"/reject", `{"reason":"x"}`)
	h.dispatchEvents(t)
	for query, want := range map[string]int{
		"":                                    3,
		"?filter[integrationId]=" + created:   2,
		"?filter[integrationId]=" + rejected:  1,
		"?filter[integrationId]=int_x":        0,
		"?filter[candidateId]=" + two:         2,
		"?filter[eventName]=candidateCreated": 2,
		"?filter[status]=pending":             3,
		"?filter[status]=held":                0,
		"?filter[candidateId]=" + one +
			"&filter[eventName]=candidateCreated&filter[status]=pending&filter[integrationId]=" +
			created: 1,
	} {
		if got := len(ok[[]dossier.LogEntry](t, h, "GET", "/integrations/logs"+query, "")); got !=
			want {
			t.Errorf("OK: %s: %d, not %d", query, got, want)
		}
	}
	seen, target := map[string]bool{}, "/integrations/logs?filter[status]=pending&page[size]=1"
	for target != "" {
		page, w := okWith[[]dossier.LogEntry](t, h, call{method: "GET", target: target})
		for _, e := range page {
			seen[e.ID] = true
		}
		target = strings.TrimSuffix(strings.TrimPrefix(w.Header().Get("Link"), "<"),
			`>; rel="next"`)
	}
	if len(seen) != 3 {
		t.Errorf("OK: page by page: %d", len(seen))
	}
	w := h.refused(t, call{method: "GET",
		target: "/integrations/logs?filter[eventName]=candidatecreate"}, dossier.CodeValidation,
		"?filter[eventName] unknown")
	if !strings.Contains(w.Body.String(), `Did you mean \"candidateCreated\"?`) {
		t.Errorf("does not name the nearest: %s", w.Body)
	}
	h.refused(t, call{method: "GET", target: "/integrations/logs?filter[status]=sent"},
		dossier.CodeValidation, "?filter[status] unknown")
}

func TestReplay(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	id := ok[dossier.Integration](t, h, "POST", "/integrations",
		`{"name":"I","triggerEvent":"candidateCreated","target":{"type":"webhook","url":"https://example.com/hook"}}`).ID
	since := h.clock.now().Add(-time.Minute).UTC().Format(time.RFC3339)
	h.candidate(t)
	h.candidate(t)
	h.dispatchEvents(t)
	h.failDeliveries(t)
	held := ok[[]dossier.LogEntry](t, h, "GET", "/integrations/logs?filter[status]=held", "")
	if len(held) != 2 {
		t.Fatalf("OK: %d held", len(held))
	}
	replay := "/integrations/" + id + "/replay"
	h.refused(t, call{method: "POST", target: "/integrations/logs/" + held[0].ID + "/replay"},
		dossier.CodeTransition)
	h.refused(t, call{method: "POST", target: replay, body: fmt.Sprintf(`{"since":%q}`, since)},
		dossier.CodeTransition)
	ok[dossier.Integration](t, h, "POST", "/integrations/"+id+"/enable", "")

	for body, named := range map[string][]string{
		`{}`:                    {"/since required"},
		`{"since":"yesterday"}`: {"/since wrongType"},
		fmt.Sprintf(`{"since":%q,"until":"2001-01-01T00:00:00Z","status":["held","held","sent"]}`,
			since): {
			"/until outOfRange", "/status/2 unknown", "/status/1 duplicate"},
	} {
		h.refused(t, call{method: "POST", target: replay, body: body}, dossier.CodeValidation,
			named...)
	}
	type count struct {
		Replayed int `json:"replayed"`
	}
	if got := ok[count](t, h, "POST", replay,
		fmt.Sprintf(`{"since":%q,"status":["failed"]}`, since)); got.Replayed != 0 {
		t.Errorf("OK: %d that failed", got.Replayed)
	}
	entry := ok[dossier.LogEntry](t, h, "POST", "/integrations/logs/"+held[0].ID+"/replay", "")
	if entry.ID != held[0].ID || entry.EventID != held[0].EventID || entry.Status != "pending" {
		t.Errorf("OK: %+v", entry)
	}
	if again := ok[dossier.LogEntry](t, h, "POST", "/integrations/logs/"+held[0].ID+"/replay",
		""); again.Status != "pending" {
		t.Errorf("OK: %+v", again)
	}
	if got := ok[count](t, h, "POST", replay,
		fmt.Sprintf(`{"since":%q}`, since)); got.Replayed != 1 {
		t.Errorf("OK: %d that are held still", got.Replayed)
	}
	h.refused(t, call{method: "POST", target: replay,
		body: fmt.Sprintf(`{"since":%q,"status":["held","pending"]}`, since)},
		dossier.CodeValidation,
		"/status/1 unknown")
	h.refused(t, call{method: "POST", target: "/integrations/int_x/replay",
		body: fmt.Sprintf(`{"since":%q}`, since)}, dossier.CodeNotFound)
	h.refused(t, call{method: "POST", target: "/integrations/logs/log_x/replay"},
		dossier.CodeNotFound)
}

// A reaction that has become impossible is skipped, and the log states the reason.
func TestSkippedReactions(t *testing.T) {
	t.Parallel()
	for reason, gone := range map[string]string{"scenarioDeleted": "/scenarios/",
		"candidateErased": "/candidates/"} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			h := newTestAPI(t)
			scenario := ok[dossier.Scenario](t, h, "POST", "/scenarios",
				`{"name":"S","eventName":"candidateCreated","notification":{"subject":"s","text":"t"}}`).ID
			ids := map[string]string{"/scenarios/": scenario, "/candidates/": h.candidate(t)}
			h.dispatchEvents(t)
			ok[struct{}](t, h, "DELETE", gone+ids[gone], "")
			for _, e := range h.notified.all() {
				if err := h.store.React(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			log := ok[[]dossier.LogEntry](t, h, "GET", "/integrations/logs", "")
			if len(log) != 1 || log[0].Status != dossier.LogSkipped || log[0].Reason != reason {
				t.Errorf("%+v", log)
			}
		})
	}
}
