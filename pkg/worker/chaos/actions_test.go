package chaos

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/store"
)

var background = context.Background()

// action is something that a client does, and how often.
type action struct {
	name   string
	weight int
	do     func(w *simulation, n int)
}

var actions = []action{
	{"upload", 38, (*simulation).upload},
	{"validate", 12, func(w *simulation, n int) {
		w.ask(request{method: "POST",
			path: "/candidateDocumentTypes/" + pick(w.clients.requests, n) + "/validate",
			key:  fmt.Sprintf("validate %d", n),
			body: []string{"", `{"parsed":{"class":"B"}}`}[n/11%2]})
	}},
	{"reject document", 5, func(w *simulation, n int) {
		w.post("/candidateDocumentTypes/"+pick(w.clients.requests, n)+"/reject",
			fmt.Sprintf(`{"reason":"r","resubmit":%t}`, n%2 == 0))
	}},
	{"request", 5, func(w *simulation, n int) {
		w.post("/candidateDocumentTypes",
			fmt.Sprintf(`{"candidateId":%q,"documentTypeId":%q}`, pick(w.clients.candidates, n),
				pick(w.clients.types, n/7)))
	}},
	{"move date", 3, func(w *simulation, n int) {
		due := w.now.Add(time.Duration(n%7-1) * time.Hour).UTC().Format(time.RFC3339)
		w.ask(request{method: "PATCH",
			path: "/candidateDocumentTypes/" + pick(w.clients.requests, n),
			body: fmt.Sprintf(`{"dueAt":%q,"required":%t,"metadata":{"note":%q}}`, due, n%5 > 0,
				canary)})
	}},
	{"remove", 4, func(w *simulation, n int) { w.remove(pick(w.clients.requests, n)) }},
	{"message", 7, (*simulation).message},
	{"read", 4, (*simulation).read},
	{"token", 2, func(w *simulation, n int) {
		w.holds(w.post("/candidates/"+pick(w.clients.candidates, n)+"/tokens", "{}"))
	}},
	{"try integration", 2, func(w *simulation, n int) {
		w.ask(request{method: "POST", path: "/integrations/send-init-request",
			key: fmt.Sprintf("try %d", n),
			body: fmt.Sprintf(`{"integrationId":%q,"triggerEvent":"candidateRejected"}`,
				pick(w.clients.integrations, n))})
	}},
	{"announced upload", 4, (*simulation).announced},
	{"delete message", 3, (*simulation).deleteMessage},
	{"change", 5, func(w *simulation, n int) {
		w.ask(request{method: "PATCH", path: "/candidates/" + pick(w.clients.candidates, n),
			body: fmt.Sprintf(`{"firstName":"%s %d","externalId":%s}`, canary, n,
				[]string{`"x0"`, `"x1"`, "null"}[n%3])})
	}},
	{"reject candidate", 2, func(w *simulation, n int) {
		w.post("/candidates/"+pick(w.clients.candidates, n)+"/reject", `{"reason":"r"}`)
	}},
	{"reopen", 3, func(w *simulation, n int) {
		w.post("/candidates/"+pick(w.clients.candidates, n)+"/reopen", "")
	}},
	{"pass", 2, func(w *simulation, n int) {
		w.post("/candidates/"+pick(w.clients.candidates, n)+"/passVerification",
			fmt.Sprintf(`{"status":%q}`, []string{"verified", "failed", "pending"}[n%3]))
	}},
	{"form", 3, func(w *simulation, n int) {
		w.post("/candidates/"+pick(w.clients.candidates, n)+"/forms/"+w.clients.form,
			`{"answers":{"a":"`+canary+`"}}`)
	}},
	{"ask for form", 2, func(w *simulation, n int) {
		w.post("/candidates/"+pick(w.clients.candidates, n)+"/forms",
			fmt.Sprintf(`{"formId":%q}`, w.clients.form))
	}},
	{"open form", 2, func(w *simulation, n int) {
		w.post("/candidates/"+pick(w.clients.candidates, n)+"/forms/"+w.clients.form+"/reopen", "")
	}},
	{"check again", 3, func(w *simulation, n int) {
		w.post("/candidateDocumentTypes/"+pick(w.clients.requests, n)+"/check", "")
	}},
	{"apply preset", 5, func(w *simulation, n int) {
		w.post("/candidates/"+pick(w.clients.candidates, n)+"/presets",
			fmt.Sprintf(`{"presetId":%q}`, w.clients.preset))
	}},
	{"take preset back", 4, func(w *simulation, n int) {
		w.ask(request{method: "DELETE", path: "/candidates/" + pick(w.clients.candidates, n) +
			"/presets/" + w.clients.preset})
	}},
	{"rename company", 1, func(w *simulation, n int) {
		w.ask(request{method: "PATCH", path: "/companies/" + w.clients.company,
			body: fmt.Sprintf(`{"name":"First %d"}`, n)})
	}},
	{"search", 3, func(w *simulation, n int) {
		w.ask(request{method: "GET", path: "/candidates?filter[search]=" + canary})
	}},
	{"by type", 3, func(w *simulation, n int) {
		w.ask(request{method: "GET", path: "/candidateDocumentTypes?filter[documentTypeId]=" +
			pick(w.clients.types, n)})
	}},
	{"candidate", 3, func(w *simulation, n int) { w.addCandidate(fmt.Sprint(n % 5)) }},
	{"import", 3, func(w *simulation, n int) {
		w.ask(request{method: "POST", path: "/candidates/import", key: fmt.Sprintf("import %d", n),
			body: fmt.Sprintf(`{"externalId":"x%d","firstName":"%s","documents":[
				{"documentTypeId":%q,"parsed":{"name":"%s","n":%d}}]}`, n%3, canary,
				pick(w.clients.types, n/3), canary, n%2)})
	}},
	{"erase", 2, func(w *simulation, n int) {
		w.ask(request{method: "DELETE", path: "/candidates/" + pick(w.clients.candidates, n)})
	}},
	{"rules", 4, func(w *simulation, n int) {
		w.ask(request{method: "PATCH", path: "/documentTypes/" + pick(w.clients.types, n),
			body: w.rules(n / 5)})
	}},
	{"share", 2, func(w *simulation, n int) {
		with := []string{"[]", fmt.Sprintf("[%q]", w.clients.company)}[min(n%4, 1)]
		w.ask(request{method: "PATCH", path: "/documentTypes/" + w.clients.shared, partner: true,
			body: `{"sharedWith":` + with + `,"description":"d"}`})
	}},
	{"integrate", 2, func(w *simulation, n int) { w.addIntegration(pick(event.Names, n)) }},
	{"move integration", 2, func(w *simulation, n int) {
		w.ask(request{method: "PATCH", path: "/integrations/" + pick(w.clients.integrations, n),
			body: fmt.Sprintf(`{"triggerEvent":%q}`, pick(event.Names, n/3))})
	}},
	{"drop integration", 1, func(w *simulation, n int) {
		w.ask(request{method: "DELETE", path: "/integrations/" + pick(w.clients.integrations, n)})
	}},
	{"enable", 3, func(w *simulation, n int) {
		w.post("/integrations/"+pick(w.clients.integrations, n)+"/enable", "")
	}},
	{"replay", 3, (*simulation).replay},
	{"scenario", 2, func(w *simulation, n int) {
		w.ask(request{method: "PATCH", path: "/scenarios/" + w.clients.scenario,
			body: fmt.Sprintf(`{"active":%t}`, n%3 > 0)})
	}},
	{"register", 2, (*simulation).register},
	{"key", 1, (*simulation).addKey},
	{"drop key", 1, (*simulation).dropKey},
	{"sign in", 3, (*simulation).signIn},
	{"link", 2, (*simulation).link},
	{"sign in at provider", 2, (*simulation).signInAtProvider},
	{"use link", 3, func(w *simulation, n int) {
		w.holds(w.ask(request{method: "POST", path: "/sessions", as: nobody,
			body: fmt.Sprintf(`{"link":%q}`, pick(w.clients.links, n))}))
	}},
	{"sign out", 3, func(w *simulation, n int) {
		w.ask(request{method: "DELETE", path: "/sessions/current",
			as: pick(w.clients.credentials, n)})
	}},
	{"drop scenario", 1, func(w *simulation, n int) {
		w.ask(request{method: "DELETE", path: "/scenarios/" + w.clients.scenario})
	}},
	{"count requests", 1, func(w *simulation, n int) {
		_, _ = w.machines[n%2].store.CountRequests(background, store.RequestBucket{
			CompanyID: w.clients.company, Kind: "company", Rate: 10, Burst: 10}, 20)
	}},
	{"grow lists", 1, func(w *simulation, n int) {
		_, _ = w.machines[n%2].store.SetListShards(background, w.clients.company, 1+n%6)
	}},
	{"restore rules", 2, func(w *simulation, n int) {
		w.post(fmt.Sprintf("/documentTypes/%s/submission/versions/%d/restore",
			pick(w.clients.types, n), 1+n/5%3), "")
	}},
	{"form of the company", 1, func(w *simulation, n int) {
		w.ask(request{method: "PATCH", path: "/forms/" + w.clients.form,
			body: fmt.Sprintf(`{"name":"F %d"}`, n%3)})
	}},
	{"restore form", 1, func(w *simulation, n int) {
		w.post(fmt.Sprintf("/settings/%s/versions/%d/restore", w.clients.form, 1+n%3), "")
	}},
	{"drop type", 1, func(w *simulation, n int) {
		a := w.post("/documentTypes", `{"name":"D"}`)
		if id, ok := a.body["id"].(string); ok {
			w.ask(request{method: "DELETE", path: "/documentTypes/" + id})
		}
	}},
}

func pick(list []string, n int) string {
	if len(list) == 0 {
		return "/none"
	}
	return list[n%len(list)]
}

func (w *simulation) post(path, body string) answer {
	return w.ask(request{method: "POST", path: path, body: body})
}

// randomAction starts an action, chosen by weight, one or more times at once: somebody clicks
// twice.
func (w *simulation) randomAction(times int) {
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	x, n := w.rnd.IntN(total), w.rnd.IntN(1<<20)
	for _, a := range actions {
		if x -= a.weight; x < 0 {
			w.note("%s %d", a.name, n)
			for range times {
				w.start(a.name, 0, func(*task) { a.do(w, n) })
			}
			return
		}
	}
}

// insist sends a request, and has it sent again later where its end is not known.
func (w *simulation) insist(r request) answer {
	a := w.ask(r)
	if a.status == 0 || a.status == http.StatusServiceUnavailable {
		w.clients.pending = append(w.clients.pending, r)
	}
	return a
}

// insistAgain begins sending what was not answered for certain.
func (w *simulation) insistAgain() {
	for _, r := range w.clients.pending {
		w.start("again: "+r.path, 0, func(t *task) { w.learn(t, r, w.insist(r)) })
	}
	w.clients.pending = nil
}

func (w *simulation) upload(n int) {
	id := pick(w.clients.requests, n)
	part := []string{"front", "back"}[n/3%2]
	name := fmt.Sprintf("file-%d", n)
	content := base64.StdEncoding.EncodeToString([]byte(`{"name":"` + name + canary + `"}`))
	r := request{method: "POST", path: "/candidateDocumentTypes/" + id + "/upload", key: name + id,
		name: name,
		body: fmt.Sprintf(
			`{"parts":[{"name":%q,"fileName":"%s-%s","contentType":"application/json","content":%q}]}`, part, name, canary, content)}
	w.learn(w.current, r, w.insist(r))
}

// announced uploads in three steps: announce, send the bytes, commit.
func (w *simulation) announced(n int) {
	path := "/candidateDocumentTypes/" + pick(w.clients.requests, n) + "/upload"
	content := fmt.Sprintf(`{"n":%d,"name":%q}`, n, canary)
	a := w.post(path, fmt.Sprintf(
		`{"parts":[{"name":"front","fileName":"%s","contentType":"application/json","size":%d,"sha256":"%x"}]}`, canary, len(content), sha256.Sum256([]byte(content))))
	id, _ := a.body["uploadId"].(string)
	if a.status != http.StatusOK {
		return
	}
	w.blobs.kept[blob.Pending+id+"/0@1"] = []byte(content)
	r := request{method: "POST", path: path, key: id,
		body: fmt.Sprintf(`{"uploadId":%q,"commit":true}`, id)}
	w.learn(w.current, r, w.insist(r))
}

// read reads a message, of whoever it is.
func (w *simulation) read(n int) {
	var messages []string
	for key := range w.truth.items {
		if pk, ok := strings.CutSuffix(key.PK, "#MSG"); ok {
			candidate := pk[strings.LastIndex(pk, "#")+1:]
			messages = append(messages, "/candidates/cnd_"+candidate+"/messages/msg_"+candidate+
				key.SK)
		}
	}
	slices.Sort(messages)
	w.post(pick(messages, n)+"/read", "")
}

func (w *simulation) message(n int) {
	r := request{method: "POST", path: "/candidates/" + pick(w.clients.candidates, n) + "/messages",
		name: fmt.Sprintf("text %d", n),
		key:  fmt.Sprintf("message %d", n), body: fmt.Sprintf(`{"text":"text %d"}`, n)}
	w.learn(w.current, r, w.insist(r))
}

// learn notes what an answer promises, and holds a refusal against the truth.
func (w *simulation) learn(t *task, r request, a answer) {
	upload := strings.HasSuffix(r.path, "/upload")
	switch {
	case upload && a.status == http.StatusOK:
		made := uploadedIn(a.body)
		if before, twice := w.clients.uploads[r.key]; twice && before != made || made == "" {
			w.truth.wrong("twice", "%s became %s and %s", r.key, before, made)
		}
		w.clients.uploads[r.key] = made
	case upload && a.status == http.StatusConflict && a.body["code"] == string(dossier.CodeLocked):
		id := strings.Split(r.path, "/")[2]
		if frozen, ever := w.truth.thawed[id]; !ever || frozen < t.born && !w.truth.isFrozen(id) {
			w.truth.wrong("lock", "%s was not frozen, and refused an upload", id)
		}
		if a.header.Get("Retry-After") == "" || a.body["lock"] == nil {
			w.truth.wrong("lock", "a refusal without Retry-After or lock: %v", a.body)
		}
	case a.status == http.StatusOK:
		w.clients.sent[r.name] = true
		id, _ := a.body["id"].(string)
		w.clients.messages = append(w.clients.messages, r.path+"/"+id)
	}
}

func (w *simulation) deleteMessage(n int) {
	path := pick(w.clients.messages, n)
	for key, i := range w.truth.items {
		if strings.HasSuffix(path, key.SK) && strings.HasSuffix(key.PK, "#MSG") {
			w.clients.deleted[decoded[dossier.Message](i).Text] = true
		}
	}
	w.ask(request{method: "DELETE", path: path})
}

func (w *simulation) remove(id string) {
	_, err := w.machines[0].store.RemoveRequest(background, w.clients.company, id)
	if known := (*dossier.Error)(nil); err != nil && !errors.As(err, &known) {
		w.technical(w.current, err)
	}
}

func (w *simulation) replay(n int) {
	if n%3 == 0 {
		since := w.now.Add(-5 * time.Hour).UTC().Format(time.RFC3339)
		w.post("/integrations/"+pick(w.clients.integrations, n)+"/replay",
			fmt.Sprintf(`{"since":%q,"status":["held","failed","delivered"]}`, since))
		return
	}
	var logs []string
	for key := range w.truth.due {
		pk, rest, _ := strings.Cut(key, " ")
		target, sequence, _ := strings.Cut(rest, "#")
		logs = append(logs, "log_"+pk[strings.LastIndex(pk, "#")+1:]+target+sequence)
	}
	slices.Sort(logs)
	w.post("/integrations/logs/"+pick(logs, n)+"/replay", "")
}
