package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// privateV4 are addresses that nothing outside may make us reach.
var privateV4 = []string{
	"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255",
	"172.16.0.1", "172.31.255.254",
	"192.168.0.1", "192.168.255.255", "169.254.169.254", "169.254.170.2", "100.64.0.1",
	"100.100.100.200", "192.0.0.192",
	"192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.250",
	"240.0.0.1", "255.255.255.255",
	"192.88.99.1", "168.63.129.16",
}

// spellings are the ways to write one IPv4 address that some resolver, library or network takes for
// it.
func spellings(dotted string) []string {
	b := netip.MustParseAddr(dotted).As4()
	n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	hi, lo := n>>16, n&0xffff
	inverted := ^n
	return []string{
		dotted, dotted + ".",
		fmt.Sprint(n), fmt.Sprintf("0x%x", n), fmt.Sprintf("0X%X", n), fmt.Sprintf("0%o", n),
		fmt.Sprintf("0x%x.0x%x.0x%x.0x%x", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("0%o.0%o.0%o.0%o", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("%d.%d", b[0], n&0xffffff), fmt.Sprintf("%d.%d.%d", b[0], b[1], lo),
		fmt.Sprintf("0x%x.%d.0%o.%d", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("%03d.%03d.%03d.%03d", b[0], b[1], b[2], b[3]),
		strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r - '0' + '０'
			}
			return r
		}, dotted),
		strings.ReplaceAll(dotted, ".", "。"),
		"[::ffff:" + dotted + "]", fmt.Sprintf("[::ffff:%x:%x]", hi, lo),
		fmt.Sprintf("[0:0:0:0:0:ffff:%x:%x]", hi, lo),
		"[::" + dotted + "]", fmt.Sprintf("[::ffff:0:%x:%x]", hi, lo),
		fmt.Sprintf("[64:ff9b::%x:%x]", hi, lo), "[64:ff9b::" + dotted + "]",
		fmt.Sprintf("[64:ff9b:1::%x:%x]", hi, lo),
		fmt.Sprintf("[2002:%x:%x::1]", hi, lo),
		fmt.Sprintf("[2001:0:4136:e378:8000:63bf:%x:%x]", inverted>>16, inverted&0xffff),
	}
}

var privateOther = []string{
	"[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::1%25lo]", "[fe80::1]", "[fe80::1%25eth0]",
	"[febf::1]", "[fec0::1]", "[fc00::1]",
	"[fd00:ec2::254]", "[fdff:ffff::1]", "[ff02::1]", "[ff0e::1]", "[100::1]", "[2001:db8::1]",
	"[2001:2::1]", "[2001:10::1]",
	"[2001:20::1]", "[3fff::1]", "[5f00::1]", "[2620:4f:8000::1]", "[2606:4700::1%25eth0]",
	"localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost.",
	"localhost.localdomain", "printer.local",
	"metadata.google.internal", "metadata.google.internal.", "instance-data.ec2.internal",
	"router.lan", "nas.home",
	"nas.home.arpa", "wiki.corp", "wiki.intranet", "metadata", "kubernetes", "db", "x.onion",
	"127.0.0.1.", "127.1.", "1", "0",
	"0x7f", "0x", "999.1.1.1", "1.2.3.4.5", "256.256.256.256", "4294967296", "a..b.com",
	".example.com", "-a.example.com",
	"ex_ample .com", "exämple.com", "ⓔxample.com", "①②⑦.0.0.1", "%31%32%37.0.0.1",
	"127.0.0.1%00.example.com", "example.com\\.evil.com",
}

func privateURLs(port string) []string {
	var urls []string
	hosts := privateOther
	for _, dotted := range privateV4 {
		hosts = append(hosts, spellings(dotted)...)
	}
	for i, host := range hosts {
		urls = append(urls, "https://"+host+[]string{"/hook", ":" + port + "/hook"}[i%2])
	}
	for _, raw := range []string{
		"https://example.com@%s/", "https://example.com:443@%s/", "https://%s@example.com/",
		"https://example.com\\@%s/", "https://%s\\@example.com/",
		"https://%s#@example.com/", "https:%s/", "https:/%s/", "https:///%s/", "//%s/",
		"http://%s/", "HTTP://%s/", "ftp://%s/", "gopher://%s/", "file:///etc/passwd?%s",
		" https://%s/", "https://%s\t/", "ht\ntps://%s/", "https://%s:22/", "https://%s:6379/",
		"https://%s:0/", "https://%s:65536/", "https://%s:/", "https://%s:+443/",
		"https://example.com#%s", "unix://%s", "https://[%s]/", "https://[%s", "javascript:%s",
		"%s",
	} {
		urls = append(urls, fmt.Sprintf(raw, "127.0.0.1"))
	}
	return urls
}

// counter listens on loopback and counts who comes.
func counter(t *testing.T) (port string, accepted *atomic.Int64) {
	t.Helper()
	accepted = new(atomic.Int64)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			accepted.Add(1)
			conn.Close()
		}
	}()
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port, accepted
}

var errPassed = errors.New("stopped by the test: the guard let it pass")

// passes counts what the guard lets pass, and stops it there, so that no test sends a packet to a
// public address.
func passes(guard *Guard, cfg Config) (*Sender, *atomic.Int64) {
	var passed atomic.Int64
	return newSender(guard, cfg, func(network, address string, conn syscall.RawConn) error {
		if err := guard.control(network, address, conn); err != nil {
			return err
		}
		passed.Add(1)
		return errPassed
	}), &passed
}

func TestPrivateTargets(t *testing.T) {
	t.Parallel()
	port, accepted := counter(t)
	guard := NewGuard(nil)
	sender, passed := passes(guard, Config{Timeout: 5 * time.Second})
	urls := privateURLs(port)
	seen := map[string]bool{}
	for _, raw := range urls {
		seen[raw] = true
		err := guard.CheckURL(raw)
		if err == nil {
			t.Errorf("%q may be saved", raw)
			continue
		}
		if strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%q: the reason repeats the address: %v", raw, err)
		}
		o := sender.Send(t.Context(),
			dossier.Delivery{URL: raw, ID: "evt_1", At: time.Now(), Secrets: []string{NewSecret()}})
		if o.Result != dossier.Retry || o.Error != FailedTarget || o.StatusCode != 0 {
			t.Errorf("%q: %+v", raw, o)
		}
	}
	if len(seen) < 400 || passed.Load() != 0 || accepted.Load() != 0 {
		t.Errorf("%d forms, %d passed the guard, %d connections", len(seen), passed.Load(),
			accepted.Load())
	}
	t.Logf("%d forms of private targets, 0 connections", len(seen))
}

// TestPrivateTargetsAtDial goes past the check of the URL, with a resolver that takes every name
// for the private address.
func TestPrivateTargetsAtDial(t *testing.T) {
	t.Parallel()
	port, accepted := counter(t)
	guard := NewGuard(nil)
	forms := 0
	for _, dotted := range privateV4 {
		addr := netip.MustParseAddr(dotted)
		sender, passed := passes(guard,
			Config{Timeout: 5 * time.Second, Resolver: resolver(func(string, int) []netip.Addr {
				return []netip.Addr{addr}
			})})
		for _, host := range append(spellings(dotted), "hooks.example.com") {
			u, err := url.Parse("http://" + host + ":" + port + "/")
			if err != nil {
				continue
			}
			forms++
			_, err = sender.transport.base.RoundTrip(
				(&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}}).WithContext(
					t.Context()))
			var name *net.DNSError
			if err == nil || errors.Is(err, errPassed) ||
				!errors.Is(err, ErrTarget) && !errors.As(err, &name) &&
					!strings.Contains(err.Error(), "no such host") {
				t.Errorf("%s: %v", u, err)
			}
		}
		if passed.Load() != 0 {
			t.Errorf("%s: %d passed the guard", dotted, passed.Load())
		}
	}
	if forms < 400 || accepted.Load() != 0 {
		t.Errorf("%d forms, %d connections", forms, accepted.Load())
	}
}

func TestPublicTargets(t *testing.T) {
	t.Parallel()
	guard := NewGuard(nil)
	for _, raw := range []string{
		"https://example.com", "https://hooks.example.com/a/b?c=d%20e", "https://EXAMPLE.com./x",
		"https://example.com:8443/", "https://a_b.example.com/",
		"https://xn--exmple-cua.com/", "https://8.8.8.8/", "https://[2606:4700:4700::1111]/",
		"https://172.32.0.1/", "https://11.0.0.1:443/", "https://1.1.1.1.example.com/",
		"https://0x7f.example.com/", "https://localhost.example.com/",
		"https://example.com/" + strings.Repeat("a", 1900),
	} {
		if err := guard.CheckURL(raw); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	// The decision alone: nothing is dialled.
	for network, address := range map[string]string{"tcp4": "8.8.8.8:443",
		"tcp6": "[2606:4700:4700::1111]:8443"} {
		if err := guard.control(network, address, nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := guard.CheckURL("https://example.com/" + strings.Repeat("a", 2000)); err == nil {
		t.Error("a too long address is accepted")
	}
}

func TestAllowedTargets(t *testing.T) {
	t.Parallel()
	guard := NewGuard([]string{"127.0.0.1:9000", " LocalHost:80", "[0:0::1]:8080", "nonsense",
		"a:b", ":1"})
	for raw, want := range map[string]bool{
		"http://127.0.0.1:9000/hook": true, "https://127.0.0.1:9000/hook": true,
		"http://localhost/": true, "http://LOCALHOST:80/": true, "http://[::1]:8080/": true,
		"http://127.0.0.1:9001/": false, "http://127.0.0.1/": false, "https://localhost/": false,
		"http://127.1:9000/": false, "http://[::ffff:127.0.0.1]:9000/": false,
		"http://a@127.0.0.1:9000/": false, "http://127.0.0.1:9000/#x": false,
		"http://127.0.0.1:9000/#": false, "ftp://127.0.0.1:9000/": false, "http://nonsense/": false,
	} {
		if err := guard.CheckURL(raw); (err == nil) != want {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, raw := range privateURLs("8443") {
		f.Add(raw)
	}
	f.Add("https://example.com/a?b=c")
	guard := NewGuard(nil)
	f.Fuzz(func(t *testing.T, raw string) {
		if guard.CheckURL(raw) != nil {
			return
		}
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" ||
			u.Hostname() == "" || len(raw) > 2000 {
			t.Fatalf("%q is accepted: %v %v", raw, u, err)
		}
		host := strings.TrimSuffix(u.Hostname(), ".")
		if addr, err := netip.ParseAddr(host); err == nil {
			if addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() ||
				addr.IsMulticast() || addr.IsUnspecified() || addr.Is4In6() || addr.Zone() != "" {
				t.Fatalf("%q is accepted", raw)
			}
		} else if !strings.Contains(host, ".") || strings.ContainsFunc(host, func(r rune) bool {
			return r <= ' ' || r > '~'
		}) {
			t.Fatalf("%q is accepted", raw)
		}
	})
}
