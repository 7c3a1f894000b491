package httpapi

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ReadyPath is the path at which a process says whether it can do its work. The API does not
// answer it.
const ReadyPath = "/readyz"

// Served is an answered request, without anything of its caller's own.
type Served struct {
	Method   string // other, unless the API knows it
	Route    string // the route's pattern, or none
	Status   int
	Code     string // of the problem, empty for a success
	Duration time.Duration
}

// tell writes the one line of a request, and passes it on to Config.Observe. Probes come every few
// seconds: one that succeeds is logged at the level debug.
func (a *API) tell(r *http.Request, s Served, id string, bytes int64, level slog.Level,
	more ...slog.Attr) {
	if s.Status == http.StatusOK && (s.Route == healthPath || s.Route == ReadyPath) {
		level = slog.LevelDebug
	}
	a.cfg.Log.LogAttrs(r.Context(), level, "request", append([]slog.Attr{
		slog.String("requestId", id), slog.String("method", s.Method),
		slog.String("route", s.Route), slog.Int("status", s.Status),
		slog.Int64("durationMs", s.Duration.Milliseconds()), slog.Int64("bytes", bytes),
		slog.String("client", a.clientLabel(r)),
	}, more...)...)
	if a.cfg.Observe != nil {
		a.cfg.Observe(s)
	}
}

// log writes the one line of a request: everything that is known of it and nothing personal. The
// path is the route's pattern, the query and the bodies are left out.
func (a *API) log(e *endpoint, x *exchange) {
	s := Served{Method: methodName(x.Method), Route: "none", Status: x.response.status,
		Code: x.response.code, Duration: a.cfg.Now().Sub(x.start)}
	if e != nil {
		s.Route = e.path
	}
	var more []slog.Attr
	if x.principal.Kind != "" {
		more = append(more, slog.String("companyId", x.principal.CompanyID),
			slog.String("principalKind", x.principal.Kind),
			slog.String("principalId", cmp.Or(x.principal.LogID, x.principal.ID)))
	}
	level := slog.LevelInfo
	if x.err != nil {
		more = append(more, slog.String("code", s.Code))
		if s.Status >= http.StatusInternalServerError {
			level = slog.LevelError
			if s.Status == http.StatusServiceUnavailable {
				level = slog.LevelWarn // a crowd on one candidate is no fault of the service
			}
			more = append(more, slog.String("error", x.err.Error()))
		}
	}
	a.tell(x.Request, s, x.id, int64(len(x.response.body)), level, more...)
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
		_, route, _ := strings.Cut(r.Pattern, "/")
		served := Served{Method: methodName(r.Method), Route: "/" + route,
			Status: cmp.Or(rec.status, http.StatusOK), Duration: a.cfg.Now().Sub(start)}
		var more []slog.Attr
		// Only what was signed here: an address that is refused is the client's own text.
		if name := part(r); name != "" && served.Status < http.StatusMultipleChoices {
			more = append(more, slog.String("part", name))
		}
		a.tell(r, served, id, rec.bytes, slog.LevelInfo, more...)
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
