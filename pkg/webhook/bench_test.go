package webhook

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/dossierhq/dossier/pkg/dossier"
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
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, `{"ok":true}`)
	}))
	fmt.Println(listener.Addr())
	io.Copy(io.Discard, os.Stdin) // until the benchmark ends
}

func sink(b *testing.B) string {
	b.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), sinkVariable+"=1")
	stdin, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stdin.Close(); command.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// measure reports the CPU of this process for one delivery, user and system.
func measure(b *testing.B, deliver func()) {
	deliver() // opens the connection
	b.ReportAllocs()
	b.ResetTimer()
	before := cpu(b)
	n := 0
	for b.Loop() {
		deliver()
		n++
	}
	b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/1000/float64(n), "cpu-µs/op")
}

func cpu(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// benchmarkBody is as long as a full payload usually is.
var benchmarkBody = []byte(`{"id":"evt_1","type":"candidateDocumentValidated","data":"` +
	strings.Repeat("x", 1500) + `"}`)

// BenchmarkDelivery is the sender's part of figure 6; BenchmarkPlain is its baseline.
func BenchmarkDelivery(b *testing.B) {
	address := sink(b)
	sender := NewSender(NewGuard([]string{address}), Config{})
	request := dossier.Delivery{URL: "http://" + address + "/hook", ID: "evt_1",
		Body: benchmarkBody, Secrets: []string{NewSecret()}}
	measure(b, func() {
		request.At = time.Now()
		if o := sender.Send(b.Context(), request); o.Result != dossier.Delivered {
			b.Fatalf("%+v", o)
		}
	})
}

// BenchmarkPlain is a loop that anyone would write: the Standard Webhooks library and net/http's
// client.
func BenchmarkPlain(b *testing.B) {
	address := sink(b)
	webhook, err := standardwebhooks.NewWebhook(NewSecret())
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{Timeout: 10 * time.Second}
	measure(b, func() {
		now := time.Now()
		signature, err := webhook.Sign("evt_1", now, benchmarkBody)
		if err != nil {
			b.Fatal(err)
		}
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
			"http://"+address+"/hook", bytes.NewReader(benchmarkBody))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("webhook-id", "evt_1")
		request.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
		request.Header.Set("webhook-signature", signature)
		response, err := client.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			b.Fatal(response.Status)
		}
	})
}
