package client_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/dossierhq/dossier/client"
	"github.com/dossierhq/dossier/pkg/app/command"
	"github.com/dossierhq/dossier/pkg/app/processtest"
	_ "github.com/dossierhq/dossier/pkg/check/child" // the process is its own child
)

var welcome = regexp.MustCompile(`(?s)(http://127\.0\.0\.1:\d+).*admin key: (dsr_\S+)\n`)

// serve runs the service for one test, and returns its address and an administrator's key.
func serve(t *testing.T, environ ...string) (base, key string) {
	t.Helper()
	var out, errors processtest.Output
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- command.Run(ctx, command.Process{Args: []string{"serve"}, Out: &out, Err: &errors,
			Terminal: true, Environ: append(environ, "DOSSIER_ADDR=127.0.0.1:0",
				"DOSSIER_DATA="+t.TempDir(), "DOSSIER_RATE=100000")})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	for deadline := time.After(time.Minute); ; {
		select {
		case code := <-ended:
			ended <- code
			t.Fatalf("the process ended: %s", errors.String())
		case <-deadline:
			t.Fatalf("the process did not start: %s%s", out.String(), errors.String())
		case <-time.After(5 * time.Millisecond):
		}
		if m := welcome.FindStringSubmatch(out.String()); m != nil {
			return m[1], m[2]
		}
	}
}

// connect returns a client of a new service.
func connect(t *testing.T, environ ...string) *client.Client {
	t.Helper()
	base, key := serve(t, environ...)
	return newClient(t, base, key)
}

func newClient(t *testing.T, base, key string) *client.Client {
	t.Helper()
	c, err := client.New(base, key)
	if err != nil {
		t.Fatal(err)
	}
	c.SetPause(time.Millisecond)
	return c
}

// lossy returns the address of a proxy that passes requests on and hands answer what came back.
// Where answer returns false, the client's connection is cut instead of answered.
func lossy(t *testing.T, base string, answer func(*http.Request, *http.Response) bool) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.ModifyResponse = func(r *http.Response) error {
		if answer(r.Request, r) {
			return nil
		}
		_, _ = io.Copy(io.Discard, r.Body)
		return http.ErrAbortHandler
	}
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {
		panic(http.ErrAbortHandler)
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

// must returns the value of a response, and ends the test at an error.
func must[T any](t *testing.T) func(client.Response[T], error) client.Response[T] {
	return func(r client.Response[T], err error) client.Response[T] {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}
