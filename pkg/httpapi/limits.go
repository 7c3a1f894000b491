package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// limits bounds how often one principal may call this process.
type limits struct {
	rate     rate.Limit
	burst    int
	limiters *lru.Cache[principalKey, *rate.Limiter]
}

type principalKey struct{ companyID, kind, id string }

func newLimits(r rate.Limit, burst int) *limits {
	// fails for a size below 1 only
	cache, _ := lru.New[principalKey, *rate.Limiter](maxCredentials)
	return &limits{rate: r, burst: burst, limiters: cache}
}

// take counts a request; one too many is RATE_LIMITED, with the time until the next is possible.
func (l *limits) take(p dossier.Principal, now time.Time) error {
	limiter := l.limiter(principalKey{p.CompanyID, p.Kind, p.ID})
	turn := limiter.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	turn.CancelAt(now)
	return &dossier.Error{Code: dossier.CodeRateLimited,
		Detail: "This key has sent too many requests.", RetryAfter: wait}
}

func (l *limits) limiter(key principalKey) *rate.Limiter {
	if known, ok := l.limiters.Get(key); ok {
		return known
	}
	made := rate.NewLimiter(l.rate, l.burst)
	if known, ok, _ := l.limiters.PeekOrAdd(key, made); ok {
		return known
	}
	return made
}

// takeCompany counts a request of a company, in this process and where all see it. Its candidates'
// tokens have a bucket of their own, so that they can't use up the company's.
func (a *API) takeCompany(ctx context.Context, p dossier.Principal, now time.Time) error {
	kind := "company"
	if p.Kind == dossier.KindCandidate {
		kind = "candidates"
	}
	err := a.companies.take(dossier.Principal{Kind: kind, CompanyID: p.CompanyID}, now)
	if e := (*dossier.Error)(nil); errors.As(err, &e) {
		return errCompanyRate(e.RetryAfter)
	}
	return a.together.take(ctx, p.CompanyID, kind, now)
}

// check returns RATE_LIMITED for an address that has used up its requests. It counts none.
func (l *limits) check(r *http.Request, now time.Time) error {
	if l.limiter(principalKey{kind: "guest", id: network(r)}).TokensAt(now) >= 1 {
		return nil
	}
	return &dossier.Error{Code: dossier.CodeRateLimited,
		Detail: "Too many failed attempts from this address.", RetryAfter: time.Second}
}

// takeGuest counts a request by the network that it comes from.
func (l *limits) takeGuest(r *http.Request, now time.Time) error {
	err := l.take(dossier.Principal{Kind: "guest", ID: network(r)}, now)
	if e := (*dossier.Error)(nil); errors.As(err, &e) {
		e.Detail = "Too many requests from this address."
	}
	return err
}

// network returns the address that a request comes from; the addresses of one IPv6 network are one.
func network(r *http.Request) string {
	from := r.RemoteAddr
	if at, err := netip.ParseAddrPort(from); err == nil {
		bits := 32
		if at.Addr().Is6() && !at.Addr().Is4In6() {
			bits = 64
		}
		network, _ := at.Addr().Unmap().Prefix(bits) // the length fits
		from = network.String()
	}
	return from
}

// maxSamples bounds the samples of one company that wait for their targets at once.
const maxSamples = 2

// maxSignIns bounds the people who wait for the answer of one company's providers at once.
const maxSignIns = 10

// slots bounds what each company does at once in this process.
type slots struct {
	limit int
	mu    sync.Mutex
	taken map[string]int // by company
}

// take returns a function that frees the slot, nil if all of the company's are taken.
func (s *slots) take(companyID string) (free func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[companyID] >= s.limit {
		return nil
	}
	s.taken[companyID]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.taken[companyID]--; s.taken[companyID] == 0 {
			delete(s.taken, companyID)
		}
	}
}
