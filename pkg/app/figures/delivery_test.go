package figures

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

const sinkVariable = "DOSSIER_TEST_SINK"

// TestMain lets the test binary also be the sink of the benchmarks: a process of its own, whose CPU
// isn't counted.
func TestMain(m *testing.M) {
	if os.Getenv(sinkVariable) == "" {
		os.Exit(m.Run())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	var received atomic.Int64
	go func() {
		_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				_, _ = fmt.Fprint(w, received.Load())
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			received.Add(1)
			_, _ = io.WriteString(w, `{"ok":true}`)
		}))
	}()
	fmt.Println(listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark ends
}

// startSink starts the sink, which answers a GET with how often it was called, and returns its
// address.
func startSink(tb testing.TB) string {
	tb.Helper()
	command := exec.CommandContext(tb.Context(), os.Args[0])
	command.Env = append(os.Environ(), sinkVariable+"=1")
	stdin, err := command.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := command.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = stdin.Close(), command.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// received asks the sink how often it was called.
func received(tb testing.TB, sink string) int {
	response, err := http.Get("http://" + sink)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatal(err)
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// cpu returns the CPU time of this process, user and system.
func cpu(tb testing.TB) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// inLine is the number of concurrent deliveries, as in the standalone process.
const inLine = 32

// deliveries prepares deliveries to the sink, so many for each of inLine candidates, and returns
// what makes them all.
func deliveries(h *meteredStore, sink string, each int) func() {
	h.make("/integrations", fmt.Sprintf(
		`{"name":"HR","triggerEvent":"candidateMessageSent","target":{"type":"webhook","url":"http://%s/hook"}}`, sink))
	var entries []store.Task
	for range inLine {
		candidate, _ := h.candidate()
		for range each {
			h.make("/candidates/"+candidate+"/messages", `{"text":"Good morning."}`)
		}
		if err := h.store.Dispatch(h.Context(), h.notified[store.TaskDispatch]); err != nil {
			h.Fatal(err)
		}
		entries = append(entries, h.notified[store.TaskDeliver])
	}
	sender := webhook.NewSender(webhook.NewGuard([]string{sink}), webhook.Config{})
	deliver := &worker.Deliver{
		Store: store.New(h.meter.Engine, store.Config{}), Sender: sender, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), NextDelay: webhook.NextDelay,
		DisableAfter: webhook.DisableAfter,
	}
	return func() {
		var line sync.WaitGroup
		for _, e := range entries {
			line.Go(func() {
				if err := deliver.Work(h.Context(), e); err != nil {
					h.Error(err)
				}
			})
		}
		line.Wait()
	}
}

// plain is the loop that anyone would write: the Standard Webhooks library and net/http's client.
// Nothing is recorded.
func plain(tb testing.TB, sink string, each int) func() {
	signer, err := standardwebhooks.NewWebhook(webhook.NewSecret())
	if err != nil {
		tb.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: inLine}
	tb.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Timeout: 10 * time.Second, Transport: transport}
	body := []byte(strings.Repeat("x", 400)) // as long as the thin event
	one := func() error {
		now := time.Now()
		signature, err := signer.Sign("evt_1", now, body)
		if err != nil {
			return err
		}
		request, err := http.NewRequestWithContext(tb.Context(), http.MethodPost,
			"http://"+sink+"/hook", bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("webhook-id", "evt_1")
		request.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
		request.Header.Set("webhook-signature", signature)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		return errors.Join(err, response.Body.Close())
	}
	return func() {
		var line sync.WaitGroup
		for range inLine {
			line.Go(func() {
				for range each {
					if err := one(); err != nil {
						tb.Error(err)
					}
				}
			})
		}
		line.Wait()
	}
}

// BenchmarkFigure6 prints the CPU of a delivery, claimed, signed, sent and recorded, beside the
// plain loop.
func BenchmarkFigure6(b *testing.B) {
	const each, n = 16, 16 * inLine
	sink, best := startSink(b), [2]time.Duration{}
	for range 3 {
		h := onBolt(b, sink)
		for k, run := range []func(){deliveries(h, sink, each), plain(b, sink, each)} {
			before, was := received(b, sink), cpu(b)
			run()
			if used := (cpu(b) - was) / n; best[k] == 0 || used < best[k] {
				best[k] = used
			}
			if got := received(b, sink) - before; got != n {
				b.Fatalf("%d of %d were received", got, n)
			}
		}
	}
	title(
		fmt.Sprintf(
			"figure 6: CPU per delivery, claimed, signed, sent, recorded durably in the embedded store; %d in line (least of 3 rounds of %d)", inLine, n))
	fmt.Printf("worker %v, plain signed loop %v: %.2f x, target 2 x\n", best[0], best[1],
		float64(best[0])/float64(best[1]))
}
