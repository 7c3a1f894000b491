package web_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/processtest"
	"github.com/dossierhq/dossier/pkg/app/standalone"
)

type object = map[string]any

// process is a standalone process that runs for one test, and a client of its API.
type process struct {
	t          *testing.T
	base       string
	key        string
	hook       *httptest.Server
	signInLink string
	told       chan string // bodies that the webhook got
}

// start runs a process of its own, with a webhook receiver that it may reach. It reads no pictures.
func start(t *testing.T) *process {
	t.Helper()
	return startReading(t, "")
}

// startReading runs a process that reads pictures with a program, and may reach some targets beside
// the webhook receiver.
func startReading(t *testing.T, tesseract string, targets ...string) *process {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves the browser out")
	}
	p := &process{t: t, told: make(chan string, 100)}
	p.hook = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.told <- string(body)
	}))
	t.Cleanup(p.hook.Close)
	out := &processtest.Output{}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var failed error
	cfg := app.Config{Addr: "127.0.0.1:0", Data: t.TempDir(), Lease: 30 * time.Second,
		Sweep: time.Second, Tesseract: tesseract, Rate: 1000, // tests send a lot at once
		AllowTargets: append(targets, p.hook.Listener.Addr().String())}
	go func() {
		defer close(ended)
		failed = standalone.Run(ctx, cfg, out,
			slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		if failed != nil {
			t.Errorf("the process ended with %v", failed)
		}
	})
	select {
	case <-out.Ready():
	case <-ended:
		t.Fatalf("the process did not start: %v", failed)
	}
	link := regexp.MustCompile(`/console/signin#(dsl_\S+)`)
	p.eventually("the sign-in link", func() bool { return link.MatchString(out.String()) })
	text := out.String()
	p.signInLink = link.FindStringSubmatch(text)[1]
	p.key = regexp.MustCompile(`(?m)^admin key: (dsr_\S+)$`).FindStringSubmatch(text)[1]
	p.base = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(text)
	return p
}

// send makes a request that has to succeed and returns its body.
func (p *process) send(method, path string, body any) any {
	p.t.Helper()
	var payload []byte
	switch b := body.(type) {
	case nil:
	case string:
		payload = []byte(b)
	default:
		payload, _ = json.Marshal(b)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path,
		bytes.NewReader(payload))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	var v any
	if err != nil || res.StatusCode != http.StatusOK || json.Unmarshal(text, &v) != nil {
		p.t.Fatalf("%s %s answered %d %s", method, path, res.StatusCode, text)
	}
	return v
}

func (p *process) post(path, body string) string {
	p.t.Helper()
	id, _ := p.send(http.MethodPost, path, body).(object)["id"].(string)
	return id
}

// upload sends one file as the part front.
func (p *process) upload(request, file, contentType string) {
	p.t.Helper()
	content, err := os.ReadFile("../check/testdata/" + file)
	if err != nil {
		p.t.Fatal(err)
	}
	p.post("/candidateDocumentTypes/"+request+"/upload",
		fmt.Sprintf(`{"parts":[{"name":"front","fileName":%q,"contentType":%q,"content":%q}]}`,
			file, contentType, base64.StdEncoding.EncodeToString(content)))
}

// request returns the id of a candidate's request of a document type.
func (p *process) request(candidate, typeID string) string {
	p.t.Helper()
	for _, r := range p.send(http.MethodGet,
		"/candidateDocumentTypes?filter[candidateId]="+candidate, nil).([]any) {
		if r.(object)["documentType"].(object)["id"] == typeID {
			return r.(object)["id"].(string)
		}
	}
	p.t.Fatalf("%s is not asked for %s", candidate, typeID)
	return ""
}

// reaches waits until a request is in a state.
func (p *process) reaches(request, state string) {
	p.t.Helper()
	p.eventually("state "+state, func() bool {
		return p.send(http.MethodGet, "/candidateDocumentTypes/"+request, nil).(object)["state"] ==
			state
	})
}

// eventually waits for a condition.
func (p *process) eventually(what string, holds func() bool) {
	p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(time.Minute)
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			p.t.Fatalf("%s did not come", what)
		}
	}
}

// sample is a company as the README makes it, with candidates in every state.
type sample struct {
	form, card, note, permit, identity, integration, page string
	// candidates: rules have run; a photo to review
	ada, bob                                    string
	licence, adaPermit, bobIdentity, bobLicence string // their requests
}

// furnish makes the sample.
func (p *process) furnish() sample {
	var s sample
	p.post("/customFields",
		`{"entity":"candidate","reference":"permitNumber","label":"Permit number","type":"text"}`)
	p.post("/customFields",
		`{"entity":"candidate","reference":"driverLevel","label":"Driver level","type":"text"}`)
	s.form = p.post("/forms",
		`{"name":"Permit declaration","fields":[{"reference":"hasPermit","label":"Do you hold a permit?","type":"boolean","required":true}]}`)
	s.card = p.post("/documentTypes",
		`{"name":"Tachograph card","check":{"parser":"none","decision":"manual"}}`)
	s.identity = p.post("/documentTypes",
		`{"name":"Identity card","pass":true,"requiredParts":["front"],"check":{"parser":"mrz","decision":"automatic"},"writeBack":[{"from":"mrz.surname","to":"lastName"}]}`)
	s.note = p.post("/scenarios",
		`{"name":"Card needed","eventName":"candidateMessageSent","active":false,"notification":{"subject":"One more document","text":"Please upload your tachograph card."}}`)
	s.permit = p.post("/documentTypes",
		fmt.Sprintf(`{"name":"Work permit","requiredParts":["front"],
	 "check":{"parser":"pdf","decision":"automatic","required":["permit.number","permit.class"],"expiryReference":"permit.expires",
	  "fields":[{"reference":"permit.number","label":"Permit number","type":"text"},{"reference":"permit.class","label":"Class","type":"text"},{"reference":"permit.expires","label":"Valid until","type":"date"}]},
	 "writeBack":[{"from":"permit.number","to":"cf_permitNumber"}],
	 "submission":{"rules":[
	  {"conditionsType":"and","conditions":[{"type":"fields","reference":"permit.class","operator":"contains","value":["C","CE"]},{"type":"context","reference":"cf_permitNumber","operator":"isNotEmpty"}],
	   "actions":[{"type":"addDocumentType","value":%q,"metadata":{"required":true,"note":"professional driver"}},{"type":"sendNotification","value":%q}]},
	  {"conditionsType":"or","conditions":[{"type":"context","reference":"nationality","operator":"isEqual","value":["NLD"]},{"type":"fields","reference":"permit.number","operator":"isNotEmpty"}],"actions":[{"type":"removeForm","value":%q}]},
	  {"conditionsType":"and","conditions":[{"type":"fields","reference":"permit.class","operator":"contains","value":["D","C"]},{"type":"context","reference":"cf_driverLevel","operator":"isEqual","value":["senior"]}],"actions":[{"type":"addDocumentType","value":%q}]}]}}`,
			s.card, s.note, s.form, s.identity))
	s.licence = p.post("/documentTypes",
		`{"name":"Driving licence","requiredParts":["front"],"check":{"parser":"pdf","decision":"manual","fields":[{"reference":"number","label":"Permit number","type":"text"},{"reference":"class","label":"Class","type":"text"},{"reference":"expires","label":"Valid until","type":"date"}]},"writeBack":[{"from":"number","to":"cf_permitNumber"}]}`)
	s.integration = p.post("/integrations",
		fmt.Sprintf(
			`{"name":"HR system","triggerEvent":"candidateDocumentValidated","target":{"type":"webhook","url":"%s/hook"}}`, p.hook.URL))
	s.page = p.post("/registration-pages",
		fmt.Sprintf(
			`{"name":"Drivers","slug":"drivers","documents":[{"documentTypeId":%q,"required":true}],"formIds":[%q]}`, s.permit, s.form))
	s.ada = p.post("/registration-pages/"+s.page+"/register",
		`{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","nationality":"NLD"}`)
	s.adaPermit = p.request(s.ada, s.permit)
	p.upload(s.adaPermit, "chromium-plain.pdf", "application/pdf")
	s.bob = p.post("/candidates",
		fmt.Sprintf(
			`{"firstName":"Bob","lastName":"Hopper","externalId":"4471","documentTypeIds":[%q,%q,%q]}`, s.identity, s.card, s.licence))
	s.bobIdentity = p.request(s.bob, s.identity)
	p.upload(s.bobIdentity, "photo.jpg", "image/jpeg")
	s.bobLicence = p.request(s.bob, s.licence)
	p.upload(s.bobLicence, "chromium-plain.pdf", "application/pdf")
	p.reaches(s.bobLicence, "inReview")
	p.reaches(s.adaPermit, "validated")
	p.reaches(s.bobIdentity, "inReview")
	return s
}
