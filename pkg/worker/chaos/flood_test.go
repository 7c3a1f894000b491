package chaos

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/app/standalone"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
	"github.com/dossierhq/dossier/pkg/notify/inprocess"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

// TestOneCompanyFloods measures the time from an upload to the webhook of the validated document:
// first alone, then while another company floods everything that can wait. It may double, no more.
// The test is not parallel, because it measures time.
func TestOneCompanyFloods(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds: part of `make test`")
	}
	for name, engine := range map[string]func(*testing.T) kv.Engine{
		"bolt": func(t *testing.T) kv.Engine {
			e, err := bolt.Open(filepath.Join(t.TempDir(), "db"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = e.Close() })
			return e
		},
		"dynamo": func(t *testing.T) kv.Engine { return dynamotest.New(t) },
	} {
		t.Run(name, func(t *testing.T) { measureFlood(t, newTwoCompanies(t, engine(t))) })
	}
}

func measureFlood(t *testing.T, c *twoCompanies) {
	const documents = 5
	c.measure(t) // opens connections and fills caches
	alone := c.median(t, documents)
	c.flood(t, size(40, 200))
	began := time.Now()
	defer c.chatter(t, size(4, 1000))()
	for deadline := time.Now().Add(time.Minute); c.hanging.Load() == 0 &&
		time.Now().Before(deadline); {
		c.measure(t) // until the flood holds all that it can hold
	}
	flooded := c.median(t, documents)
	// Something else on this machine may slow a few documents down, but not three times as many. A
	// company that starves waits for slow checks of five seconds each time.
	for tries := 1; flooded > 2*alone && tries < 3; tries++ {
		t.Logf("alone %s, beside the flood %s: measured again", alone, flooded)
		flooded = c.median(t, documents)
	}
	if c.slow.Load() == int64(c.uploads) {
		t.Fatal("the flood was over before the measurement")
	}
	if c.hanging.Load() == 0 || c.refused.Load() == 0 {
		t.Fatalf("%d parsers hang, %d webhooks failed: that is no flood", c.hanging.Load(),
			c.refused.Load())
	}
	seconds := time.Since(began).Seconds()
	t.Logf("alone %s, beside the flood %s; %d of %d slow checks ended, %d parsers hang, "+
		"%d webhooks failed, %.0f messages a second tried and %.0f sent", alone, flooded,
		c.slow.Load(), c.uploads, c.hanging.Load(), c.refused.Load(),
		float64(c.asked.Load())/seconds, float64(c.messages.Load())/seconds)
	if c.messages.Load() == 0 {
		t.Error("no message of the flood was sent")
	}
	if flooded > 2*alone {
		t.Errorf("a document takes %s beside another company's flood, and %s alone", flooded, alone)
	}
}

// twoCompanies is a service with one company that floods and one that does not.
type twoCompanies struct {
	api                    *httpapi.API // without limits on requests
	limited                *httpapi.API
	notifier               *inprocess.Notifier
	floodKey, otherKey     string
	otherType              string
	delivered              chan string // ids of the candidates in the other company's webhooks
	uploads                int
	slow, hanging, refused atomic.Int64
	asked, messages        atomic.Int64
}

// checkTakes is the time that a check of the other company holds its worker; one of the flood takes
// ten times as long.
const checkTakes = 400 * time.Millisecond

func newTwoCompanies(t *testing.T, engine kv.Engine) *twoCompanies {
	c := &twoCompanies{notifier: inprocess.New(), delivered: make(chan string, 1000)}
	log := slog.New(slog.DiscardHandler)
	s := store.New(engine, store.Config{Notifier: c.notifier, Sweep: time.Second})
	blobs := &careful{blobs: &blobs{w: &simulation{}, kept: map[string][]byte{}}}
	cfg := httpapi.Config{Store: s, Groups: httpapi.Groups(), Log: log, Blobs: blobs,
		Targets: anywhere{}, Prober: anywhere{}, NewSecret: func() string { return "whsec_x" }}
	limited, err := httpapi.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Rate, cfg.Burst = 1e9, 1e9
	api, err := httpapi.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.api, c.limited = api, limited
	check := func(checker worker.Checker) *worker.Check {
		return &worker.Check{Store: s, Bytes: blobs, Checker: checker, Dir: t.TempDir(),
			Now: time.Now, Log: log}
	}
	c.notifier.Start(standalone.Consumers(c.notifier, standalone.Workers{
		Check:       check(slowChecker{c}),
		ParserCheck: check(hangingChecker{c, standalone.InTurn(c.notifier)}),
		Rules:       &worker.Rules{Store: s}, Dispatch: &worker.Dispatch{Store: s},
		Deliver: &worker.Deliver{Store: s, Sender: c, Now: time.Now, Log: log,
			NextDelay: webhook.NextDelay, DisableAfter: webhook.DisableAfter},
	}, log))
	sweeps, stop := context.WithCancel(context.Background())
	var sweeping sync.WaitGroup
	sweeping.Go(func() {
		sweep := &worker.Sweep{Store: s, Blobs: blobs, Log: log}
		for tick := time.Tick(time.Second); sweeps.Err() == nil; {
			_, _ = sweep.Work(sweeps) // the next one tries again
			select {
			case <-tick:
			case <-sweeps.Done():
			}
		}
	})
	t.Cleanup(func() {
		stop()
		sweeping.Wait()
		now, cancel := context.WithCancel(context.Background())
		cancel()
		_ = c.notifier.Close(now) // the flood is cut off
	})
	for _, key := range []*string{&c.floodKey, &c.otherKey} {
		company, err := s.CreateCompany(t.Context(), "", "Company")
		if err != nil {
			t.Fatal(err)
		}
		*key = company.Key.Secret
	}
	c.otherType = c.create(t, c.otherKey, "/documentTypes",
		`{"name":"T","check":{"parser":"json","decision":"automatic"}}`)
	c.integrate(t, c.otherKey, event.CandidateDocumentValidated)
	return c
}

// create posts and returns the id in the response.
func (c *twoCompanies) create(t *testing.T, key, path, body string) string {
	t.Helper()
	a := post(c.api, key, path, body)
	id, _ := a.body["id"].(string)
	if a.status != 200 {
		t.Fatalf("%s: %d %v", path, a.status, a.body)
	}
	return id
}

func (c *twoCompanies) integrate(t *testing.T, key, name string) {
	c.create(t, key, "/integrations", fmt.Sprintf(
		`{"name":"I","triggerEvent":%q,"target":{"type":"webhook","url":"https://example.com/%s"}}`,
		name, key))
}

// upload makes a candidate with a document of a type and returns the candidate's id.
func (c *twoCompanies) upload(t *testing.T, key, documentType string) string {
	id := c.create(t, key, "/candidates", fmt.Sprintf(`{"documentTypeIds":[%q]}`, documentType))
	request := "cdt_" + strings.TrimPrefix(id, "cnd_") + strings.TrimPrefix(documentType, "dty_")
	c.create(t, key, "/candidateDocumentTypes/"+request+"/upload",
		`{"parts":[{"name":"front","contentType":"application/json","content":"e30="}]}`)
	return id
}

// measure returns the time from an upload of the other company to its webhook.
func (c *twoCompanies) measure(t *testing.T) time.Duration {
	began := time.Now()
	id := c.upload(t, c.otherKey, c.otherType)
	for timeout := time.After(time.Minute); ; {
		select {
		case got := <-c.delivered:
			if got == id {
				return time.Since(began)
			}
		case <-timeout:
			t.Fatal("a document beside a flood is not done within a minute")
		}
	}
}

func (c *twoCompanies) median(t *testing.T, n int) time.Duration {
	var times []time.Duration
	for range n {
		times = append(times, c.measure(t))
	}
	slices.Sort(times)
	return times[n/2]
}

// flood uploads n documents whose checks are slow and as many whose parser hangs. Each event goes
// to three scenarios that send messages, and to ten webhooks that fail.
func (c *twoCompanies) flood(t *testing.T, n int) {
	slow := c.create(t, c.floodKey, "/documentTypes",
		`{"name":"S","check":{"parser":"json","decision":"automatic"}}`)
	hanging := c.create(t, c.floodKey, "/documentTypes",
		`{"name":"H","check":{"parser":"http","decision":"automatic","http":{"url":"https://example.com/parse"}}}`)
	for range 3 {
		c.create(t, c.floodKey, "/scenarios", fmt.Sprintf(
			`{"name":"N","eventName":%q,"active":true,"notification":{"subject":"s","text":"t"}}`,
			event.CandidateDocumentUploaded))
	}
	for range 10 {
		c.integrate(t, c.floodKey, event.CandidateDocumentUploaded)
	}
	c.uploads = n
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for range n / 4 {
				id := c.upload(t, c.floodKey, slow)
				c.upload(t, c.floodKey, hanging)
				c.create(t, c.floodKey, "/candidates/"+id+"/messages", `{"text":"Hello."}`)
			}
		})
	}
	clients.Wait()
}

// chatter has the company that floods try to send rate messages a second, with four keys, until
// stop is called. The limits on its requests are those of a service that nobody configured.
func (c *twoCompanies) chatter(t *testing.T, rate int) (stop func()) {
	const clients = 4
	candidate := c.create(t, c.floodKey, "/candidates", `{}`)
	ctx, cancel := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	for range clients {
		made := post(c.api, c.floodKey, "/keys",
			`{"name":"K","kind":"integration","scopes":["messages:write"]}`)
		key, _ := made.body["secret"].(string)
		sending.Go(func() {
			for tick := time.Tick(clients * time.Second / time.Duration(rate)); ; {
				select {
				case <-tick:
				case <-ctx.Done():
					return
				}
				a := post(c.limited, key, "/candidates/"+candidate+"/messages",
					`{"text":"Hello."}`)
				c.asked.Add(1)
				if a.status == http.StatusOK {
					c.messages.Add(1)
				}
			}
		})
	}
	return func() {
		cancel()
		sending.Wait()
	}
}

// Send implements worker.Sender: the webhooks of the flood fail after a second.
func (c *twoCompanies) Send(ctx context.Context, d dossier.Delivery) dossier.Outcome {
	if strings.HasSuffix(d.URL, c.otherKey) {
		c.delivered <- sent(d.Body).CandidateID
		return dossier.Outcome{Result: dossier.Delivered}
	}
	c.refused.Add(1)
	select {
	case <-time.After(time.Second):
		return dossier.Outcome{Result: dossier.Retry, Attempt: failed(0, webhook.FailedTimeout)}
	case <-ctx.Done():
		return dossier.Outcome{Result: dossier.Interrupted}
	}
}

// slowChecker is a parser that takes its time.
type slowChecker struct{ c *twoCompanies }

// CheckParts implements worker.Checker.
func (s slowChecker) CheckParts(ctx context.Context, claim store.Claim, _ []string,
	_ string) (store.CheckResult, error) {
	takes := checkTakes
	if claim.Type.Name == "S" {
		takes *= 10
	}
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return store.CheckResult{}, ctx.Err()
	}
	if claim.Type.Name == "S" {
		s.c.slow.Add(1)
	}
	return store.CheckResult{State: dossier.StateValidated}, nil
}

// hangingChecker is a parser service that accepts a connection and never answers.
type hangingChecker struct {
	c      *twoCompanies
	inTurn func(context.Context, store.Claim, func()) error
}

// CheckParts implements worker.Checker.
func (h hangingChecker) CheckParts(ctx context.Context, claim store.Claim, _ []string,
	_ string) (store.CheckResult, error) {
	if err := h.inTurn(ctx, claim, func() { time.Sleep(checkTakes / 10) }); err != nil {
		return store.CheckResult{}, err
	}
	h.c.hanging.Add(1)
	<-ctx.Done()
	return store.CheckResult{}, errors.New("the parser service does not answer")
}
