package standalone_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/processtest"
	"github.com/dossierhq/dossier/pkg/app/standalone"
	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
)

type object = map[string]any

// start runs a process of its own, which may reach the targets.
func start(t *testing.T, targets ...string) *client {
	t.Helper()
	c, stop := startIn(t, t.TempDir(), slog.New(slog.DiscardHandler), targets...)
	t.Cleanup(stop)
	return c
}

var (
	printedKey = regexp.MustCompile(`(?m)^admin key: (dsr_\S+)$`)
	printedURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

// startIn runs a process on a data folder and returns how to stop it. The client has a key only on
// the first start.
func startIn(t *testing.T, data string, log *slog.Logger, targets ...string) (*client, func()) {
	t.Helper()
	out := &processtest.Output{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	cfg := app.Config{Addr: "127.0.0.1:0", Data: data, Lease: 30 * time.Second, Sweep: time.Second,
		AllowTargets: targets, MetricsAddr: "127.0.0.1:0"}
	go func() { ended <- standalone.Run(ctx, cfg, out, log) }()
	stop := func() {
		began := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the process ended with %v", err)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("the process took %v to end", took)
		}
	}
	select {
	case <-out.Ready():
	case err := <-ended:
		t.Fatalf("the process did not start: %v", err)
	}
	text := out.String()
	c := &client{t: t, base: printedURL.FindString(text)}
	if key := printedKey.FindStringSubmatch(text); key != nil {
		c.key = key[1]
	}
	if c.base == "" {
		t.Fatalf("printed:\n%s", text)
	}
	return c, stop
}

// hook is a webhook receiver that believes only the Standard Webhooks library.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	secret string
	bodies []string
	ids    []string
	bad    []error
}

func newHook(t *testing.T) *hook {
	h := &hook{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		wh, err := standardwebhooks.NewWebhook(h.secret)
		if err == nil {
			err = wh.Verify(body, r.Header)
		}
		if err != nil {
			h.bad = append(h.bad, err)
		}
		h.bodies, h.ids = append(h.bodies, string(body)), append(h.ids, r.Header.Get("webhook-id"))
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) received() (bodies, ids []string, bad []error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string{}, h.bodies...), append([]string{}, h.ids...), h.bad
}

// until asks again until it is so, for at most a minute.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s", what)
		}
		<-tick.C
	}
}

func pdf(t *testing.T, name string) string {
	t.Helper()
	file, err := os.ReadFile("../../check/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(file)
}

// TestSession is the main job, as a session: the end of the design's page of the API, line by line.
func TestSession(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"chromium-plain.pdf", "libreoffice-table.pdf",
		"filled-form.pdf"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			session(t, file)
		})
	}
}

func session(t *testing.T, file string) {
	h := newHook(t)
	target, err := url.Parse(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, target.Host)
	c.post("/customFields",
		`{"entity":"candidate","reference":"permitNumber","label":"Permit number","type":"text"}`)
	form := c.post("/forms",
		`{"name":"Permit declaration","fields":[{"reference":"hasPermit","label":"Do you hold a permit?","type":"boolean","required":true}]}`)["id"]
	typeB := c.post("/documentTypes",
		`{"name":"Tachograph card","check":{"parser":"none","decision":"manual"}}`)
	if diff := cmp.Diff(any(object{"rules": []any{}, "tests": []any{}}),
		typeB["submission"]); diff != "" {
		t.Errorf("submission of a type without rules:\n%s", diff)
	}
	scenario := c.post("/scenarios",
		`{"name":"Card needed","eventName":"candidateMessageSent","active":false,"notification":{"subject":"One more document","text":"Please upload your tachograph card."}}`)["id"]
	typeA := c.post("/documentTypes", fmt.Sprintf(workPermit, typeB["id"], scenario, form))
	if id, _ := at(t, typeA, "submission", "rules", 1, "id").(string); id == "" {
		t.Error("the rules got no ids")
	}
	integration := c.post("/integrations",
		fmt.Sprintf(
			`{"name":"HR system","triggerEvent":"candidateDocumentValidated","target":{"type":"webhook","url":"%s/hook"}}`, h.URL))
	h.mu.Lock()
	h.secret = integration["secret"].(string)
	h.mu.Unlock()
	page := c.post("/registration-pages",
		fmt.Sprintf(
			`{"name":"Drivers","slug":"drivers","documents":[{"documentTypeId":%q,"required":true}],"formIds":[%q]}`, typeA["id"], form))["id"]
	candidate := c.post(fmt.Sprintf("/registration-pages/%s/register", page),
		`{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","nationality":"NLD"}`)
	if candidate["status"] != "collecting" {
		t.Errorf("registered: %v", candidate)
	}
	list := c.list(fmt.Sprintf("/candidateDocumentTypes?filter[candidateId]=%s", candidate["id"]))
	request := at(t, list, 0, "id").(string)
	if at(t, list, 0, "state") != "requested" ||
		len(at(t, list, 0, "documentType", "submission", "rules").([]any)) != 2 {
		t.Errorf("requested: %v", list)
	}
	c.uploadTwice(request, file)
	var got any
	until(t, "the document is validated", func() bool {
		got = c.ok(http.MethodGet, "/candidateDocumentTypes/"+request, nil)
		return at(t, got, "state") != "processing"
	})
	c.followed(got, request, candidate["id"].(string), typeB["id"].(string))
	c.delivered(h, integration["id"].(string), request, candidate["id"].(string))
}

const workPermit = `{"name":"Work permit","requiredParts":["front"],
  "check":{"parser":"pdf","decision":"automatic","required":["permit.number","permit.class"],"expiryReference":"permit.expires",
           "fields":[{"reference":"permit.number","label":"Permit number","type":"text"},{"reference":"permit.class","label":"Class","type":"text"},{"reference":"permit.expires","label":"Valid until","type":"date"}]},
  "writeBack":[{"from":"permit.number","to":"cf_permitNumber"}],
  "submission":{"rules":[
    {"conditionsType":"and","conditions":[{"type":"fields","reference":"permit.class","operator":"contains","value":["C","CE"]},{"type":"context","reference":"cf_permitNumber","operator":"isNotEmpty"}],
     "actions":[{"type":"addDocumentType","value":%q,"metadata":{"required":true,"note":"professional driver"}},{"type":"sendNotification","value":%q}]},
    {"conditionsType":"or","conditions":[{"type":"context","reference":"nationality","operator":"isEqual","value":["NLD"]},{"type":"fields","reference":"permit.number","operator":"isNotEmpty"}],
     "actions":[{"type":"removeForm","value":%q}]}]}}`

// uploadTwice uploads on one path, and while that is checked on the other, which is refused.
func (c *client) uploadTwice(request, file string) {
	t := c.t
	t.Helper()
	body := object{"parts": []any{
		object{"name": "front", "fileName": "permit.pdf", "contentType": "application/pdf",
			"content": pdf(t, file)},
	}}
	uploaded := c.ok(http.MethodPost, "/candidateDocumentTypes/"+request+"/upload", body)
	if at(t, uploaded, "state") != "processing" || at(t, uploaded, "lock", "expiresAt") == nil ||
		at(t, uploaded, "document", "version") != 1.0 {
		t.Errorf("uploaded: %v", uploaded)
	}
	status, header, refused := c.send(http.MethodPost, "/containers/"+request+"/upload", body)
	if status != http.StatusConflict ||
		at(t, refused, "code") != "NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING" ||
		header.Get("Retry-After") != "1" || at(t, refused, "lock", "startedAt") == nil {
		t.Errorf("while it is checked: %d %v, Retry-After %q", status, refused,
			header.Get("Retry-After"))
	}
}

// followed checks, without waiting, everything that the rules did: whoever sees the document
// validated can read it.
func (c *client) followed(got any, request, candidate, typeB string) {
	t := c.t
	t.Helper()
	want := object{"permit": object{"number": "NL-204", "class": "CE", "expires": "2031-05-01"}}
	if diff := cmp.Diff(any(want), at(t, got, "document", "parsed")); diff != "" ||
		at(t, got, "state") != "validated" || at(t, got, "lock") != nil {
		t.Errorf("checked: state %v, lock %v, reasons %v, parsed (-want +got):\n%s",
			at(t, got, "state"), at(t, got, "lock"), at(t, got, "document", "reasons"), diff)
	}
	runs := c.list("/candidateDocumentTypes/" + request + "/ruleRuns")
	if len(runs) != 1 || at(t, runs, 0, "applied") != true ||
		at(t, runs, 0, "rules", 0, "matched") != true ||
		at(t, runs, 0, "rules", 0, "conditions", 0, "read") != "CE" ||
		at(t, runs, 0, "rules", 0, "conditions", 0, "result") != true ||
		at(t, runs, 0, "rules", 0, "actions", 0, "type") != "addDocumentType" ||
		at(t, runs, 0, "rules", 0, "actions", 0, "changed") != true {
		t.Errorf("rule runs: %v", runs)
	}
	after := c.ok(http.MethodGet, "/candidates/"+candidate, nil)
	if at(t, after, "customFields", "permitNumber") != "NL-204" ||
		len(at(t, after, "forms").([]any)) != 0 || at(t, after, "status") != "collecting" {
		t.Errorf("candidate: %v", after)
	}
	asked := c.list("/candidateDocumentTypes?filter[candidateId]=" + candidate +
		"&filter[state][]=requested")
	if len(asked) != 1 || at(t, asked, 0, "documentType", "id") != typeB ||
		at(t, asked, 0, "metadata", "note") != "professional driver" {
		t.Errorf("asked for now: %v", asked)
	}
	messages := c.list("/candidates/" + candidate + "/messages")
	if len(messages) != 1 || at(t, messages, 0, "author", "type") != "system" ||
		at(t, messages, 0, "state") != "unread" ||
		at(t, messages, 0, "text") != "Please upload your tachograph card." {
		t.Errorf("messages: %v", messages)
	}
}

// delivered checks what the receiver got, and what the log says of it.
func (c *client) delivered(h *hook, integration, request, candidate string) {
	t := c.t
	t.Helper()
	var logs []any
	until(t, "the log says delivered", func() bool {
		logs = c.list("/integrations/logs?filter[integrationId]=" + integration)
		return len(logs) == 1 && at(t, logs, 0, "status") == "delivered"
	})
	if at(t, logs, 0, "eventName") != "candidateDocumentValidated" ||
		at(t, logs, 0, "attempts", 0, "statusCode") != 200.0 {
		t.Errorf("log: %v", logs)
	}
	bodies, ids, bad := h.received()
	if len(bodies) != 1 || len(bad) != 0 {
		t.Fatalf("received %d webhooks, not accepted: %v", len(bodies), bad)
	}
	var e any
	if err := json.Unmarshal([]byte(bodies[0]), &e); err != nil {
		t.Fatal(err)
	}
	want := object{"candidateDocumentTypeId": request, "documentId": at(t, e, "data", "documentId"),
		"status": "collecting"}
	if diff := cmp.Diff(any(want), at(t, e, "data")); diff != "" || at(t, e, "sequence") != 4.0 ||
		at(t, e, "candidateId") != candidate ||
		at(t, e, "id") != ids[0] || !strings.HasPrefix(ids[0], "evt_") ||
		at(t, e, "version") != 1.0 {
		t.Errorf("received %v\n%s", e, diff)
	}
}
