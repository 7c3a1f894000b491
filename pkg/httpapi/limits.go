package httpapi

import (
	"errors"
	"net/http"
	"net/netip"
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
	cache, _ := lru.New[principalKey, *rate.Limiter](maxCredentials) // fails for a size below 1 only
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
	return &dossier.Error{Code: dossier.CodeRateLimited, Detail: "This key sends too many requests.", RetryAfter: wait}
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

// takeGuest counts a request by the address that it comes from. Addresses of one IPv6 network count
// as one.
func (l *limits) takeGuest(r *http.Request, now time.Time) error {
	from := r.RemoteAddr
	if at, err := netip.ParseAddrPort(from); err == nil {
		bits := 32
		if at.Addr().Is6() && !at.Addr().Is4In6() {
			bits = 64
		}
		network, _ := at.Addr().Unmap().Prefix(bits) // the length fits
		from = network.String()
	}
	err := l.take(dossier.Principal{Kind: "guest", ID: from}, now)
	if e := (*dossier.Error)(nil); errors.As(err, &e) {
		e.Detail = "Too many requests from this address."
	}
	return err
}
