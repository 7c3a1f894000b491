// Package app is the composition root: Config, and one package for each way to run, the only ones that know which parts are used
// where. They are cut so that a binary links what it uses and no more.
package app

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Config is the environment's settings. The functions read the same names where they apply.
type Config struct {
	Addr         string        // DOSSIER_ADDR: where the standalone process listens [127.0.0.1:8080]
	Data         string        // DOSSIER_DATA: the folder of the standalone process [./.dossier]
	URL          string        // DOSSIER_URL: how clients reach the standalone process [http:// and the address]
	Lease        time.Duration // DOSSIER_LEASE: how long a check may take before it is taken away [30s]
	Sweep        time.Duration // DOSSIER_SWEEP: how often the sweeper looks [1m; 5s standalone]
	AllowTargets []string      // DOSSIER_ALLOW_TARGETS: host:port that webhooks and parsers may reach although private or plain http
	Rate         float64       // DOSSIER_RATE: requests per second of one key in one process [50; 1000 standalone]

	Table    string // DOSSIER_TABLE: the DynamoDB table
	Bus      string // DOSSIER_BUS: the EventBridge bus
	QueueURL string // DOSSIER_QUEUE_URL: the queue of deliveries
	Bucket   string // DOSSIER_BUCKET: the bucket of parts
	Stack    string // DOSSIER_STACK: what the metrics of this stack are found by

	OIDCIssuer   string // DOSSIER_OIDC_ISSUER: whose JWTs are accepted beside keys [none]
	OIDCAudience string // DOSSIER_OIDC_AUDIENCE: what these must be made for
}

// FromEnv reads the settings. An error names the variable.
func FromEnv(getenv func(string) string) (Config, error) {
	c := Config{
		Addr: or(getenv("DOSSIER_ADDR"), "127.0.0.1:8080"), Data: or(getenv("DOSSIER_DATA"), "./.dossier"), URL: getenv("DOSSIER_URL"),
		Table: getenv("DOSSIER_TABLE"), Bus: getenv("DOSSIER_BUS"), QueueURL: getenv("DOSSIER_QUEUE_URL"), Bucket: getenv("DOSSIER_BUCKET"),
		Stack:      getenv("DOSSIER_STACK"),
		OIDCIssuer: getenv("DOSSIER_OIDC_ISSUER"), OIDCAudience: getenv("DOSSIER_OIDC_AUDIENCE"),
	}
	var err error
	if c.Lease, err = duration(getenv, "DOSSIER_LEASE", 30*time.Second); err != nil {
		return c, err
	}
	if c.Sweep, err = duration(getenv, "DOSSIER_SWEEP", 0); err != nil {
		return c, err
	}
	if text := getenv("DOSSIER_RATE"); text != "" {
		if c.Rate, err = strconv.ParseFloat(text, 64); err != nil || c.Rate <= 0 {
			return c, fmt.Errorf("DOSSIER_RATE: %q is not a number above 0", text)
		}
	}
	for target := range strings.SplitSeq(getenv("DOSSIER_ALLOW_TARGETS"), ",") {
		if target = strings.TrimSpace(target); target == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(target); err != nil {
			return c, fmt.Errorf("DOSSIER_ALLOW_TARGETS: %q is not host:port", target)
		}
		c.AllowTargets = append(c.AllowTargets, target)
	}
	if (c.OIDCIssuer == "") != (c.OIDCAudience == "") {
		return c, fmt.Errorf("DOSSIER_OIDC_ISSUER and DOSSIER_OIDC_AUDIENCE are set together or not at all")
	}
	return c, nil
}

func or(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

func duration(getenv func(string) string, name string, fallback time.Duration) (time.Duration, error) {
	text := getenv(name)
	if text == "" {
		return fallback, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s: %q is not a duration above 0, such as 30s", name, text)
	}
	return d, nil
}

// Log is the one logger: JSON lines on standard error.
func Log() *slog.Logger { return slog.New(slog.NewJSONHandler(os.Stderr, nil)) }
