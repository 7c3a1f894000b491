//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// TestKilled kills the check in the middle of its work; the sweeper notifies again, and the work
// ends as if nothing had been.
func TestKilled(t *testing.T) {
	t.Parallel()
	c := provision(t)
	var calls atomic.Int32
	begun := make(chan struct{})
	parser := stack.hooks.handle("/parser", func(w http.ResponseWriter, r *http.Request) {
		// the server sees that a caller is gone once it has read everything
		_, _ = io.Copy(io.Discard, r.Body)
		if calls.Add(1) == 1 {
			close(begun)
			<-r.Context().Done() // the caller dies
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"parsed":{"card":{"number":"7"}},"confidence":1,"reasons":[]}`))
	})
	dtype := c.post("/documentTypes",
		`{"name":"Card","requiredParts":["front"],"check":{"parser":"http","decision":"automatic","http":{"url":%q}}}`, parser)["id"]
	candidate := c.post("/candidates", `{"firstName":"Grace","lastName":"Hopper"}`)["id"]
	request := c.post("/candidateDocumentTypes", `{"candidateId":%q,"documentTypeId":%q}`,
		candidate, dtype)["id"].(string)
	c.ok(http.MethodPost, "/candidateDocumentTypes/"+request+"/upload",
		inline(file(t, "chromium-plain.pdf")))
	select {
	case <-begun:
	case <-time.After(30 * time.Second):
		t.Fatal("the check never called the parser")
	}
	if killed := stack.kill(t, "check"); killed == 0 {
		t.Fatal("no process of the check was found")
	}
	var got any
	sweep := time.Now()
	c.until("the work is finished", 150*time.Second, func() bool {
		if time.Now().After(sweep) { // the schedule would, once a minute
			if _, err := stack.invoke("sweep", []byte("{}")); err != nil {
				t.Fatal(err)
			}
			sweep = time.Now().Add(5 * time.Second)
		}
		got = c.get("/candidateDocumentTypes/" + request)
		return at(t, got, "state") != "processing"
	})
	if at(t, got, "state") != "validated" || at(t, got, "document", "version") != 1.0 ||
		calls.Load() != 2 {
		t.Errorf("after %d calls of the parser: %v", calls.Load(), got)
	}
	if runs := c.get("/candidateDocumentTypes/" + request + "/ruleRuns").([]any); len(runs) != 1 {
		t.Errorf("%d rule runs: %v", len(runs), runs)
	}
}

// kill ends, as the machine would, every process that runs a function of this stack; it returns how
// many there were.
func (d *deployment) kill(t *testing.T, function string) int {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, path := range environments {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile, or somebody else's
		}
		variables := strings.Split(string(bytes.TrimRight(text, "\x00")), "\x00")
		if !slices.Contains(variables, "AWS_LAMBDA_FUNCTION_NAME="+d.functions[function]) ||
			!slices.Contains(variables, "AWS_ENDPOINT_URL="+d.aws.endpoint) {
			continue
		}
		pid, err := strconv.Atoi(strings.Split(path, "/")[2])
		if err != nil {
			t.Fatal(err)
		}
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}

// TestSweep waits for the schedule to start the sweeper, which reports the age of the oldest open
// entry as a metric.
func TestSweep(t *testing.T) {
	t.Parallel()
	if err := poll(100*time.Second, func() bool {
		lines, err := stack.logged("sweep", `"OldestOpenSeconds"`)
		if err != nil {
			t.Fatal(err)
		}
		return len(lines) > 0 && strings.Contains(lines[0], `"Stack":"`+stackName+`"`)
	}); err != nil {
		t.Fatalf("no sweep reported: %v", err)
	}
}

// TestSampleEvents sends every sample event of events/ to its function, HTTP ones with a key that
// exists.
func TestSampleEvents(t *testing.T) {
	t.Parallel()
	c := provision(t)
	samples, err := filepath.Glob(project + "/events/invoke-*.json")
	if err != nil || len(samples) != len(stack.functions) {
		t.Fatalf("%d samples for %d functions, %v", len(samples), len(stack.functions), err)
	}
	for _, path := range samples {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "invoke-"), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := stack.invoke(name,
				bytes.ReplaceAll(text, []byte("dsr_key"), []byte(c.key)))
			if err != nil {
				t.Fatal(err)
			}
			var response struct {
				StatusCode int               `json:"statusCode"`
				Failures   []map[string]any  `json:"batchItemFailures"`
				Headers    map[string]string `json:"headers"`
			}
			if bytes.HasPrefix(bytes.TrimSpace(answer), []byte("{")) {
				if err := json.Unmarshal(answer, &response); err != nil {
					t.Fatal(err)
				}
			}
			// A candidate of the samples is nobody's: 404 is an answer too.
			if !slices.Contains([]int{0, http.StatusOK, http.StatusNotFound},
				response.StatusCode) || len(response.Failures) > 0 {
				t.Errorf("answered %s", answer)
			}
		})
	}
}

// TestRoutes holds that a path without a route of the template is not answered by any function.
func TestRoutes(t *testing.T) {
	t.Parallel()
	c := provision(t)
	if status, header, body := c.send(http.MethodGet, "/healthz", ""); status != http.StatusOK ||
		header.Get("X-Request-Id") == "" || !strings.Contains(fmt.Sprint(body), "version:") ||
		strings.Contains(fmt.Sprint(body), "unknown") {
		t.Errorf("OK: %d %v %v", status, header, body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.api+"/nowhere", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNotFound || response.Header.Get("X-Request-Id") != "" {
		t.Errorf("ErrNoRoute: %d %v", response.StatusCode, response.Header)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(project, path))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
