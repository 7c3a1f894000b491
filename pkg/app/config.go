// Package app is the composition root: Config, and the packages that put the parts together for
// each way to run. They are cut so that a binary links what it uses and no more. A setting is a
// field of Config and a name in names; the storage engine is chosen in standalone and in aws.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/seal"
	"github.com/dossierhq/dossier/pkg/trace"
)

// Config holds the settings of the environment. The functions read the same names where they apply.
type Config struct {
	// DOSSIER_ADDR: where the standalone process listens [127.0.0.1:8080]
	Addr string
	Data string // DOSSIER_DATA: the folder of the standalone process [./.dossier]
	// DOSSIER_URL: how clients reach the standalone process [http:// and the address]
	URL string
	Key string // DOSSIER_KEY: the key with which commands call an installation
	// DOSSIER_LEASE: how long a check may take before its lease ends [30s]
	Lease time.Duration
	Sweep time.Duration // DOSSIER_SWEEP: how often the sweeper looks [1m; 5s standalone]
	// DOSSIER_OPEN_SHARDS: partitions of the index of open tasks, 16 to 255; it can only grow [16]
	OpenShards int
	// DOSSIER_ALLOW_TARGETS: host:port that webhooks and parsers may reach although private or
	// plain http
	AllowTargets []string
	// DOSSIER_RATE: requests per second of one key in one process [50; 1000 standalone]
	Rate float64
	// DOSSIER_PROXIES: how many proxies in front append to X-Forwarded-For the address that they
	// were called from [0: clients connect directly]
	Proxies int

	// DOSSIER_SEAL_KEY: encrypts the secrets in the table, 32 characters or more [standalone the
	// file <data>.key beside the data folder; otherwise none: they are stored in the clear]
	Seal *seal.Box

	// DOSSIER_LOG_KEY: makes the labels of clients in the log from their addresses [standalone
	// from a secret of the data folder; otherwise random at each start]
	LogKey string

	// DOSSIER_TESSERACT: the program that recognizes text in pictures, or "off" [tesseract in the
	// search path, if it is there; the stack sets it]
	Tesseract string

	Table    string // DOSSIER_TABLE: the DynamoDB table
	Bus      string // DOSSIER_BUS: the EventBridge bus
	QueueURL string // DOSSIER_QUEUE_URL: the queue of deliveries
	Bucket   string // DOSSIER_BUCKET: the bucket of parts
	Stack    string // DOSSIER_STACK: the name of the stack on its metrics

	// DOSSIER_METRICS_ADDR: where the standalone process serves /metrics [nowhere]
	MetricsAddr string
	// DOSSIER_LOG: the least level that is logged: debug, info, warn or error [info]
	LogLevel slog.Level

	// Tracer makes spans standalone: package tracing reads the variables OTEL_… [there are none]
	Tracer trace.Tracer

	OIDCIssuer   string // DOSSIER_OIDC_ISSUER: whose JWTs are accepted beside keys [none]
	OIDCAudience string // DOSSIER_OIDC_AUDIENCE: the audience that these must have
}

// names lists the variables of Config.
var names = []string{
	"DOSSIER_ADDR", "DOSSIER_DATA", "DOSSIER_URL", "DOSSIER_LEASE", "DOSSIER_SWEEP",
	"DOSSIER_ALLOW_TARGETS", "DOSSIER_RATE",
	"DOSSIER_TABLE", "DOSSIER_BUS", "DOSSIER_QUEUE_URL", "DOSSIER_BUCKET", "DOSSIER_STACK",
	"DOSSIER_OIDC_ISSUER", "DOSSIER_OIDC_AUDIENCE",
	"DOSSIER_SEAL_KEY", "DOSSIER_METRICS_ADDR", "DOSSIER_LOG", "DOSSIER_PROXIES",
	"DOSSIER_TESSERACT", "DOSSIER_KEY", "DOSSIER_LOG_KEY", "DOSSIER_OPEN_SHARDS",
}

// CheckNames returns an error for each variable of an environment that looks like a setting and is
// none. It names the nearest setting.
func CheckNames(environ []string) error {
	var errs []error
	for _, line := range environ {
		name, _, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, "DOSSIER_") && !slices.Contains(names, name) {
			errs = append(errs, fmt.Errorf("%s is not a setting.%s", name,
				dossier.DidYouMean(name, names)))
		}
	}
	return errors.Join(errs...)
}

// FromEnv reads the settings. The error joins one for each wrong setting, which names the variable.
func FromEnv(getenv func(string) string) (Config, error) {
	e := environment{getenv: getenv}
	c := Config{
		Addr: cmp.Or(getenv("DOSSIER_ADDR"), "127.0.0.1:8080"),
		Data: cmp.Or(getenv("DOSSIER_DATA"), "./.dossier"),
		URL:  getenv("DOSSIER_URL"), Key: getenv("DOSSIER_KEY"),
		Lease:        e.duration("DOSSIER_LEASE", 30*time.Second),
		Sweep:        e.duration("DOSSIER_SWEEP", 0),
		AllowTargets: e.targets("DOSSIER_ALLOW_TARGETS"), Rate: e.rate("DOSSIER_RATE"),
		Table: getenv("DOSSIER_TABLE"), Bus: getenv("DOSSIER_BUS"),
		QueueURL: getenv("DOSSIER_QUEUE_URL"),
		Bucket:   getenv("DOSSIER_BUCKET"), Stack: getenv("DOSSIER_STACK"),
		OIDCIssuer: getenv("DOSSIER_OIDC_ISSUER"), OIDCAudience: getenv("DOSSIER_OIDC_AUDIENCE"),
		Seal:    e.seal("DOSSIER_SEAL_KEY"),
		Proxies: e.count("DOSSIER_PROXIES", 0), OpenShards: e.count("DOSSIER_OPEN_SHARDS", 16),
		MetricsAddr: getenv("DOSSIER_METRICS_ADDR"), LogLevel: e.level("DOSSIER_LOG"),
		Tesseract: getenv("DOSSIER_TESSERACT"), LogKey: getenv("DOSSIER_LOG_KEY"),
	}
	e.address("DOSSIER_ADDR", c.Addr)
	if c.MetricsAddr != "" {
		e.address("DOSSIER_METRICS_ADDR", c.MetricsAddr)
	}
	if (c.OIDCIssuer == "") != (c.OIDCAudience == "") {
		e.wrong("DOSSIER_OIDC_ISSUER and DOSSIER_OIDC_AUDIENCE are set together or not at all")
	}
	return c, errors.Join(e.errs...)
}

// environment reads variables and collects what is wrong with them.
type environment struct {
	getenv func(string) string
	errs   []error
}

func (e *environment) wrong(format string, args ...any) {
	e.errs = append(e.errs, fmt.Errorf(format, args...))
}

func (e *environment) address(name, value string) {
	if _, _, err := net.SplitHostPort(value); err != nil {
		e.wrong("%s: %q is not host:port", name, value)
	}
}

// logLevels lists the levels of the log by their names.
var logLevels = map[string]slog.Level{
	"": slog.LevelInfo, "debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
	"error": slog.LevelError,
}

func (e *environment) level(name string) slog.Level {
	level, ok := logLevels[e.getenv(name)]
	if !ok {
		e.wrong("%s: %q is none of debug, info, warn and error", name, e.getenv(name))
	}
	return level
}

func (e *environment) seal(name string) *seal.Box {
	key := e.getenv(name)
	if key == "" {
		return nil
	}
	box, err := seal.New([]byte(key))
	if err != nil {
		e.wrong("%s: %w", name, err)
	}
	return box
}

func (e *environment) duration(name string, fallback time.Duration) time.Duration {
	text := e.getenv(name)
	if text == "" {
		return fallback
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		e.wrong("%s: %q is not a duration above 0, such as 30s", name, text)
	}
	return d
}

func (e *environment) rate(name string) float64 {
	text := e.getenv(name)
	if text == "" {
		return 0
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate > 0) || math.IsInf(rate, 0) {
		e.wrong("%s: %q is not a number above 0", name, text)
	}
	return rate
}

// count reads a number from least to 255, which is least where nothing is set.
func (e *environment) count(name string, least int) int {
	text := e.getenv(name)
	if text == "" {
		return least
	}
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || int(n) < least {
		e.wrong("%s: %q is not a whole number from %d to %d", name, text, least, math.MaxUint8)
	}
	return int(n)
}

func (e *environment) targets(name string) (list []string) {
	for target := range strings.SplitSeq(e.getenv(name), ",") {
		if target = strings.TrimSpace(target); target == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(target); err != nil {
			e.wrong("%s: %q is not host:port", name, target)
		}
		list = append(list, target)
	}
	return list
}

// Log returns the logger of a process: JSON lines on standard error, from the level on.
func Log(level slog.Level) *slog.Logger { return LogTo(os.Stderr, level) }

// LogTo returns a logger that writes JSON lines from the level on. Lines of a context with a trace
// context have its trace id.
func LogTo(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(traced{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

// traced is a log handler that adds the trace id to each line.
type traced struct{ slog.Handler }

// Handle implements slog.Handler.
func (h traced) Handle(ctx context.Context, r slog.Record) error {
	if id := trace.ID(trace.From(ctx)); id != "" {
		r.AddAttrs(slog.String("traceId", id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h traced) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traced{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h traced) WithGroup(name string) slog.Handler { return traced{h.Handler.WithGroup(name)} }
