package httpapi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// The time of the processes that the simulations of one company may take.
const (
	// a quarter of each second
	defaultSimulationShare = 0.25
	// after a quiet time: 500 past documents take a tenth of a second
	defaultSimulationBurst = 20 * time.Second
	// after which a process counts in the table what its simulations took
	simulatedAtOnce = 250 * time.Millisecond
)

// maxLongSimulations bounds the simulations of many documents or tests that one company runs at
// once in one process.
const maxLongSimulations = 1

// simulationLimit bounds the time that the simulations of each company take, in this process and,
// where there is a counter, in all together. What a simulation takes is known when it ends, so a
// company that has used up its time waits before the next one.
type simulationLimit struct {
	share   float64 // seconds per second
	burst   time.Duration
	counter RequestCounter
	log     *slog.Logger
	long    *slots
	times   *lru.Cache[string, *simulationTime] // by company
}

// simulationTime holds what the simulations of one company took in this process.
type simulationTime struct {
	mu      sync.Mutex
	bucket  *rate.Limiter // milliseconds
	pending int           // milliseconds that the table does not know of
	until   time.Time     // simulations are refused until then
}

func newSimulationLimit(cfg Config) *simulationLimit {
	// fails for a size below 1 only
	cache, _ := lru.New[string, *simulationTime](maxCredentials)
	return &simulationLimit{share: cfg.SimulationShare, burst: cfg.SimulationBurst,
		counter: cfg.Requests, log: cfg.Log, times: cache,
		long: &slots{limit: maxLongSimulations, taken: map[string]int{}}}
}

// begin returns a function that ends a simulation of a company and counts what it took. It is
// RATE_LIMITED where the company has no time left, or runs another long simulation now.
func (l *simulationLimit) begin(ctx context.Context, companyID string, long bool,
	now func() time.Time) (end func(), err error) {
	if wait := l.of(companyID).wait(now()); wait > 0 {
		return nil, &dossier.Error{Code: dossier.CodeRateLimited, RetryAfter: wait,
			Detail: "The simulations of this company have taken too much time."}
	}
	free := func() {}
	if long {
		if free = l.long.take(companyID); free == nil {
			return nil, &dossier.Error{Code: dossier.CodeRateLimited, RetryAfter: time.Second,
				Detail: "Another simulation of this company over past documents or tests is running."}
		}
	}
	start := time.Now() // of the processor, whatever the clock of the API says
	return func() {
		free()
		took := time.Since(start).Truncate(time.Millisecond) + time.Millisecond
		l.count(context.WithoutCancel(ctx), companyID, int(took.Milliseconds()), now())
	}, nil
}

// count takes milliseconds out of the buckets of a company.
func (l *simulationLimit) count(ctx context.Context, companyID string, took int, now time.Time) {
	t := l.of(companyID)
	n := t.add(took, now)
	if l.counter == nil || n < int(simulatedAtOnce.Milliseconds()) {
		return
	}
	wait, err := l.counter.CountRequests(ctx, store.RequestBucket{CompanyID: companyID,
		Kind: "simulations", Rate: 1000 * l.share, Burst: int(l.burst.Milliseconds())}, t.counted())
	if err != nil {
		l.log.LogAttrs(ctx, slog.LevelWarn, "count the simulations of a company",
			slog.String("companyId", companyID), slog.String("error", err.Error()))
		return
	}
	t.stop(now.Add(wait))
}

func (l *simulationLimit) of(companyID string) *simulationTime {
	if known, ok := l.times.Get(companyID); ok {
		return known
	}
	made := &simulationTime{bucket: rate.NewLimiter(rate.Limit(1000*l.share),
		int(l.burst.Milliseconds()))}
	if known, ok, _ := l.times.PeekOrAdd(companyID, made); ok {
		return known
	}
	return made
}

// wait returns how long the company has to wait before its next simulation.
func (t *simulationTime) wait(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, t.until.Sub(now))
}

// add takes milliseconds out of the bucket, also more than it holds. It returns how many the table
// does not know of.
func (t *simulationTime) add(took int, now time.Time) (pending int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn := t.bucket.ReserveN(now, min(took, t.bucket.Burst()))
	t.until = later(t.until, now.Add(turn.DelayFrom(now)))
	t.pending += took
	return t.pending
}

// counted returns the milliseconds that the table is about to know of.
func (t *simulationTime) counted() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, t.pending = t.pending, 0
	return n
}

// stop refuses simulations until a moment.
func (t *simulationTime) stop(until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.until = later(t.until, until)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
