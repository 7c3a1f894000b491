package httpapi

import (
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
