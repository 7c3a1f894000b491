package webhook

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestURLsAtTheBounds checks lengths and ports: the last that is fine, and the first that is not.
func TestURLsAtTheBounds(t *testing.T) {
	t.Parallel()
	guard := NewGuard(nil)
	label := strings.Repeat("a", 63)
	name := func(n int) string { // of n characters in four labels
		return strings.Join([]string{label, label, label, strings.Repeat("b", n-3*64-3)}, ".") +
			".nl"
	}
	path := func(n int) string {
		const host = "https://example.com/"
		return host + strings.Repeat("p", n-len(host))
	}
	for url, fine := range map[string]bool{
		path(dossier.MaxURL): true, path(dossier.MaxURL + 1): false,
		"https://example.com:443/": true, "https://example.com:1024/": true,
		"https://example.com:65535/": true, "https://example.com:65536/": false,
		"https://example.com:0/": false, "https://example.com:/": false,
		"https://example.com:1023/": false,
		"https://example.com:442/":  false, "https://example.com:444/": false,
		"https://" + name(253) + "/": true, "https://" + name(254) + "/": false,
		"https://" + label + ".nl/": true, "https://" + label + "a.nl/": false,
		"https://a-.nl/": false, "https://-a.nl/": false, "https://a-a.nl/": true,
		"https://a/": false, "https://1.1.1.1/": true, "https://[2606:4700::1111]/": true,
		"https://0x7g.0xfg/": true, "https://a.0xf/": false,
	} {
		if err := guard.CheckURL(url); (err == nil) != fine {
			t.Errorf("%.40s… of %d bytes: %v", url, len(url), err)
		}
	}
	for _, url := range []string{"https:///path", "https:example.com"} {
		if err := guard.CheckURL(url); err == nil || err.Error() != "must name a host" {
			t.Errorf("%s: %v", url, err)
		}
	}
	if err := NewGuard([]string{"localhost:080"}).CheckURL("http://localhost/"); err != nil {
		t.Errorf("a port with a zero before it: %v", err)
	}
	for target, fine := range map[string]bool{"host:1": true, "host:65535": true, "[::1]:80": true,
		"host:0": false, "host:65536": false, "host:x": false, ":80": false, "host": false,
		"a/b:80": false, "a@b:80": false} {
		if err := CheckTarget(target); (err == nil) != fine {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// TestSignsAtTheBounds signs with the shortest and the longest secret and message id.
func TestSignsAtTheBounds(t *testing.T) {
	t.Parallel()
	for _, n := range []int{24, 64} {
		secret := "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n))
		if _, err := Sign([]string{secret}, "evt_1", time.Now(), nil); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for id, fine := range map[string]bool{strings.Repeat("a", 256): true, "!~": true,
		"\x7f": false, " ": false, ".": false} {
		if _, err := Sign([]string{NewSecret()}, id, time.Now(), nil); (err == nil) != fine {
			t.Errorf("%.10q: %v", id, err)
		}
	}
}

// TestOutcomesOfStatuses looks at the statuses around each class, some of which no server sends.
func TestOutcomesOfStatuses(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for status, want := range map[int]string{199: FailedStatus, 200: "", 299: "",
		300: FailedRedirect, 399: FailedRedirect, 400: FailedStatus} {
		o := outcome(response{status: status}, now, now)
		if o.Error != want || (o.Result == dossier.Delivered) != (want == "") || o.RetryAfter != 0 {
			t.Errorf("%d: %+v", status, o)
		}
	}
	header := http.Header{"Retry-After": {"5"}}
	for name, c := range map[string]struct {
		response response
		result   dossier.DeliveryResult
		failed   string
		wait     time.Duration
	}{
		"a redirect that breaks off": {response{status: 301, failure: FailedClosed,
			header: header}, dossier.Retry, FailedClosed, 5 * time.Second},
		"gone that breaks off": {response{status: 410, failure: FailedClosed,
			header: header}, dossier.Gone, FailedStatus, 0},
		"success that breaks off": {response{status: 200, failure: FailedClosed,
			header: header}, dossier.Retry, FailedClosed, 5 * time.Second},
		"interrupted": {response{status: 200, failure: FailedInterrupted, header: header},
			dossier.Interrupted, FailedInterrupted, 0},
		"success": {response{status: 200, header: header}, dossier.Delivered, "", 0},
	} {
		o := outcome(c.response, now, now)
		if o.Result != c.result || o.Error != c.failed || o.RetryAfter != c.wait {
			t.Errorf("%s: %+v", name, o)
		}
	}
	zeros := strings.Repeat("0", maxRetryAfterText-1)
	for value, want := range map[string]time.Duration{zeros + "5": 5 * time.Second,
		zeros + "05": 0, "86399": MaxRetryAfter - time.Second} {
		if got := parseRetryAfter(value, now); got != want {
			t.Errorf("%d characters: %v, want %v", len(value), got, want)
		}
	}
	if delay, ok := NextDelay(0, time.Hour, 0.5); delay != 0 || !ok {
		t.Errorf("the first attempt waits %v", delay)
	}
}

// TestProbeEchoes counts no echo of an empty challenge, and none in a response that breaks off.
func TestProbeEchoes(t *testing.T) {
	t.Parallel()
	s, sender := server(t, 5*time.Second, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "c-123")
		}
	})
	if r := sender.Probe(t.Context(), message(s.URL+"/"), ""); r.ChallengeEchoed || !r.Delivered {
		t.Errorf("nothing: %+v", r)
	}
	r := sender.Probe(t.Context(), message(s.URL+"/broken"), "c-123")
	if r.ChallengeEchoed || r.Delivered || r.Error != FailedClosed {
		t.Errorf("broken off: %+v", r)
	}
}
