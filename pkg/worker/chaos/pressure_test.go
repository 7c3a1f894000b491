package chaos

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dossierhq/dossier/pkg/app/standalone"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
	"github.com/dossierhq/dossier/pkg/notify/inprocess"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

// crowd is a burst of uploads with three receivers: one that is well, one that answers after ten
// seconds, one that is down.
type crowd struct {
	mu       sync.Mutex
	api      httpapiHandler
	key      string
	names    map[string]string // of the integrations, by id
	uploaded map[string]time.Time
	delays   []time.Duration // of the one that is well
	slow     int
	down     int
	oldest   time.Duration // the greatest age that a sweep told
	routines int           // the most at one time
	heap     uint64        // the most bytes at one time
}

type httpapiHandler = *httpapi.API

// Send implements worker.Sender.
func (c *crowd) Send(_ context.Context, d dossier.Delivery) dossier.Outcome {
	name := c.names[d.IntegrationID]
	switch name {
	case "slow":
		time.Sleep(10 * time.Second)
	case "down":
		c.mu.Lock()
		defer c.mu.Unlock()
		c.down++
		return dossier.Outcome{Result: dossier.Retry, Attempt: failed(0, "refused")}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if name == "slow" {
		c.slow++
	} else {
		c.delays = append(c.delays, time.Since(c.uploaded[sent(d.Body).CandidateID]))
	}
	return dossier.Outcome{Result: dossier.Delivered, Attempt: dossier.Attempt{StatusCode: 200}}
}

// CheckParts implements work.Checker.
func (c *crowd) CheckParts(context.Context, store.Claim, []string,
	string) (store.CheckResult, error) {
	return store.CheckResult{State: dossier.StateInReview}, nil
}

func (c *crowd) measure() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.routines, c.heap = max(c.routines, runtime.NumGoroutine()), max(c.heap, m.HeapAlloc)
}

// TestBackPressure uploads a burst at once. It is not parallel: it counts goroutines. The clock is
// the bubble's, so what is measured is waiting, not computing.
func TestBackPressure(t *testing.T) {
	before := runtime.NumGoroutine()
	synctest.Test(t, func(t *testing.T) { burst(t, size(400, 10_000), before) })
}

func burst(t *testing.T, n, before int) {
	engine, log := kvtest.NewMemory(), slog.New(slog.DiscardHandler)
	notifier := inprocess.New()
	tab := store.New(engine, store.Config{Notifier: notifier, Sweep: 5 * time.Second})
	c := &crowd{names: map[string]string{}, uploaded: map[string]time.Time{}}
	store := &careful{blobs: &blobs{w: &simulation{}, kept: map[string][]byte{}}}
	requests := c.furnish(t, tab, store, n)
	rules, dispatch := &worker.Rules{Store: tab}, &worker.Dispatch{Store: tab}
	check := &worker.Check{Store: tab, Bytes: store, Checker: c, Now: time.Now, Log: log}
	deliver := &worker.Deliver{Store: tab, Sender: c, Log: log, Now: time.Now,
		NextDelay: webhook.NextDelay, DisableAfter: webhook.DisableAfter}
	notifier.Start(standalone.Consumers(notifier, standalone.Workers{
		Check: check, ParserCheck: check, Rules: rules, Dispatch: dispatch, Deliver: deliver,
	}, log))
	sweeps, stop := context.WithCancel(t.Context())
	defer func() {
		stop()
		if err := notifier.Close(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	}()
	go c.sweep(sweeps, &worker.Sweep{Store: tab, Blobs: store, Log: log})
	var people sync.WaitGroup
	next := make(chan string)
	for range 64 {
		people.Go(func() {
			for id := range next {
				c.upload(t, id)
			}
		})
	}
	for n, id := range requests {
		if n%50 == 0 {
			c.measure()
		}
		next <- id
	}
	close(next)
	people.Wait()
	for range 30 * 60 / 5 {
		time.Sleep(5 * time.Second)
		c.measure()
	}
	c.judge(t, n, before)
}

// furnish makes the integrations and n candidates, and returns their candidate document types.
func (c *crowd) furnish(t *testing.T, tab *store.Store, store httpapi.Blobs,
	n int) (requests []string) {
	company, err := tab.CreateCompany(t.Context(), "", "Crowd")
	if err != nil {
		t.Fatal(err)
	}
	api, err := httpapi.New(httpapi.Config{Store: tab, Groups: httpapi.Groups(),
		Log: slog.New(slog.DiscardHandler), Rate: 1e9, Burst: 1e9, Blobs: store,
		Targets: anywhere{}, Prober: anywhere{}, NewSecret: func() string { return "whsec_x" }})
	if err != nil {
		t.Fatal(err)
	}
	c.api, c.key = api, company.Key.Secret
	create := func(path, body string) string {
		a := post(api, c.key, path, body)
		if a.status != 200 {
			t.Fatalf("%s: %d %v", path, a.status, a.body)
		}
		return a.body["id"].(string)
	}
	dt := create("/documentTypes", `{"name":"T","check":{"parser":"json","decision":"manual"}}`)
	for _, name := range []string{"well", "slow", "down"} {
		c.names[create("/integrations",
			fmt.Sprintf(
				`{"name":%q,"triggerEvent":%q,"target":{"type":"webhook","url":"https://example.com"}}`,
				name, event.CandidateDocumentUploaded))] = name
	}
	for range n {
		id := create("/candidates", fmt.Sprintf(`{"documentTypeIds":[%q]}`, dt))
		requests = append(requests, "cdt_"+strings.TrimPrefix(id, "cnd_")+
			strings.TrimPrefix(dt, "dty_"))
	}
	return requests
}

func (c *crowd) upload(t *testing.T, id string) {
	c.mu.Lock()
	c.uploaded["cnd_"+id[4:30]] = time.Now()
	c.mu.Unlock()
	a := post(c.api, c.key, "/candidateDocumentTypes/"+id+"/upload",
		`{"parts":[{"name":"front","contentType":"application/json","content":"e30="}]}`)
	if a.status != 200 {
		t.Errorf("upload: %d %v", a.status, a.body)
	}
}

func (c *crowd) sweep(ctx context.Context, s *worker.Sweep) {
	for ctx.Err() == nil {
		swept, err := s.Work(ctx)
		if err == nil {
			c.mu.Lock()
			c.oldest = max(c.oldest, swept.Oldest)
			c.mu.Unlock()
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
		}
	}
}

// judge holds the burst against what was promised.
func (c *crowd) judge(t *testing.T, n, before int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.delays)
	if len(c.delays) != n {
		t.Errorf("the receiver that is well got %d of %d events", len(c.delays), n)
		return
	}
	p50, p99 := c.delays[n/2], c.delays[n*99/100]
	if p99 > 10*time.Second {
		t.Errorf("the receiver that is well waits %s (p99) for the others", p99)
	}
	if most := before + 64 + 200; c.routines > most {
		t.Errorf("%d goroutines, at most %d were expected", c.routines, most)
	}
	if limit := uint64(n)*60_000 + 100<<20; c.heap > limit {
		t.Errorf("%d MB in memory, at most %d were expected", c.heap>>20, limit>>20)
	}
	if c.oldest == 0 || c.slow == 0 || c.down == 0 {
		t.Errorf("no sweep told of waiting work: %s, %d, %d", c.oldest, c.slow, c.down)
	}
	t.Logf(
		"%d uploads: well %d received (p50 %s, p99 %s, last %s), slow %d, down %d attempts; at most %d goroutines, %d MB; oldest due work %s",
		n, len(c.delays), p50, p99, c.delays[n-1], c.slow, c.down, c.routines, c.heap>>20, c.oldest)
}
