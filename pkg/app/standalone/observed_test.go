package standalone_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/app/processtest"
)

// TestPrometheus has a Prometheus server scrape the process, and asks the server for each metric.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	var log processtest.Output
	c, stop := startIn(t, t.TempDir(), slog.New(slog.NewJSONHandler(&log, nil)), "127.0.0.1:1")
	defer stop()
	metrics := regexp.MustCompile(`"metrics are served","address":"([^"]+)"`).
		FindStringSubmatch(log.String())
	if metrics == nil {
		t.Fatalf("no address of the metrics in the log:\n%s", log.String())
	}
	c.uploadOne(object{"parser": "json", "decision": "automatic"})
	c.made("/integrations", object{"name": "Receiver", "triggerEvent": "candidateCreated",
		"target": object{"type": "webhook", "url": "http://127.0.0.1:1/"}})
	c.made("/candidates", object{"firstName": "Grace"})
	c.send(http.MethodGet, "/candidates/cnd_x", nil)
	health := c.ok(http.MethodGet, "/healthz", nil).(object)
	server := startPrometheus(t, metrics[1])
	for _, query := range []string{
		`up{job="dossier"} == 1`,
		`dossier_http_request_duration_seconds_count{method="POST",route="/candidates",status="200"} == 2`,
		`dossier_http_problems_total{code="NOT_FOUND"} == 1`,
		`dossier_task_duration_seconds_count{kind="rules",outcome="ok"} == 1`,
		`dossier_checks_total{state="validated"} == 1`,
		`dossier_delivery_attempt_duration_seconds_count{result="retry"} >= 1`,
		`dossier_table_duration_seconds_count{operation="commit",outcome="ok"} > 5`,
		`time() - dossier_last_sweep_timestamp_seconds < 60`,
		fmt.Sprintf("dossier_build_info{version=%q} == 1", health["version"]),
		`go_goroutines > 1`,
	} {
		until(t, query+" held", func() bool { return holds(t, server, query) })
	}
}

// holds asks the Prometheus server whether a query selects anything.
func holds(t *testing.T, server, query string) bool {
	t.Helper()
	response, err := http.Get(server + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusServiceUnavailable {
		return false // it is still starting
	}
	var got struct {
		Status string
		Data   struct{ Result []any }
	}
	if err := json.UnmarshalRead(response.Body, &got, json.MatchCaseInsensitiveNames(true)); err !=
		nil {
		t.Fatal(err)
	}
	if got.Status != "success" {
		t.Fatalf("%s: %+v", query, got)
	}
	return len(got.Data.Result) > 0
}

// startPrometheus runs Debian's Prometheus server, which scrapes the address, and returns its own.
func startPrometheus(t *testing.T, target string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a Prometheus server: part of `make test`")
	}
	program, err := exec.LookPath("prometheus")
	if err != nil {
		program, err = filepath.Abs("../../../.tools/prometheus/usr/bin/prometheus")
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	config := fmt.Sprintf("global: {scrape_interval: 1s}\nscrape_configs:\n"+
		"  - {job_name: dossier, static_configs: [{targets: [%q]}]}\n", target)
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err !=
		nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, program, "--config.file",
		filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", "127.0.0.1:0",
		"--log.format", "json")
	text, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatalf("`make debian` fetches the Prometheus server: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		_ = server.Wait() // killed
	})
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line, json.MatchCaseInsensitiveNames(true)) == nil &&
			line.Msg == "Listening on" {
			go io.Copy(io.Discard, text)
			return "http://" + line.Address
		}
	}
	t.Fatalf("the Prometheus server ended: %v", lines.Err())
	return ""
}
