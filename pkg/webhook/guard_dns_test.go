package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

func TestRebinding(t *testing.T) {
	t.Parallel()
	port, accepted := counter(t)
	public, private := netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("127.0.0.1")
	send := func(s *Sender) dossier.Outcome {
		return s.Send(t.Context(), dossier.Delivery{URL: "https://hooks.example.com:" + port,
			ID: "evt_1", At: time.Now(), Secrets: []string{NewSecret()}})
	}
	t.Run("ErrPrivateAfterPublic", func(t *testing.T) {
		t.Parallel()
		sender, passed := passes(NewGuard(nil),
			Config{Timeout: 5 * time.Second,
				Resolver: resolver(func(_ string, nth int) []netip.Addr {
					if nth == 0 {
						return []netip.Addr{public}
					}
					return []netip.Addr{private}
				})})
		if o := send(sender); passed.Load() != 1 || o.Error == FailedTarget {
			t.Errorf("the public answer: %d passed, %+v", passed.Load(), o)
		}
		if o := send(sender); passed.Load() != 1 || o.Error != FailedTarget ||
			accepted.Load() != 0 {
			t.Errorf("the private answer: %d passed, %d connections, %+v", passed.Load(),
				accepted.Load(), o)
		}
	})
	t.Run("ErrPrivateBesidePublic", func(t *testing.T) {
		t.Parallel()
		sender, passed := passes(NewGuard(nil),
			Config{Timeout: 5 * time.Second, Resolver: resolver(func(string, int) []netip.Addr {
				return []netip.Addr{private, public, private}
			})})
		if send(sender); passed.Load() != 1 || accepted.Load() != 0 {
			t.Errorf("%d passed, %d connections", passed.Load(), accepted.Load())
		}
	})
	t.Run("ErrNameBehindAllowedAddress", func(t *testing.T) {
		t.Parallel()
		// An operator's permission is for what is written, not for a stranger's name that points
		// there.
		sender, _ := passes(NewGuard([]string{"127.0.0.1:" + port}),
			Config{Timeout: 5 * time.Second, Resolver: resolver(func(string, int) []netip.Addr {
				return []netip.Addr{private}
			})})
		if o := send(sender); o.Error != FailedTarget || accepted.Load() != 0 {
			t.Errorf("%d connections, %+v", accepted.Load(), o)
		}
	})
}

// resolver is a real resolver over a DNS server in memory, which gives answers' nth answer for a
// name's IPv4 addresses.
func resolver(answers func(name string, nth int) []netip.Addr) *net.Resolver {
	var asked atomic.Int64
	return &net.Resolver{PreferGo: true,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			// not a packet connection: DNS over TCP, each message with its length before it
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				buf := make([]byte, 2048)
				n, err := server.Read(buf[:2])
				if err != nil || n != 2 {
					return
				}
				n, err = server.Read(buf)
				if err != nil {
					return
				}
				reply := answerDNS(buf[:n], func(name string) []netip.Addr {
					return answers(name, int(asked.Add(1)-1))
				})
				server.Write(append([]byte{byte(len(reply) >> 8), byte(len(reply))}, reply...))
			}()
			return client, nil
		}}
}

func answerDNS(query []byte, answers func(name string) []netip.Addr) []byte {
	end, name := 12, ""
	for query[end] != 0 {
		length := int(query[end])
		name += string(query[end+1:end+1+length]) + "."
		end += 1 + length
	}
	end += 5
	var addrs []netip.Addr
	if query[end-3] == 1 { // A
		addrs = answers(name)
	}
	reply := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, byte(len(addrs)), 0, 0, 0, 0},
		query[12:end]...)
	for _, addr := range addrs {
		reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		reply = append(reply, addr.AsSlice()...)
	}
	return reply
}

func noAddress(string, int) []netip.Addr { return nil }

// TestTransportChecksURL is about requests that no Send made: the http parser's, and what a
// redirect turns into.
func TestTransportChecksURL(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	sender, passed := passes(NewGuard(nil),
		Config{Timeout: 5 * time.Second, Resolver: resolver(func(string, int) []netip.Addr {
			asked.Add(1)
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}
		})})
	for _, raw := range []string{"http://hooks.example.com/", "https://hooks.example.com:22/",
		"https://a:b@hooks.example.com/", "https://metadata.google.internal/"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sender.Transport().RoundTrip(request); !errors.Is(err, ErrTarget) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if asked.Load() != 0 || passed.Load() != 0 {
		t.Errorf("%d names looked up, %d passed the guard", asked.Load(), passed.Load())
	}
}
