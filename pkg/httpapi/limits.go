package httpapi

import (
	"errors"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/time/rate"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// limits bounds how often one principal may call this process.
type limits struct {
	rate  rate.Limit
	burst int
	byWho *recent[whoID, *rate.Limiter]
}

type whoID struct{ companyID, kind, id string }

func newLimits(r rate.Limit, burst int) *limits {
	return &limits{rate: r, burst: burst, byWho: newRecent[whoID, *rate.Limiter](maxRemembered)}
}

// take counts a request; one too many is RATE_LIMITED, with the time until the next is possible.
func (l *limits) take(p dossier.Principal, now time.Time) error {
	limiter := l.byWho.getOr(whoID{p.CompanyID, p.Kind, p.ID}, func() *rate.Limiter { return rate.NewLimiter(l.rate, l.burst) })
	turn := limiter.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	turn.CancelAt(now)
	return &dossier.Error{Code: dossier.CodeRateLimited, Detail: "This key calls too often.", RetryAfter: wait}
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
