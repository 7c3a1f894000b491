package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// BehindProxies gives requests the address of the client that X-Forwarded-For names. n is the
// number of proxies in front, each of which appends the address that it was called from; what is
// before those comes from the client and is not believed. A request with fewer addresses, such as
// one that came by no proxy, keeps that of its connection, and so does one whose address can't be
// read.
func BehindProxies(n int, next http.Handler) http.Handler {
	if n == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from, ok := forwardedFor(r.Header.Values("X-Forwarded-For"), n); ok {
			r = r.WithContext(r.Context()) // a copy: the caller's request stays as it is
			r.RemoteAddr = net.JoinHostPort(from.String(), "0")
		}
		next.ServeHTTP(w, r)
	})
}

// forwardedFor returns the address that the first of n proxies appended. Some append a port, too.
func forwardedFor(values []string, n int) (netip.Addr, bool) {
	list := strings.Split(strings.Join(values, ","), ",")
	if len(list) < n {
		return netip.Addr{}, false
	}
	text := strings.TrimSpace(list[len(list)-n])
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr(), true
	}
	from, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return from, err == nil
}
