package chaos

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// field is a standalone process with people who use it, over its deaths.
type field struct {
	t        *testing.T
	key      string
	dt       string
	mu       sync.Mutex
	server   *server
	changed  chan struct{} // closed when there is another server
	answered atomic.Int64
	status   map[int]int
	done     []string // candidates whose story is told to the end
	// the process dies while checks run: three times over one, and it has failed
	killed bool
	again  map[string]bool // those who uploaded twice for that
	hook   *hook
}

// hook is a webhook endpoint that keeps what it got.
type hook struct {
	mu  sync.Mutex
	got map[string]string // body by webhook id
	bad []string
}

// ServeHTTP takes a delivery.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is cut off is sent again
	h.mu.Lock()
	defer h.mu.Unlock()
	id := r.Header.Get("webhook-id")
	if before, twice := h.got[id]; twice && before != string(body) {
		h.bad = append(h.bad, id)
	}
	h.got[id] = string(body)
	w.WriteHeader(http.StatusOK)
}

func newField(t *testing.T, path, data string, env ...string) *field {
	f := &field{t: t, changed: make(chan struct{}), status: map[int]int{}, again: map[string]bool{},
		hook: &hook{got: map[string]string{}}}
	endpoint := httptest.NewServer(f.hook)
	t.Cleanup(endpoint.Close)
	f.server = serve(t, path, data,
		append(env, "DOSSIER_ALLOW_TARGETS="+endpoint.Listener.Addr().String())...)
	f.key = f.server.key
	f.dt = f.must("/documentTypes",
		`{"name":"T","check":{"parser":"json","decision":"automatic"},"writeBack":[{"from":"name","to":"lastName"}]}`)
	f.must("/integrations", fmt.Sprintf(
		`{"name":"I","triggerEvent":%q,"target":{"type":"webhook","url":%q}}`,
		event.CandidateDocumentValidated, endpoint.URL))
	return f
}

func (f *field) must(path, body string) string {
	a, text := f.server.send(f.key, request{method: "POST", path: path, body: body})
	if a.status != http.StatusOK {
		f.t.Fatalf("%s: %d %s", path, a.status, text)
	}
	return a.body["id"].(string)
}

// insist sends a request until it is answered 200, to whatever server there is.
func (f *field) insist(r request, stop <-chan struct{}) (answer, bool) {
	for {
		f.mu.Lock()
		s, changed := f.server, f.changed
		f.mu.Unlock()
		a, text := s.send(f.key, r)
		f.mu.Lock()
		f.status[a.status]++
		f.mu.Unlock()
		wait := time.NewTimer(20 * time.Millisecond)
		switch {
		case a.status == http.StatusOK:
			f.answered.Add(1)
			return a, true
		case a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") != "":
		case a.status != 0:
			f.t.Errorf("%s: %d %s", r.path, a.status, text)
			return a, false
		}
		select {
		case <-stop:
			return a, false
		case <-changed:
		case <-wait.C:
		}
	}
}

// live tells one story after the other: a candidate, an upload, a message.
func (f *field) live(who int, stop <-chan struct{}) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%d-%d", who, n)
		a, ok := f.insist(request{method: "POST", path: "/candidates", key: "c" + name,
			body: fmt.Sprintf(`{"firstName":%q,"documentTypeIds":[%q]}`, name, f.dt)}, stop)
		if !ok {
			return
		}
		candidate := a.body["id"].(string)
		if _, ok := f.insist(f.upload(candidate, "u"+name), stop); !ok {
			return
		}
		if _, ok := f.insist(request{method: "POST", path: "/candidates/" + candidate + "/messages",
			key: "m" + name, body: `{"text":"Hello"}`}, stop); !ok {
			return
		}
		f.mu.Lock()
		f.done = append(f.done, candidate)
		f.mu.Unlock()
		select {
		case <-stop:
			return
		default:
		}
	}
}

// upload is the request of a candidate.
func (f *field) upload(candidate, key string) request {
	return request{method: "POST", path: f.document(candidate) + "/upload", key: key,
		body: `{"parts":[{"name":"front","contentType":"application/json","content":"eyJuYW1lIjoiQSJ9"}]}`}
}

func (f *field) document(candidate string) string {
	return "/candidateDocumentTypes/cdt_" + candidate[4:] + f.dt[4:]
}

// replace makes another process take over the folder.
func (f *field) replace(s *server) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.server = s
	close(f.changed)
	f.changed = make(chan struct{})
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ended(t, func() string {
		if holds() {
			return ""
		}
		return what
	})
}

// ended waits until nothing is missing.
func ended(t *testing.T, missing func() string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for {
		what := missing()
		if what == "" {
			return
		}
		select {
		case <-late:
			t.Fatalf("%s: not within two minutes", what)
		case <-tick.C:
		}
	}
}

// told checks that every story that was answered is there, once, and has ended.
func (f *field) told() {
	f.t.Helper()
	for _, candidate := range f.done {
		ended(f.t, func() string { return f.untold(candidate) })
	}
	f.hook.mu.Lock()
	defer f.hook.mu.Unlock()
	if len(f.hook.bad) > 0 {
		f.t.Errorf("other bytes under the same id: %v", f.hook.bad)
	}
}

// untold says what is missing of a story. What is there too often ends the test. A check whose
// process was killed three times has failed, as it should: its candidate uploads again.
func (f *field) untold(candidate string) string {
	document, uploads := f.document(candidate), 1
	if f.again[candidate] {
		uploads = 2
	}
	runs := list[dossier.RuleRun](f, document+"/ruleRuns")
	documents := list[dossier.Document](f, document+"/documents")
	messages := list[dossier.Message](f, "/candidates/"+candidate+"/messages")
	events := list[event.Event](f, "/candidates/"+candidate+"/events?page[size]=100")
	if len(runs) > 1 || len(documents) > uploads || len(messages) > 1 {
		f.t.Fatalf("%s: %d runs, %d documents, %d messages", candidate, len(runs), len(documents),
			len(messages))
	}
	validated := ""
	for n, e := range events {
		if e.Sequence != int64(n+1) {
			f.t.Fatalf("%s: event %d has the sequence %d", candidate, n, e.Sequence)
		}
		if e.Type == event.CandidateDocumentValidated {
			if validated != "" {
				f.t.Fatalf("%s was validated twice", candidate)
			}
			validated = e.ID
		}
	}
	f.hook.mu.Lock()
	_, received := f.hook.got[validated]
	f.hook.mu.Unlock()
	if len(runs) == 1 && len(documents) == uploads && len(messages) == 1 && received {
		return ""
	}
	if a, _ := f.server.send(f.key, request{method: "GET", path: document}); a.body["state"] ==
		dossier.StateCheckFailed && uploads == 1 && f.killed {
		a, text := f.server.send(f.key, f.upload(candidate, "again"+candidate))
		if f.again[candidate] = a.status == http.StatusOK; !f.again[candidate] {
			f.t.Fatalf("%s uploads again: %d %s", candidate, a.status, text)
		}
	}
	return fmt.Sprintf("%s: %d runs, %d documents, %d messages, %d events, received %t", candidate,
		len(runs), len(documents), len(messages), len(events), received)
}

func list[T any](f *field, path string) (all []T) {
	f.t.Helper()
	a, text := f.server.send(f.key, request{method: "GET", path: path})
	if a.status != http.StatusOK {
		f.t.Fatalf("%s: %d %s", path, a.status, text)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		f.t.Fatalf("%s: %v", path, err)
	}
	return all
}

// TestKill9 kills the standalone process under load again and again, at times with what a write in
// the middle leaves behind.
func TestKill9(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute: part of `make test`")
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	data := fastDir(t)
	f := newField(t, path, data)
	f.killed = true
	env := f.server.cmd.Env
	stop := make(chan struct{})
	var people sync.WaitGroup
	for who := range 6 {
		people.Go(func() { f.live(who, stop) })
	}
	rounds := size(20, 60)
	for round := range rounds {
		before := f.answered.Load()
		until(t, "answers", func() bool {
			return f.answered.Load() >= before+int64(20+7*(round%9)) || t.Failed()
		})
		f.server.kill()
		tear(t, filepath.Join(data, "dossier.db"), round)
		next := serve(t, path, data, env...)
		f.replace(next)
	}
	close(stop)
	people.Wait()
	f.told()
	if len(f.again)*20 > len(f.done) {
		t.Errorf("%d of %d uploaded twice", len(f.again), len(f.done))
	}
	t.Logf(
		"%d times killed, %d requests answered 200 (%v), %d candidates to their end, %d of them uploaded twice, %d events received",
		rounds, f.answered.Load(), f.status, len(f.done), len(f.again), len(f.hook.got))
}

// tear leaves what a write that was cut off leaves: half a page behind the end, or half a meta
// page, of the transaction that would have been next.
func tear(t *testing.T, path string, round int) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const page, transaction = 4096, 64 // where a meta page holds its number
	half := make([]byte, page/2)
	for n := range half {
		half[n] = byte(n * 31)
	}
	at, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		t.Fatal(err)
	}
	switch round % 3 {
	case 0:
		return
	case 1:
		var numbers [2]uint64
		for n := range numbers {
			var b [8]byte
			if _, err := file.ReadAt(b[:], int64(n*page+transaction)); err != nil {
				t.Fatal(err)
			}
			numbers[n] = binary.LittleEndian.Uint64(b[:])
		}
		if at = 32; numbers[1] < numbers[0] {
			at = page + 32
		}
		half = half[:100]
	}
	if _, err := file.WriteAt(half, at); err != nil {
		t.Fatal(err)
	}
}

// TestDiskFull fills the disk under the standalone process: what can't be kept is 503, and goes on
// once there is room.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	data := fastDir(t)
	f := newField(t, os.Args[0], data, roleVariable+"=1")
	stop := make(chan struct{})
	var people sync.WaitGroup
	for who := range 3 {
		people.Go(func() { f.live(who, stop) })
	}
	unavailable := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.status[http.StatusServiceUnavailable]
	}
	until(t, "a full disk", func() bool { return unavailable() > 20 || t.Failed() })
	full := f.answered.Load()
	if a, text := f.server.send(f.key, request{method: "GET", path: "/candidates"}); a.status !=
		http.StatusOK {
		t.Errorf("reading on the full disk: %d %s", a.status, text)
	}
	if err := f.server.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	until(t, "room again", func() bool { return f.answered.Load() > full+20 || t.Failed() })
	close(stop)
	people.Wait()
	f.told()
	t.Logf(
		"%d answered before the disk was full, %d in the end; answers %v; %d candidates to their end", full, f.answered.Load(), f.status, len(f.done))
}
