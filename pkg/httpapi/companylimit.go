package httpapi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// RequestCounter counts the requests of a company where all processes see them. It returns how long
// the company has to wait before its next request.
type RequestCounter interface {
	CountRequests(ctx context.Context, b store.RequestBucket, n int) (time.Duration, error)
}

// countedAtOnce is the number of requests of a company after which a process counts them in the
// table. A company exceeds its rate by so many in each process, and a request costs a twentieth of
// a read and a write.
const countedAtOnce = 20

// companyLimit bounds the requests of a company to all processes together.
type companyLimit struct {
	counter RequestCounter
	rate    float64
	burst   int
	log     *slog.Logger
	counts  *lru.Cache[principalKey, *companyCount]
}

// companyCount holds the requests of a company that this process has yet to count in the table.
type companyCount struct {
	mu      sync.Mutex
	pending int
	until   time.Time // requests are refused until then
}

func newCompanyLimit(cfg Config) *companyLimit {
	// fails for a size below 1 only
	cache, _ := lru.New[principalKey, *companyCount](maxCredentials)
	return &companyLimit{counter: cfg.Requests, rate: cfg.CompanyRate, burst: cfg.CompanyBurst,
		log: cfg.Log, counts: cache}
}

// take counts a request; one too many is RATE_LIMITED. If the table does not answer, the limit of
// this process alone remains.
func (l *companyLimit) take(ctx context.Context, companyID, kind string, now time.Time) error {
	if l.counter == nil {
		return nil
	}
	n, wait := l.count(principalKey{companyID: companyID, kind: kind}).add(now)
	if wait > 0 {
		return errCompanyRate(wait)
	}
	if n == 0 {
		return nil
	}
	wait, err := l.counter.CountRequests(ctx, store.RequestBucket{CompanyID: companyID, Kind: kind,
		Rate: l.rate, Burst: l.burst}, n)
	if err != nil {
		l.log.LogAttrs(ctx, slog.LevelWarn, "count the requests of a company",
			slog.String("companyId", companyID), slog.String("error", err.Error()))
		return nil
	}
	l.count(principalKey{companyID: companyID, kind: kind}).stop(now.Add(wait))
	return nil
}

func (l *companyLimit) count(key principalKey) *companyCount {
	if known, ok := l.counts.Get(key); ok {
		return known
	}
	made := &companyCount{}
	if known, ok, _ := l.counts.PeekOrAdd(key, made); ok {
		return known
	}
	return made
}

// add returns how many requests are to be counted in the table now, or how long the company has to
// wait.
func (c *companyCount) add(now time.Time) (n int, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Before(c.until) {
		return 0, c.until.Sub(now)
	}
	if c.pending++; c.pending < countedAtOnce {
		return 0, 0
	}
	n, c.pending = c.pending, 0
	return n, 0
}

// stop refuses requests until a moment.
func (c *companyCount) stop(until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = until
}

func errCompanyRate(wait time.Duration) error {
	return &dossier.Error{Code: dossier.CodeRateLimited, RetryAfter: wait,
		Detail: "The keys of this company have sent too many requests together."}
}
