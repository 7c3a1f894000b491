package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// hostport returns the setting that allows the server.
func hostport(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// server answers on loopback, and sender may reach it.
func server(t *testing.T, timeout time.Duration,
	handler http.HandlerFunc) (*httptest.Server, *Sender) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	sender := NewSender(NewGuard([]string{hostport(t, s.URL)}), Config{Timeout: timeout})
	t.Cleanup(sender.transport.base.CloseIdleConnections)
	return s, sender
}

func message(url string) dossier.Delivery {
	return dossier.Delivery{URL: url, ID: "evt_1", At: time.Now(), Body: []byte(`{"id":"evt_1"}`),
		Secrets: []string{NewSecret()}}
}

func TestSend(t *testing.T) {
	t.Parallel()
	t.Run("OK", func(t *testing.T) {
		t.Parallel()
		type got struct {
			header http.Header
			body   []byte
			method string
		}
		arrived := make(chan got, 1)
		s, sender := server(t, 5*time.Second, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			arrived <- got{r.Header, body, r.Method}
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, strings.Repeat("a", 3000))
		})
		request := message(s.URL + "/hook")
		o := sender.Send(t.Context(), request)
		if o.Result != dossier.Delivered || o.StatusCode != 202 || o.Error != "" ||
			len(o.Response) != maxKeptBytes {
			t.Errorf("%+v", o)
		}
		g := <-arrived
		if err := verify(t, request.Secrets[0], g.header, g.body); err != nil {
			t.Error(err)
		}
		for _, name := range []string{HeaderID, HeaderTimestamp, HeaderSignature} {
			g.header.Del(name)
		}
		want := http.Header{"Content-Type": {"application/json"},
			"User-Agent": {"Dossier-Webhooks/1"}, "Content-Length": {"14"}}
		if diff := cmp.Diff(want, g.header); diff != "" || g.method != http.MethodPost {
			t.Errorf("%s: the other headers: %s", g.method, diff)
		}
	})
}

func TestSendStatuses(t *testing.T) {
	t.Parallel()
	s, sender := server(t, 5*time.Second, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "90000")
		var status int
		for _, c := range r.URL.Path[1:] {
			status = status*10 + int(c-'0')
		}
		w.WriteHeader(status)
	})
	for path, want := range map[string]dossier.Outcome{
		"200": {Result: dossier.Delivered}, "201": {Result: dossier.Delivered},
		"204": {Result: dossier.Delivered}, "299": {Result: dossier.Delivered},
		"301": {Result: dossier.Retry, Attempt: dossier.Attempt{Error: FailedRedirect},
			RetryAfter: MaxRetryAfter}, "304": {Result: dossier.Retry,
			Attempt: dossier.Attempt{Error: FailedRedirect}, RetryAfter: MaxRetryAfter},
		"400": {Result: dossier.Retry, Attempt: dossier.Attempt{Error: FailedStatus},
			RetryAfter: MaxRetryAfter}, "404": {Result: dossier.Retry,
			Attempt: dossier.Attempt{Error: FailedStatus}, RetryAfter: MaxRetryAfter},
		"410": {Result: dossier.Gone, Attempt: dossier.Attempt{Error: FailedStatus}},
		"429": {Result: dossier.Retry, Attempt: dossier.Attempt{Error: FailedStatus},
			RetryAfter: MaxRetryAfter},
		"500": {Result: dossier.Retry, Attempt: dossier.Attempt{Error: FailedStatus},
			RetryAfter: MaxRetryAfter}, "503": {Result: dossier.Retry,
			Attempt: dossier.Attempt{Error: FailedStatus}, RetryAfter: MaxRetryAfter},
	} {
		got := sender.Send(t.Context(), message(s.URL+"/"+path))
		if got.StatusCode == 0 || got.Result != want.Result || got.Error != want.Error ||
			got.RetryAfter != want.RetryAfter {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestSendKeepsConnections(t *testing.T) {
	t.Parallel()
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "ok")
		}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	sender := NewSender(NewGuard([]string{hostport(t, s.URL)}), Config{})
	for range 10 {
		if o := sender.Send(t.Context(), message(s.URL)); o.Result != dossier.Delivered {
			t.Fatalf("%+v", o)
		}
	}
	if opened.Load() != 1 {
		t.Errorf("%d connections for 10 messages", opened.Load())
	}
}

func TestSendWithoutSecret(t *testing.T) {
	t.Parallel()
	var called atomic.Int64
	s, sender := server(t, 5*time.Second, func(http.ResponseWriter, *http.Request) {
		called.Add(1)
	})
	request := message(s.URL)
	request.Secrets = nil
	if o := sender.Send(t.Context(), request); o.Result != dossier.Retry ||
		o.Error != FailedSignature || called.Load() != 0 {
		t.Errorf("%+v", o)
	}
}

func TestSendTLS(t *testing.T) {
	t.Parallel()
	t.Run("OKHTTP2", func(t *testing.T) {
		t.Parallel()
		s, guard := startTLS(t, func(s *httptest.Server) { s.EnableHTTP2 = true })
		if o := NewSender(guard, trusting(s)).Send(t.Context(), message(s.URL)); o.Result !=
			dossier.Delivered || string(o.Response) != "HTTP/2.0" {
			t.Errorf("%+v", o)
		}
	})
	t.Run("OKHTTP1", func(t *testing.T) {
		t.Parallel()
		s, guard := startTLS(t, func(*httptest.Server) {})
		if o := NewSender(guard, trusting(s)).Send(t.Context(), message(s.URL)); o.Result !=
			dossier.Delivered || string(o.Response) != "HTTP/1.1" {
			t.Errorf("%+v", o)
		}
	})
	t.Run("ErrUnknownAuthority", func(t *testing.T) {
		t.Parallel()
		s, guard := startTLS(t, func(*httptest.Server) {})
		if o := NewSender(guard, Config{}).Send(t.Context(), message(s.URL)); o.Result !=
			dossier.Retry || o.Error != FailedTLS {
			t.Errorf("%+v", o)
		}
	})
	t.Run("ErrOldVersion", func(t *testing.T) {
		t.Parallel()
		s, guard := startTLS(t, func(s *httptest.Server) {
			s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
		})
		if o := NewSender(guard, trusting(s)).Send(t.Context(), message(s.URL)); o.Result !=
			dossier.Retry || o.Error != FailedTLS {
			t.Errorf("%+v", o)
		}
	})
	t.Run("ErrPlainServer", func(t *testing.T) {
		t.Parallel()
		s, sender := server(t, 5*time.Second, func(http.ResponseWriter, *http.Request) {})
		if o := sender.Send(t.Context(),
			message(strings.Replace(s.URL, "http:", "https:", 1))); o.Error != FailedTLS {
			t.Errorf("%+v", o)
		}
	})
}

// startTLS starts a server over TLS, and returns a guard that lets it be called.
func startTLS(t *testing.T, set func(*httptest.Server)) (*httptest.Server, *Guard) {
	s := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, r.Proto)
		}))
	s.Config.ErrorLog = quiet()
	set(s)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, NewGuard([]string{hostport(t, s.URL)})
}

// trusting returns a configuration that trusts the certificate of a server.
func trusting(s *httptest.Server) Config {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return Config{RootCAs: pool, Timeout: 5 * time.Second}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	port, accepted := counter(t)
	for _, location := range []string{"http://127.0.0.1:" + port, "https://localhost:" + port + "/",
		"http://169.254.169.254/latest/meta-data/",
		"//127.0.0.1:" + port, "/again", "http://[::1]:" + port, "file:///etc/passwd", "::broken::",
		""} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			var called atomic.Int64
			s, sender := server(t, 5*time.Second, func(w http.ResponseWriter, _ *http.Request) {
				called.Add(1)
				w.Header().Set("Location", location)
				w.WriteHeader(status)
			})
			if o := sender.Send(t.Context(), message(s.URL)); o.Result != dossier.Retry ||
				o.Error != FailedRedirect || o.StatusCode != status || called.Load() != 1 {
				t.Errorf("%d to %q: called %d times, %+v", status, location, called.Load(), o)
			}
		}
	}
	// A client that follows redirects through the transport is stopped at the address.
	s, sender := server(t, 5*time.Second, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:"+port+"/", http.StatusFound)
	})
	response, err := (&http.Client{Transport: sender.Transport()}).Get(s.URL)
	if err == nil {
		response.Body.Close()
	}
	if !errors.Is(err, ErrTarget) || accepted.Load() != 0 {
		t.Errorf("%v, %d connections", err, accepted.Load())
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	const challenge = "c-123"
	body := []byte(`{"type":"candidateRejected","challenge":"c-123"}`)
	for name, c := range map[string]struct {
		status int
		answer string
		echoed bool
	}{
		"OKPlain":  {200, challenge + "\n", true},
		"OKMember": {200, `{"other":1,"challenge":"c-123"}`, true},
		"OKWhole":  {200, string(body), true},
		"ErrOther": {200, "c-1234", false}, "ErrEmpty": {204, "", false},
		"ErrInside": {200, "it is c-123", false}, "ErrStatus": {500, challenge, true},
		"OKBehindLongAnswer": {200, `{"a":"` + strings.Repeat("x", 5000) + `","challenge":"c-123"}`,
			true}, "ErrBinary": {200, "\xff\xfe", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, sender := server(t, 5*time.Second, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Long", strings.Repeat("y", 5000))
				w.WriteHeader(c.status)
				io.WriteString(w, c.answer)
			})
			request := message(s.URL)
			request.Body = body
			r := sender.Probe(t.Context(), request, challenge)
			if r.ChallengeEchoed != c.echoed || r.StatusCode != c.status ||
				r.Delivered != (c.status < 300) || (r.Error == "") != r.Delivered {
				t.Fatalf("%+v", r)
			}
			if r.Request.URL != s.URL || r.Request.Body != string(body) ||
				!strings.HasPrefix(r.Request.Headers["webhook-signature"], "v1,") {
				t.Errorf("request: %+v", r.Request)
			}
			if len(r.Response.Body) > maxKeptBytes ||
				len(r.Response.Headers["x-long"]) != maxReportedValue {
				t.Errorf("response: %+v", r.Response)
			}
		})
	}
	t.Run("ErrNoAnswer", func(t *testing.T) {
		t.Parallel()
		sender := NewSender(NewGuard(nil), Config{})
		if r := sender.Probe(t.Context(), message("https://127.0.0.1/"), challenge); r.Delivered ||
			r.Response != nil || r.Error != FailedTarget {
			t.Errorf("%+v", r)
		}
	})
}
