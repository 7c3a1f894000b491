package chaos

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
	"github.com/dossierhq/dossier/pkg/store"
)

// most bounds the sweeps until no task is open.
const most = 3

// TestCrashMatrix runs the pipeline once to count its calls, then once for each call and each thing
// that can go wrong at it. The end is the undisturbed one each time. A call that is added widens
// the matrix by itself.
func TestCrashMatrix(t *testing.T) {
	t.Parallel()
	want, calls := undisturbed(t)
	stride := size(16, 1)
	if raced {
		stride = 160
	}
	var next, runs atomic.Int64
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for at := next.Add(1) - 1; at < int64(len(calls)); at = next.Add(1) - 1 {
				for fault := stopBefore; fault <= failAfter; fault++ {
					if (int(at)+fault*stride/4)%stride != 0 {
						continue
					}
					runs.Add(1)
					w := pipeline(func(n int, _ string) int {
						if n == int(at) {
							return fault
						}
						return noFault
					})
					where := fmt.Sprintf("call %d (%s), %s", at, calls[at], faultNames[fault])
					if len(w.truth.found) > 0 {
						t.Errorf("%s: %s", where, strings.Join(w.truth.found, "\n"))
					} else if diff := cmp.Diff(want, w.ending()); diff != "" {
						t.Errorf("%s (-undisturbed +got):\n%s", where, diff)
					}
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d calls, %d runs of %d, each quiet within %d sweeps", len(calls), runs.Load(),
		4*len(calls), most)
}

func undisturbed(t *testing.T) (ending []string, calls []string) {
	w := pipeline(func(_ int, what string) int {
		calls = append(calls, what)
		return noFault
	})
	if len(w.truth.found) > 0 {
		t.Fatalf("undisturbed: %v", w.truth.found)
	}
	ending = w.ending()
	runs := slices.IndexFunc(ending, func(line string) bool {
		return strings.HasPrefix(line, "run ")
	})
	if len(ending) < 30 || runs < 0 {
		t.Fatalf("too little happened: %v", ending)
	}
	return ending, calls
}

// pipeline is everything that follows from some requests, one after the other: the client sends
// each until it is answered, notifications are delivered, and the sweeper finds what was left open.
func pipeline(fault func(n int, what string) int) *simulation {
	w := newSimulation(8, kvtest.NewMemory())
	w.createSettings()
	n := 0
	w.serial = func(what string) int {
		n++
		return fault(n-1, what)
	}
	w.checker.fixed = &store.CheckResult{State: dossier.StateValidated}
	w.must("PATCH", "/documentTypes/"+w.clients.types[0], "%s", w.rules(0))
	candidate := ""
	w.insistUntil(request{method: "POST", path: "/candidates", key: "1", body: fmt.Sprintf(
		`{"firstName":"Ada","documentTypeIds":[%q,%q],"formIds":[%q]}`, w.clients.types[0],
		w.clients.shared, w.clients.form)},
		func(a answer) { candidate = a.body["id"].(string) })
	of := func(dt string) string {
		return "/candidateDocumentTypes/cdt_" + candidate[len("cnd_"):] + dt[len("dty_"):]
	}
	upload := func(dt, key string) {
		w.insistUntil(request{method: "POST", path: of(dt) + "/upload", key: key,
			body: `{"parts":[{"name":"front","contentType":"application/json","content":"e30="}]}`},
			nil)
	}
	upload(w.clients.types[0], "2")
	w.growLists(3)
	w.checker.fixed.State = dossier.StateInReview
	upload(w.clients.shared, "3")
	w.insistUntil(request{method: "POST", path: of(w.clients.shared) + "/validate", key: "4"}, nil)
	w.checker.fixed.State = dossier.StateCheckFailed
	upload(w.clients.types[0], "5")
	w.checker.fixed.State = dossier.StateNeedsResubmission
	w.insistUntil(request{method: "POST", path: of(w.clients.types[0]) + "/check", key: "c"}, nil)
	w.checker.fixed.State = dossier.StateInReview
	upload(w.clients.types[0], "5a")
	inForce := ""
	w.insistUntil(request{method: "POST", path: of(w.clients.types[0]) + "/validate", key: "5b"},
		nil)
	w.insistUntil(request{method: "GET", path: of(w.clients.types[0])},
		func(a answer) { inForce = a.body["document"].(map[string]any)["id"].(string) })
	w.checker.fixed.State = dossier.StateNeedsResubmission
	upload(w.clients.types[0], "5c")
	w.insistUntil(request{method: "POST", path: of(w.clients.types[0]) + "/reject", key: "5d",
		body: fmt.Sprintf(`{"reason":"r","resubmit":true,"documentId":%q}`, inForce)}, nil)
	w.insistUntil(request{method: "PATCH", path: of(w.clients.types[0]), body: fmt.Sprintf(
		`{"dueAt":%q}`, w.now.Add(100*time.Second).UTC().Format(time.RFC3339))}, nil)
	w.insistUntil(request{method: "POST", path: "/candidates/" + candidate + "/messages", key: "6",
		body: `{"text":"Hello"}`}, nil)
	w.insistUntil(request{method: "POST",
		path: "/candidates/" + candidate + "/forms/" + w.clients.form, key: "7",
		body: `{"answers":{"a":"b"}}`}, nil)
	w.afterTheFact("/candidates/" + candidate)
	w.restoreVersions()
	w.insistUntil(request{method: "DELETE", path: "/candidates/" + w.clients.candidates[0]}, nil)
	w.truth.quiet()
	return w
}

// restoreVersions restores the first version of rules, and of a form that is changed before.
func (w *simulation) restoreVersions() {
	w.insistUntil(request{method: "POST", key: "8",
		path: "/documentTypes/" + w.clients.types[0] + "/submission/versions/1/restore"}, nil)
	w.insistUntil(request{method: "PATCH", path: "/forms/" + w.clients.form,
		body: `{"name":"G"}`}, nil)
	w.insistUntil(request{method: "POST", key: "8a",
		path: "/settings/" + w.clients.form + "/versions/1/restore"}, nil)
}

// afterTheFact changes what a candidate who exists is asked for, renames the company, and imports
// another candidate.
func (w *simulation) afterTheFact(person string) {
	w.insistUntil(request{method: "POST", path: "/candidates/import", key: "i", body: fmt.Sprintf(
		`{"externalId":"i","firstName":"Grace","documents":[{"documentTypeId":%q,"parsed":{"n":1}}]}`,
		w.clients.types[1])}, nil)
	w.insistUntil(request{method: "POST", path: "/candidates/import", key: "i2", body: fmt.Sprintf(
		`{"candidateId":%q,"externalId":"i2"}`, w.clients.candidates[1])}, nil)
	w.insistUntil(request{method: "POST", path: person + "/forms/" + w.clients.form + "/reopen",
		key: "9"}, nil)
	w.insistUntil(request{method: "POST", path: person + "/presets", key: "10",
		body: fmt.Sprintf(`{"presetId":%q}`, w.clients.preset)}, nil)
	w.insistUntil(request{method: "DELETE", path: person + "/presets/" + w.clients.preset}, nil)
	w.insistUntil(request{method: "POST", path: "/candidates/" + w.clients.candidates[1] +
		"/presets", key: "11", body: fmt.Sprintf(`{"presetId":%q}`, w.clients.preset)}, nil)
	w.insistUntil(request{method: "PATCH", path: "/companies/" + w.clients.company,
		body: `{"name":"Renamed"}`}, nil)
}

// insistUntil sends a request until it is answered, and waits for everything that follows.
func (w *simulation) insistUntil(r request, got func(answer)) {
	for range 5 {
		var a answer
		w.start(r.path, 0, func(*task) { a = w.ask(r) })
		w.drain()
		switch {
		case a.status == http.StatusOK && got != nil:
			got(a)
		// it happened, and the answer was lost
		case a.status == http.StatusNotFound && r.method == http.MethodDelete:
		case a.status == 0 || a.status == http.StatusServiceUnavailable:
			continue
		case a.status != http.StatusOK:
			w.truth.wrong("answer", "%s %s: %d %v", r.method, r.path, a.status, a.body)
		}
		w.untilQuiet(r)
		return
	}
	w.truth.wrong("answer", "%s %s is never answered", r.method, r.path)
}

func (w *simulation) untilQuiet(r request) {
	sweeps := 0
	for w.answerAll(); w.isOpen() || sweeps == 0; w.answerAll() {
		if sweeps++; sweeps > most {
			w.truth.wrong("open", "%s %s: not quiet after %d sweeps", r.method, r.path, most)
			return
		}
		w.now = w.now.Add(61 * time.Second)
		w.startSweep(0)
		w.drain()
	}
}

func (w *simulation) isOpen() bool {
	for _, i := range w.truth.items {
		if i.Open != "" {
			return true
		}
	}
	return false
}

// versionLine describes a version of the rules of a document type, or of one of the settings. It is
// empty for other items.
func versionLine(key kv.Key, i kv.Item) string {
	switch {
	case strings.HasSuffix(key.PK, "#DTV"):
		v := decoded[dossier.SubmissionVersion](i)
		return fmt.Sprintf("version %d of rules: %d, restored from %d", v.Version,
			len(v.Submission.Rules), v.RestoredFrom)
	case strings.HasSuffix(key.PK, "#STV"):
		v := decoded[dossier.SettingsVersion](i)
		return fmt.Sprintf("version %d of a setting: %v, restored from %d", v.Version,
			v.Content["name"], v.RestoredFrom)
	}
	return ""
}

// ending returns the final content of the table, without ids and moments.
func (w *simulation) ending() []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	names := map[string]string{}
	for n, id := range w.clients.integrations {
		names[id] = fmt.Sprintf("integration %d", n)
	}
	for key, i := range w.truth.items {
		if line := versionLine(key, i); line != "" {
			lines = append(lines, line)
		}
		if !strings.Contains(key.PK, "#CAND#") {
			continue
		}
		who := w.truth.people[strings.TrimSuffix(key.PK, "#MSG")].candidate
		of := fmt.Sprintf("%s %t", who.FirstName, who.Erased)
		switch kind, _, _ := strings.Cut(key.SK, "#"); {
		case strings.HasSuffix(key.PK, "#MSG"):
			add("message %s %s", of, decoded[dossier.Message](i).Text)
		case kind == "A":
			add("candidate %s %s %v %v %v", of, who.Status, who.CustomFields, len(who.Forms),
				len(who.PresetIDs))
		case kind == "B":
			r := decoded[storedRequest](i)
			add("request %s %s %d", of, r.State, r.Versions)
		case kind == "DOC":
			d := decoded[dossier.Document](i)
			add("document %s %s %d", of, d.State, d.Version)
		case kind == "RUN":
			r := decoded[dossier.RuleRun](i)
			add("run %s %t %s %s %d", of, r.Applied, r.StatusBefore, r.StatusAfter, len(r.Rules))
		case kind == "EVT":
			e := decoded[event.Event](i)
			add("event %s %d %s", of, e.Sequence, e.Type)
		case kind == "LOG":
			l := decoded[dossier.LogEntry](i)
			add("log %s %s %s %s", of, names[l.IntegrationID], l.EventName, l.Status)
		default:
			add("%s %s", kind, of)
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(w.receiver.accepted)) {
		integration, candidate, _ := strings.Cut(pair, " ")
		for _, p := range w.truth.people {
			if p.candidate.ID == candidate {
				sequences := slices.Clone(w.receiver.accepted[pair])
				if !w.truth.ordered(w.clients.company[len("com_"):]+"#",
					integration[len("int_"):]) {
					slices.Sort(sequences)
				}
				add("received by %s of %s: %v", names[integration], p.candidate.FirstName,
					sequences)
			}
		}
	}
	slices.Sort(lines)
	return lines
}
