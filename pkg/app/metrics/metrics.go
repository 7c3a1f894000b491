// Package metrics measures the standalone process for Prometheus: requests, tasks, checks,
// deliveries, the table and the backlog. Labels are routes, kinds, outcomes and codes of closed
// lists, so that none grows with customers. On AWS, pkg/app/aws/metrics reports to CloudWatch.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/worker"
)

// Path is the path of Handler.
const Path = "/metrics"

// Recorder holds the metrics of one process.
type Recorder struct {
	registry   *prometheus.Registry
	requests   *prometheus.HistogramVec
	problems   *prometheus.CounterVec
	tasks      *prometheus.HistogramVec
	checks     *prometheus.CounterVec
	deliveries *prometheus.HistogramVec
	table      *prometheus.HistogramVec
	due        *prometheus.GaugeVec
	oldest     *prometheus.GaugeVec
	swept      prometheus.Gauge
}

// Buckets of durations, in seconds.
var (
	fast = []float64{.0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .5, 1}
	slow = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
)

// New returns a Recorder with the metrics of the Go runtime and of the process as well, and with
// dossier_build_info, which names the program's version.
func New(version string) *Recorder {
	r := &Recorder{
		registry: prometheus.NewRegistry(),
		requests: histogram("http_request_duration_seconds",
			"Time to answer requests, by route.", slow,
			"method", "route", "status"),
		problems: counter("http_problems_total",
			"Refused API requests, by the code of the problem: LIMIT_REACHED is a quota.", "code"),
		tasks: histogram("task_duration_seconds", "Time of one task, by its kind.", slow,
			"kind", "outcome"),
		checks: counter("checks_total",
			"Checks that ended, by the state of the document after it; failed is tried again.",
			"state"),
		deliveries: histogram("delivery_attempt_duration_seconds",
			"Time of one attempt to deliver an event, by its result.", slow, "result"),
		table: histogram("table_duration_seconds", "Time of one operation of the table.", fast,
			"operation", "outcome"),
		due: gauge("tasks_due", "Open tasks that were due at the last sweep, up to its limit.",
			"kind"),
		oldest: gauge("task_oldest_due_seconds",
			"Time for which the oldest due task was due at the last sweep.", "kind"),
		swept: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace,
			Name: "last_sweep_timestamp_seconds",
			Help: "When the last sweep ended without an error."}),
	}
	built := gauge("build_info", "1; the label is the version of the program.", "version")
	built.WithLabelValues(version).Set(1)
	r.registry.MustRegister(r.requests, r.problems, r.tasks, r.checks, r.deliveries, r.table, r.due,
		r.oldest, r.swept, built, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

const namespace = "dossier"

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name,
		Help: help, Buckets: buckets}, labels)
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name,
		Help: help}, labels)
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(
		prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help},
		labels)
}

// Handler answers GET /metrics in the text form of Prometheus.
func (r *Recorder) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+Path, promhttp.HandlerFor(r.registry, promhttp.HandlerOpts{}))
	return mux
}

// Request records an answered request. It is an httpapi.Config's Observe.
func (r *Recorder) Request(s httpapi.Served) {
	r.requests.WithLabelValues(s.Method, s.Route, strconv.Itoa(s.Status)).Observe(
		s.Duration.Seconds())
	if s.Code != "" {
		r.problems.WithLabelValues(s.Code).Inc()
	}
}

// Swept records the backlog that a sweep found. Kinds without a due task are 0.
func (r *Recorder) Swept(at time.Time, found worker.Swept) {
	r.due.Reset()
	r.oldest.Reset()
	for kind, backlog := range found.Kinds {
		r.due.WithLabelValues(kind).Set(float64(backlog.Due))
		r.oldest.WithLabelValues(kind).Set(backlog.Oldest.Seconds())
	}
	r.swept.Set(float64(at.UnixMilli()) / 1000)
}
