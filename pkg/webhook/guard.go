package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// ErrTarget is returned, wrapped in the reason, by a request to a target that the guard refuses.
var ErrTarget = errors.New("webhook: target not allowed")

// Guard decides which endpoints may be reached: public ones over https, and those that the operator
// allows by name. It is safe for concurrent use.
type Guard struct {
	allowed map[string]bool // "host:port", as dialTarget writes it
	public  *ssrf.Guardian
}

// NewGuard makes a Guard. allowTargets are host:port pairs that may be reached although they are
// private or speak plain http, for instance "127.0.0.1:9000" or "[::1]:9000". They are matched as
// they are written in an address, not by what they resolve to. A pair that CheckTarget refuses
// matches nothing.
func NewGuard(allowTargets []string) *Guard {
	g := &Guard{allowed: map[string]bool{}, public: ssrf.New(
		// Which ports are right is decided on the address, where allowed targets are known.
		ssrf.WithAnyPort(),
		// The one link-local service of a cloud that hides behind a public address (Azure's host
		// agent).
		ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")),
	)}
	for _, target := range allowTargets {
		target = strings.TrimSpace(target)
		if CheckTarget(target) == nil {
			host, port, _ := net.SplitHostPort(target)
			g.allowed[dialTarget(host, port)] = true
		}
	}
	return g
}

// CheckTarget explains in a sentence why target cannot be one of the allowed targets: it is not
// host:port.
func CheckTarget(target string) error {
	host, port, err := net.SplitHostPort(target)
	if err != nil || host == "" || strings.ContainsAny(host, "/@ ") {
		return errors.New("must be host:port")
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return errors.New("must end in a port number")
	}
	return nil
}

// CheckURL explains in a sentence why raw cannot be the address of an endpoint, or returns nil. It
// doesn't resolve the name: its addresses are checked each time a connection is made.
func (g *Guard) CheckURL(raw string) error {
	if len(raw) > dossier.MaxURL {
		return fmt.Errorf("must have at most %d bytes", dossier.MaxURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return errors.New("must be a valid URL") // the parser's own text repeats the address
	}
	// The parser drops an empty fragment, and net/http would drop any.
	if strings.Contains(raw, "#") {
		return errors.New("must not have a fragment")
	}
	return g.checkURL(u)
}

func (g *Guard) checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("must begin with https://")
	case u.Opaque != "" || u.Hostname() == "":
		return errors.New("must name a host")
	case u.User != nil:
		return errors.New("must not contain a user name or password")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 || strings.HasSuffix(u.Host, ":") {
		return errors.New("must have a port from 1 to 65535, or none")
	}
	if g.allowed[dialTarget(u.Hostname(), port)] {
		return nil
	}
	if u.Scheme != "https" {
		return errors.New("must begin with https://")
	}
	if number != 443 && number < 1024 {
		return errors.New("must use port 443, or a port from 1024")
	}
	return g.checkHost(u.Hostname())
}

// checkHost refuses what is not a public address and not a name that can be public.
func (g *Guard) checkHost(host string) error {
	if strings.Contains(host, ":") {
		addr, err := netip.ParseAddr(host)
		if err != nil {
			return errors.New("must name a valid host")
		}
		return g.checkAddr(addr)
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	labels := strings.Split(name, ".")
	last := labels[len(labels)-1]
	if numeric(last) {
		// Octal, hexadecimal, short and decimal spellings end here: only the usual one parses.
		addr, err := netip.ParseAddr(name)
		if err != nil {
			return errors.New("must write an IPv4 address as four decimal numbers")
		}
		return g.checkAddr(addr)
	}
	if len(name) > 253 {
		return errors.New("must name a valid host")
	}
	for _, label := range labels {
		if !validLabel(label) {
			return errors.New("must name a valid host, in ASCII (international names as xn--…)")
		}
	}
	if len(labels) == 1 || privateNames[last] || strings.HasSuffix(name, ".home.arpa") {
		return errors.New("must name a public host")
	}
	return nil
}

func (g *Guard) checkAddr(addr netip.Addr) error {
	if g.public.SafeAddr(addr) != nil {
		return errors.New("must not be a private or reserved address")
	}
	return nil
}

// control is called by the dialer for every address, after the name was resolved and before a
// packet is sent.
func (g *Guard) control(network, address string, conn syscall.RawConn) error {
	if err := g.public.Safe(network, address, conn); err != nil {
		return fmt.Errorf("%w: %w", ErrTarget, err)
	}
	return nil
}

// privateNames are top-level names that never belong to the public internet (RFC 6761, 6762, 7686,
// and ICANN's "internal"), with those that home and office routers hand out.
var privateNames = map[string]bool{
	"localhost": true, "local": true, "internal": true, "intranet": true, "private": true,
	"corp": true, "home": true,
	"lan": true, "localdomain": true, "test": true, "invalid": true, "onion": true, "alt": true,
}

// numeric reports whether a name that ends in label is an IPv4 address to a resolver.
func numeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return label != "" && strings.Trim(label, "0123456789") == ""
}

func validLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	return strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// dialTarget writes host and port in the one form that allowed targets are kept and looked up in.
func dialTarget(host, port string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.String()
	}
	if number, err := strconv.ParseUint(port, 10, 16); err == nil {
		port = strconv.FormatUint(number, 10)
	}
	return net.JoinHostPort(strings.ToLower(host), port)
}
