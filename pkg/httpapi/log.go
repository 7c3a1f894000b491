package httpapi

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"time"
)

// log writes the one line of a request: everything that is known of it and nothing personal. The
// path is the route's pattern, the query and the bodies are left out.
func (a *API) log(e *endpoint, x *exchange) {
	pattern := "none"
	if e != nil {
		pattern = e.path
	}
	attrs := []slog.Attr{
		slog.String("requestId", x.id),
		slog.String("method", methodName(x.Method)),
		slog.String("route", pattern),
		slog.Int("status", x.response.status),
		slog.Int64("durationMs", a.cfg.Now().Sub(x.start).Milliseconds()),
		slog.Int("bytes", len(x.response.body)),
	}
	if x.principal.Kind != "" {
		attrs = append(attrs, slog.String("companyId", x.principal.CompanyID),
			slog.String("principalKind", x.principal.Kind),
			slog.String("principalId", cmp.Or(x.principal.LogID, x.principal.ID)))
	}
	level := slog.LevelInfo
	if x.err != nil {
		attrs = append(attrs, slog.String("code", x.response.code))
		if x.response.status >= http.StatusInternalServerError {
			level = slog.LevelError
			if x.response.status == http.StatusServiceUnavailable {
				level = slog.LevelWarn // a crowd on one candidate is no fault of the service
			}
			attrs = append(attrs, slog.String("error", x.err.Error()))
		}
	}
	if pattern == healthPath && level == slog.LevelInfo {
		level = slog.LevelDebug // probes come every few seconds
	}
	a.cfg.Log.LogAttrs(x.Context(), level, "request", attrs...)
	if a.cfg.Observe != nil {
		a.cfg.Observe(Served{Method: methodName(x.Method), Route: pattern,
			Status: x.response.status, Code: x.response.code, Duration: a.cfg.Now().Sub(x.start)})
	}
}

// Served is an answered request, without anything of its caller's own.
type Served struct {
	Method   string // other, unless the API knows it
	Route    string // the route's pattern, or none
	Status   int
	Code     string // of the problem, empty for a success
	Duration time.Duration
}

// methodName keeps texts of a client's own out of the log.
func methodName(m string) string {
	if slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch,
		http.MethodPut, http.MethodDelete,
		http.MethodOptions}, m) {
		return m
	}
	return "other"
}
