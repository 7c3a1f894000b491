package httpapi

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strings"
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

// LogOthers writes the log line of each request that another handler than the API answers, such as
// downloads of parts and pages. part names the part that a successful request read, if any.
func (a *API) LogOthers(h http.Handler, part func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, start := requestID(r, a.cfg.Now()), a.cfg.Now()
		rec := &recorder{ResponseWriter: w}
		w.Header().Set("X-Request-Id", id)
		h.ServeHTTP(rec, r)
		if rec.isAPI {
			return
		}
		rec.status = cmp.Or(rec.status, http.StatusOK)
		_, route, _ := strings.Cut(r.Pattern, "/")
		took := a.cfg.Now().Sub(start)
		attrs := []slog.Attr{
			slog.String("requestId", id), slog.String("method", methodName(r.Method)),
			slog.String("route", "/"+route), slog.Int("status", rec.status),
			slog.Int64("durationMs", took.Milliseconds()), slog.Int64("bytes", rec.bytes),
		}
		// Only what was signed here: an address that is refused is the client's own text.
		if name := part(r); name != "" && rec.status < http.StatusMultipleChoices {
			attrs = append(attrs, slog.String("part", name))
		}
		level := slog.LevelInfo
		if strings.HasSuffix(route, "z") && rec.status == http.StatusOK {
			level = slog.LevelDebug // a probe, such as readyz
		}
		a.cfg.Log.LogAttrs(r.Context(), level, "request", attrs...)
		if a.cfg.Observe != nil {
			a.cfg.Observe(Served{Method: methodName(r.Method), Route: "/" + route,
				Status: rec.status, Duration: took})
		}
	})
}

// recorder notes what a handler answers.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	isAPI  bool // the API answers, which logs by itself
}

// Unwrap serves http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader notes the first status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}
