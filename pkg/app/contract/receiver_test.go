package contract

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// receiver records the deliveries of webhooks. It is a parser service too: one that reads a number
// below /read/, and one that does not answer.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	got     []map[string]any
	raw     map[string][]delivery    // what came in, by path
	hanging map[string]chan struct{} // closed when the parser of that path may answer
	arrived chan string              // paths that hang
	failing map[string]bool          // paths that answer 500
}

// delivery is a request as it came in.
type delivery struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{hanging: map[string]chan struct{}{}, arrived: make(chan string, 100),
		failing: map[string]bool{}, raw: map[string][]delivery{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if wait := r.wait(q.URL.Path); wait != nil {
			select {
			case r.arrived <- q.URL.Path:
			default:
			}
			select {
			case <-wait:
			case <-q.Context().Done():
			}
			return
		}
		var event map[string]any
		body, err := io.ReadAll(q.Body)
		if err := errors.Join(err, json.Unmarshal(body, &event)); err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.failing[q.URL.Path] {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		r.got = append(r.got, event)
		r.raw[q.URL.Path] = append(r.raw[q.URL.Path], delivery{q.Header, body})
		if strings.HasPrefix(q.URL.Path, "/read/") {
			_, _ = io.WriteString(w, `{"parsed":{"number":"A-17"}}`)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) wait(path string) chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hanging[path]
}

// parser returns the address of a parser service that does not answer before the test ends.
func (r *receiver) parser(t *testing.T) string {
	url, free := r.hang()
	t.Cleanup(free)
	return url
}

// fail makes a path answer 500, or no longer, and returns its address.
func (r *receiver) fail(path string, failing bool) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing[path] = failing
	return r.URL + path
}

// hang returns an address that does not answer before it is freed.
func (r *receiver) hang() (url string, free func()) {
	path, ended := "/parser/"+unique(), make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hanging[path] = ended
	return r.URL + path, sync.OnceFunc(func() { close(ended) })
}

// events returns the events that came in.
func (r *receiver) events() []map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]map[string]any{}, r.got...)
}

// at returns the deliveries that a path has accepted.
func (r *receiver) at(path string) []delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.raw[path])
}
