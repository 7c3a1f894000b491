package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dossierhq/dossier/pkg/httpapi"
)

func TestBehindProxies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		proxies   int
		forwarded []string
		want      string
	}{
		"OKNone":      {0, []string{"203.0.113.9"}, "192.0.2.1:7"},
		"OKOne":       {1, []string{"198.51.100.1, 203.0.113.9"}, "203.0.113.9:0"},
		"OKTwo":       {2, []string{"198.51.100.1, 203.0.113.9, 10.0.0.1"}, "203.0.113.9:0"},
		"OKTwoLines":  {2, []string{"203.0.113.9", "10.0.0.1"}, "203.0.113.9:0"},
		"OKPort":      {1, []string{"203.0.113.9:4711"}, "203.0.113.9:0"},
		"OKIPv6":      {1, []string{"2001:db8::1"}, "[2001:db8::1]:0"},
		"OKIPv6Port":  {1, []string{"[2001:db8::1]:4711"}, "[2001:db8::1]:0"},
		"ErrTooFew":   {2, []string{"203.0.113.9"}, "192.0.2.1:7"},
		"ErrAbsent":   {1, nil, "192.0.2.1:7"},
		"ErrNoNumber": {1, []string{"203.0.113.9, unknown"}, "192.0.2.1:7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr, r.Header["X-Forwarded-For"] = "192.0.2.1:7", c.forwarded
			httpapi.BehindProxies(c.proxies, http.HandlerFunc(
				func(_ http.ResponseWriter, r *http.Request) {
					if r.RemoteAddr != c.want {
						t.Errorf("from %s, not %s", r.RemoteAddr, c.want)
					}
				})).ServeHTTP(httptest.NewRecorder(), r)
			if r.RemoteAddr != "192.0.2.1:7" {
				t.Errorf("the caller's request is from %s now", r.RemoteAddr)
			}
		})
	}
}
