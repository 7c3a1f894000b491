package webhook

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// rawServer hands each connection, once the request's head was read, to serve. It returns its
// host:port.
func rawServer(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	t.Cleanup(func() { listener.Close(); running.Wait() })
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				conn.SetDeadline(time.Now().Add(time.Minute))
				serve(conn)
			})
		}
	})
	return listener.Addr().String()
}

func readHead(conn net.Conn) {
	if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
		io.Copy(io.Discard, request.Body)
	}
}

// pour writes head and then chunk until the other side has had enough, and counts the bytes that
// were taken.
func pour(taken *atomic.Int64, head, chunk string) func(net.Conn) {
	return func(conn net.Conn) {
		readHead(conn)
		again := []byte(chunk) // once: the heap test counts the whole process
		for text := []byte(head); ; text = again {
			n, err := conn.Write(text)
			taken.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
}

// drip writes head and then one byte at a time, as slowly as the other side's patience makes it
// matter.
func drip(head string) func(net.Conn) {
	return func(conn net.Conn) {
		readHead(conn)
		if _, err := io.WriteString(conn, head); err != nil {
			return
		}
		for range time.Tick(10 * time.Millisecond) {
			if _, err := io.WriteString(conn, "a"); err != nil {
				return
			}
		}
	}
}

// stall takes the request and never answers, until the other side leaves.
func stall(conn net.Conn) { io.Copy(io.Discard, conn) }

const okHead = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

// Sockets buffer some megabytes on both sides; an endless answer that is read would be far over
// this.
const maxTaken = 24 << 20

type hostile struct {
	serve  func(net.Conn)
	scheme string
	result dossier.DeliveryResult
	failed string
}

func hostiles(taken *atomic.Int64) map[string]hostile {
	block := strings.Repeat("x", 32<<10)
	return map[string]hostile{
		"NoAnswer": {stall, "http", dossier.Retry, FailedTimeout},
		"TLSStall": {stall, "https", dossier.Retry, FailedTimeout},
		"SlowBody": {drip(okHead + "Content-Length: 1000000\r\n\r\n"), "http",
			dossier.Retry, FailedTimeout},
		"SlowHeaders": {drip(okHead + "X-Slow: "), "http", dossier.Retry, FailedTimeout},
		"SlowStatus":  {drip("HTTP/1.1 "), "http", dossier.Retry, FailedTimeout},
		"EndlessBody": {pour(taken, okHead+"\r\n", block), "http", dossier.Delivered, ""},
		"EndlessChunks": {pour(taken, okHead+"Transfer-Encoding: chunked\r\n\r\n",
			"8000\r\n"+block+"\r\n"), "http", dossier.Delivered, ""},
		"EndlessError": {pour(taken, "HTTP/1.1 500 No\r\n\r\n", block), "http", dossier.Retry,
			FailedStatus},
		"EndlessHeader": {pour(taken, okHead+"X-Long: ", block), "http", dossier.Retry,
			FailedHeaders},
		"EndlessHeaders": {pour(taken, okHead, "X-Many: "+block[:1000]+"\r\n"), "http",
			dossier.Retry, FailedHeaders},
		"EndlessHints": {pour(taken, "",
			"HTTP/1.1 103 Early Hints\r\nX-A: "+block[:1000]+"\r\n\r\n"), "http", dossier.Retry,
			""},
		"EndlessTrailer": {pour(taken, okHead+"Transfer-Encoding: chunked\r\n\r\n0\r\nX-A: ",
			block), "http", dossier.Retry, ""},
		"EndlessExtension": {pour(taken, okHead+"Transfer-Encoding: chunked\r\n\r\n8;", block),
			"http", dossier.Retry, ""},
		"Reset": {func(conn net.Conn) {
			readHead(conn)
			conn.(*net.TCPConn).SetLinger(0)
		}, "http", dossier.Retry, FailedClosed},
		"Closed": {readHead, "http", dossier.Retry, FailedClosed},
		"BrokenOff": {func(conn net.Conn) {
			readHead(conn)
			io.WriteString(conn, okHead+"Content-Length: 10\r\n\r\nabc")
		}, "http", dossier.Retry, FailedClosed},
		"NotHTTP": {func(conn net.Conn) {
			readHead(conn)
			io.WriteString(conn, "SSH-2.0-OpenSSH_9.6\r\n\r\n")
		}, "http", dossier.Retry, FailedResponse},
		"FarRetryAfter": {func(conn net.Conn) {
			readHead(conn)
			io.WriteString(conn,
				"HTTP/1.1 429 Later\r\nRetry-After: 99999999999\r\nContent-Length: 0\r\n\r\n")
		}, "http", dossier.Retry, FailedStatus},
		"GoneBrokenOff": {func(conn net.Conn) {
			readHead(conn)
			io.WriteString(conn, "HTTP/1.1 410 Gone\r\nContent-Length: 10\r\n\r\nabc")
		}, "http", dossier.Gone, FailedStatus},
	}
}

func TestHostileEndpoints(t *testing.T) {
	t.Parallel()
	var names atomic.Int64
	for name := range hostiles(new(atomic.Int64)) {
		t.Run("Err"+name, func(t *testing.T) {
			t.Parallel()
			names.Add(1)
			taken := new(atomic.Int64)
			c := hostiles(taken)[name]
			address := rawServer(t, c.serve)
			timeout := 30 * time.Second
			if c.failed == FailedTimeout {
				timeout = 500 * time.Millisecond
			}
			sender := NewSender(NewGuard([]string{address}), Config{Timeout: timeout})
			start := time.Now()
			o := sender.Send(t.Context(), message(c.scheme+"://"+address+"/"))
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
			if o.Result != c.result || c.failed != "" && o.Error != c.failed ||
				o.Result == dossier.Retry && o.Error == "" {
				t.Errorf("%+v", o)
			}
			if taken.Load() > maxTaken || len(o.Response) > maxKeptBytes ||
				o.RetryAfter > MaxRetryAfter {
				t.Errorf("%d bytes taken, %d kept, Retry-After %v", taken.Load(), len(o.Response),
					o.RetryAfter)
			}
		})
	}
	t.Run("ErrRefused", func(t *testing.T) {
		t.Parallel()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		listener.Close()
		sender := NewSender(NewGuard([]string{address}), Config{})
		if o := sender.Send(t.Context(), message("http://"+address)); o.Error != FailedRefused {
			t.Errorf("%+v", o)
		}
	})
	t.Run("ErrNoSuchName", func(t *testing.T) {
		t.Parallel()
		sender, _ := passes(NewGuard(nil),
			Config{Timeout: 5 * time.Second, Resolver: resolver(noAddress)})
		if o := sender.Send(t.Context(), message("https://hooks.example.com")); o.Error !=
			FailedName {
			t.Errorf("%+v", o)
		}
	})
}

// TestHostileHeap runs alone (no t.Parallel), because it counts what the process allocates.
func TestHostileHeap(t *testing.T) {
	bomb := gzipBomb(t)
	cases := map[string]func(net.Conn){"GzipBomb": func(conn net.Conn) {
		readHead(conn)
		fmt.Fprintf(conn, "%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", okHead,
			len(bomb))
		conn.Write(bomb)
	}}
	for name, c := range hostiles(new(atomic.Int64)) {
		if strings.HasPrefix(name, "Endless") {
			cases[name] = c.serve
		}
	}
	for name, serve := range cases {
		address := rawServer(t, serve)
		sender := NewSender(NewGuard([]string{address}), Config{Timeout: time.Second})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o := sender.Send(t.Context(), message("http://"+address+"/"))
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 2<<20 {
			t.Errorf("%s: %d kB allocated for one attempt", name, allocated>>10)
		}
		if name == "GzipBomb" && (o.Result != dossier.Delivered ||
			!bytes.HasPrefix(bomb, o.Response)) {
			t.Errorf("the answer was unpacked, or refused: %+v", o)
		}
	}
}

// gzipBomb is 1 GB of zeros in a few MB.
func gzipBomb(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 1 << 6 {
		w.Write(zeros)
	}
	w.Close()
	// gzip members can be appended to each other.
	return bytes.Repeat(packed.Bytes(), 16)
}

// TestHostileHTTP2 has an endless body behind HTTP/2's flow control, which by default would take in
// 4 MB unread.
func TestHostileHTTP2(t *testing.T) {
	t.Parallel()
	var written atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		block := make([]byte, 16<<10)
		for {
			n, err := w.Write(block)
			if err != nil {
				return
			}
			written.Add(int64(n))
		}
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	sender := NewSender(NewGuard([]string{hostport(t, s.URL)}),
		Config{RootCAs: pool, Timeout: 5 * time.Second})
	o := sender.Send(t.Context(), message(s.URL))
	if o.Result != dossier.Delivered || written.Load() > 1<<20 {
		t.Errorf("%d bytes taken, %+v", written.Load(), o)
	}
}

func TestHealthyBesideHostile(t *testing.T) {
	t.Parallel()
	const stalled = 100
	arrived := make(chan struct{}, stalled)
	address := rawServer(t, func(conn net.Conn) { arrived <- struct{}{}; stall(conn) })
	healthy, _ := server(t, time.Minute, func(http.ResponseWriter, *http.Request) {})
	sender := NewSender(NewGuard([]string{address, hostport(t, healthy.URL)}),
		Config{Timeout: time.Minute})
	// A request that is stopped while its connection opens leaves that one idle, for a while.
	t.Cleanup(sender.transport.base.CloseIdleConnections)
	ctx, stop := context.WithCancel(t.Context())
	outcomes := make(chan dossier.Outcome, stalled)
	for range stalled {
		go func() { outcomes <- sender.Send(ctx, message("http://"+address)) }()
	}
	for range stalled {
		<-arrived
	}
	for range 20 {
		if o := sender.Send(t.Context(), message(healthy.URL)); o.Result != dossier.Delivered ||
			o.DurationMS > 5000 {
			t.Errorf("%+v", o)
		}
	}
	if len(outcomes) != 0 {
		t.Error("the stalled endpoint had answered already")
	}
	stop()
	for range stalled {
		if o := <-outcomes; o.Error != FailedInterrupted || o.Result != dossier.Interrupted {
			t.Errorf("%+v", o)
		}
	}
}
