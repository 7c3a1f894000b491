//go:build e2e

package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// receiver takes the webhooks and parser requests of the stack, each at a path of its own.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	handlers map[string]http.HandlerFunc
}

func newReceiver() *receiver {
	r := &receiver{handlers: map[string]http.HandlerFunc{}}
	r.Server = httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			r.mu.Lock()
			handle := r.handlers[request.URL.Path]
			r.mu.Unlock()
			if handle == nil {
				http.NotFound(w, request)
				return
			}
			handle(w, request)
		}))
	return r
}

func (r *receiver) host() string { return strings.TrimPrefix(r.URL, "http://") }

// handle answers a path and returns its address.
func (r *receiver) handle(path string, h http.HandlerFunc) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handlers[path] = h
	return r.URL + path
}

// letter is one request that arrived.
type letter struct {
	header http.Header
	body   []byte
}

// mailbox keeps what arrives at a path.
type mailbox struct {
	mu      sync.Mutex
	letters []letter
}

func (m *mailbox) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.letters = append(m.letters, letter{r.Header.Clone(), body})
}

func (m *mailbox) all() []letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]letter(nil), m.letters...)
}
