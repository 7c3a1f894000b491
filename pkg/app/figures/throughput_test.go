package figures

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// process is the standalone process as `make run` starts it.
type process struct {
	testing.TB
	base, key string
	pid       int
}

func startProcess(tb testing.TB, sink string) *process {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(),
		build(tb, tb.TempDir(), runtime.GOARCH, "functions/standalone"), "serve")
	cmd.Env = []string{"DOSSIER_ADDR=127.0.0.1:0", "DOSSIER_DATA=" + tb.TempDir(),
		"DOSSIER_ALLOW_TARGETS=" + sink, "DOSSIER_RATE=1000000",
		"TMPDIR=" + tb.TempDir()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	p := &process{TB: tb, pid: cmd.Process.Pid}
	for lines := bufio.NewScanner(out); p.key == "" && lines.Scan(); {
		if m := regexp.MustCompile(`^admin key: (\S+)$`).FindStringSubmatch(lines.Text()); m !=
			nil {
			p.key = m[1]
		}
		if m := regexp.MustCompile(`^Dossier answers at (http://[^/ ]+:\d+)`).FindStringSubmatch(
			lines.Text()); m != nil {
			p.base = m[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return p
}

// post makes something and returns its id.
func (p *process) post(path, body string) string {
	request, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.base+path,
		strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+p.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	var made struct {
		ID string `json:"id"`
	}
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	if err != nil || response.StatusCode != http.StatusOK {
		p.Fatalf("%s: %d %s %v", path, response.StatusCode, text, err)
	}
	return made.ID
}

// memory is a line of /proc: resident memory in MB.
func (p *process) memory(line string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		p.Fatal(err)
	}
	var kb float64
	for l := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(l, line+":"); ok {
			_, _ = fmt.Sscan(rest, &kb)
		}
	}
	return kb / 1024
}

// documents uploads n documents of a type, eight at a time, and returns how long it took until the
// last webhook was received.
func (p *process) documents(sink, dt, body string, n int) time.Duration {
	requests := make([]string, n)
	for k := range requests {
		id := p.post("/candidates", fmt.Sprintf(
			`{"firstName":"Ada","lastName":"Lovelace","documentTypeIds":[%q]}`, dt))
		requests[k] = "cdt_" + id[4:] + dt[4:]
	}
	before, began := received(p, sink), time.Now()
	next := make(chan string)
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for request := range next {
				p.post("/candidateDocumentTypes/"+request+"/upload", body)
			}
		})
	}
	for _, request := range requests {
		next <- request
	}
	close(next)
	clients.Wait()
	for deadline := time.Now().Add(2 * time.Minute); received(p, sink) < before+
		n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.Fatalf("%d of %d webhooks were received", received(p, sink)-before, n)
		}
	}
	return time.Since(began)
}

// BenchmarkFigure7 prints how many documents the standalone process takes from the upload to the
// webhook, and what memory it needs.
func BenchmarkFigure7(b *testing.B) {
	sink := startSink(b)
	p := startProcess(b, sink)
	idle := p.memory("VmRSS")
	p.post("/integrations", fmt.Sprintf(
		`{"name":"HR","triggerEvent":"candidateDocumentValidated","target":{"type":"webhook","url":"http://%s/hook"}}`, sink))
	file, err := os.ReadFile("../../check/testdata/chromium-plain.pdf")
	if err != nil {
		b.Fatal(err)
	}
	part := `{"parts":[{"name":"front","contentType":%q,"content":%q}]}`
	encoded := base64.StdEncoding.EncodeToString
	title(
		"figure 7: the standalone process, from the upload to the webhook received, every step durable")
	for _, kind := range []struct {
		parser, fields, body string
		n                    int
	}{
		{"json", "[]", fmt.Sprintf(part, "application/json",
			encoded([]byte(`{"permit":{"number":"NL-204"}}`))), 400},
		{"pdf", `[{"reference":"permit.number","label":"Permit number","type":"text"}]`,
			fmt.Sprintf(part, "application/pdf", encoded(file)), 60},
	} {
		dt := p.post("/documentTypes",
			fmt.Sprintf(
				`{"name":%q,"check":{"parser":%[1]q,"decision":"automatic","fields":%s,"required":["permit.number"]}}`,
				kind.parser, kind.fields))
		took := p.documents(sink, dt, kind.body, kind.n)
		fmt.Printf("%-4s  %6.1f documents per second (%d in %v)\n", kind.parser,
			float64(kind.n)/took.Seconds(), kind.n, took.Round(time.Millisecond))
	}
	fmt.Printf("memory: %.0f MB after the start, %.0f MB at most\n", idle, p.memory("VmHWM"))
}
