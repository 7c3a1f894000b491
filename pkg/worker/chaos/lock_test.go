package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
	"github.com/dossierhq/dossier/pkg/kv/kvtest"
	"github.com/dossierhq/dossier/pkg/store"
)

// What is done to the parts of one candidate document type.
const (
	doUpload = "upload" // through the handler
	// a check begins; leases are over at once here, so that each claim takes the check away
	doClaim  = "claim"
	doFinish = "finish"
)

// lockCall is one operation, and lockAnswer what came of it.
type (
	lockCall struct {
		request int
		do      string
		token   int64
	}
	lockAnswer struct {
		// accepted, claimed, finished; else refused as frozen, nothing to claim, stale
		ok             bool
		version, token int64
	}
)

// lockState is the lock by itself.
type lockState struct {
	frozen         bool
	version, token int64 // token 0: nobody holds the check
	tries          int
}

// lockStep is the specification: what may be answered in which state, and what follows.
func lockStep(s lockState, c lockCall, a lockAnswer) (bool, lockState) {
	switch c.do {
	case doUpload:
		if !a.ok {
			return s.frozen, s
		}
		return !s.frozen && a.version == s.version+1, lockState{frozen: true, version: a.version}
	case doClaim:
		switch {
		case a.ok:
			legal := s.frozen && s.tries < store.MaxChecks && a.version == s.version &&
				a.token > s.token
			return legal, lockState{frozen: true, version: s.version, token: a.token,
				tries: s.tries + 1}
		case s.frozen: // the third was the last
			return s.tries == store.MaxChecks, lockState{version: s.version}
		}
		return true, s
	}
	holds := s.frozen && s.token == c.token
	if a.ok {
		return holds, lockState{version: s.version}
	}
	return !holds, s
}

var lockModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		parts := map[int][]porcupine.Operation{}
		for _, o := range history {
			n := o.Input.(lockCall).request
			parts[n] = append(parts[n], o)
		}
		var all [][]porcupine.Operation
		for _, p := range parts {
			all = append(all, p)
		}
		return all
	},
	Init: func() any { return lockState{} },
	Step: func(state, input, output any) (bool, any) {
		legal, next := lockStep(state.(lockState), input.(lockCall), output.(lockAnswer))
		return legal, next
	},
}

// lockBench is candidates whose documents many people and checkers work on at once.
type lockBench struct {
	t        *testing.T
	w        *simulation // for its requests; nothing is scheduled here
	store    *store.Store
	requests []string
	mu       sync.Mutex
	claims   map[int][]store.Claim
	history  []porcupine.Operation
	unknown  int
}

// careful is a blob map for many goroutines.
type careful struct {
	*blobs
	mu sync.Mutex
}

// Put lets others run before and after.
func (c *careful) Put(ctx context.Context, key string, content []byte) (blob.Info, error) {
	runtime.Gosched()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blobs.Put(ctx, key, content)
}

// OpenPart reads a part.
func (c *careful) OpenPart(ctx context.Context, ref store.BlobRef) (io.ReadCloser, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blobs.OpenPart(ctx, ref)
}

// DeleteAll deletes under a prefix.
func (c *careful) DeleteAll(ctx context.Context, prefix string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blobs.DeleteAll(ctx, prefix)
}

func newLockBench(t *testing.T, engine kv.Engine, candidates int) *lockBench {
	b := &lockBench{t: t, claims: map[int][]store.Claim{}, w: &simulation{}}
	b.w.truth = newTruth(b.w)
	b.store = store.New(engine, store.Config{Lease: time.Nanosecond})
	api, err := httpapi.New(httpapi.Config{Store: b.store, Groups: httpapi.Groups(),
		Log: slog.New(slog.DiscardHandler), Rate: 1e9, Burst: 1e9,
		Blobs: &careful{blobs: &blobs{w: b.w, kept: map[string][]byte{}}}, Targets: anywhere{},
		Prober: anywhere{}, NewSecret: func() string { return "whsec_x" }})
	if err != nil {
		t.Fatal(err)
	}
	b.w.api = api
	company, err := b.store.CreateCompany(t.Context(), "", "Lock")
	if err != nil {
		t.Fatal(err)
	}
	b.w.clients = clients{company: company.ID, key: company.Key.Secret, answers: map[int]int{},
		requests200: map[string]request{}}
	dt := b.w.must("POST", "/documentTypes",
		`{"name":"T","check":{"parser":"json","decision":"manual"}}`)
	for range candidates {
		c := b.w.must("POST", "/candidates", `{"documentTypeIds":[%q]}`, dt)
		b.requests = append(b.requests, "cdt_"+c[len("cnd_"):]+dt[len("dty_"):])
	}
	return b
}

// work does operations at random until enough were done.
func (b *lockBench) work(rnd *rand.Rand, left *atomic.Int64) {
	for left.Add(-1) >= 0 {
		// Everybody works on a few at a time: what is not in conflict proves nothing.
		n := (int(left.Load())/400*4 + rnd.IntN(4)) % len(b.requests)
		c := lockCall{request: n}
		switch x := rnd.IntN(100); {
		case x < 45:
			c.do = doUpload
		case x < 75:
			c.do = doClaim
		default:
			c.do = doFinish
		}
		b.do(c, rnd)
	}
}

func (b *lockBench) do(c lockCall, rnd *rand.Rand) {
	var claim store.Claim
	if c.do == doFinish {
		b.mu.Lock()
		claims := b.claims[c.request]
		if len(claims) == 0 {
			b.mu.Unlock()
			return
		}
		at := rnd.IntN(len(claims))
		claim, c.token = claims[at], claims[at].Token
		b.claims[c.request] = append(claims[:at:at], claims[at+1:]...)
		b.mu.Unlock()
	}
	called := time.Now().UnixNano()
	a, known := b.perform(c, claim)
	returned := time.Now().UnixNano()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !known {
		b.unknown++
		return
	}
	b.history = append(b.history,
		porcupine.Operation{Input: c, Call: called, Output: a, Return: returned})
}

// perform returns false where the operation gave up because others were faster again and again:
// then it did nothing.
func (b *lockBench) perform(c lockCall, claim store.Claim) (a lockAnswer, known bool) {
	id := b.requests[c.request]
	switch c.do {
	case doUpload:
		return b.upload(id)
	case doClaim:
		cand, dt := id[4:30], id[30:]
		e := store.Task{Kind: store.TaskCheck, PK: b.w.clients.company[4:] + "#CAND#" + cand,
			SK: "CHK#" + dt}
		claim, ok, err := b.store.ClaimCheck(b.t.Context(), e)
		if ok {
			b.mu.Lock()
			b.claims[c.request] = append(b.claims[c.request], claim)
			b.mu.Unlock()
		}
		return lockAnswer{ok: ok, token: claim.Token, version: claim.Document.Version},
			b.happened(err)
	}
	err := b.store.FinishCheck(b.t.Context(), claim,
		store.CheckResult{State: dossier.StateInReview})
	if errors.Is(err, store.ErrStale) {
		return lockAnswer{}, true
	}
	return lockAnswer{ok: true}, b.happened(err)
}

func (b *lockBench) happened(err error) bool {
	if err != nil && !errors.Is(err, kv.ErrUnavailable) {
		b.t.Errorf("%v", err)
	}
	return err == nil
}

func (b *lockBench) upload(id string) (lockAnswer, bool) {
	a := post(b.w.api, b.w.clients.key, "/candidateDocumentTypes/"+id+"/upload",
		`{"parts":[{"name":"front","contentType":"application/json","content":"e30="}]}`)
	switch {
	case a.status == http.StatusOK:
		document, _ := a.body["document"].(map[string]any)
		version, _ := document["version"].(float64)
		return lockAnswer{ok: true, version: int64(version)}, true
	case a.status == http.StatusConflict && a.body["code"] == string(dossier.CodeLocked):
		return lockAnswer{}, true
	case a.status != http.StatusServiceUnavailable:
		b.t.Errorf("upload: %d %v", a.status, a.body)
	}
	return lockAnswer{}, false
}

// lockHistory makes n operations by 8 people and checkers at once and returns their responses.
func lockHistory(t *testing.T, engine kv.Engine, n int) []porcupine.Operation {
	b := newLockBench(t, engine, max(8, n/100))
	var left atomic.Int64
	left.Store(int64(n))
	var all sync.WaitGroup
	for who := range 8 {
		all.Go(func() { b.work(rand.New(rand.NewPCG(uint64(who), 3)), &left) })
	}
	all.Wait()
	counts := map[string]int{}
	for _, o := range b.history {
		counts[fmt.Sprintf("%s %t", o.Input.(lockCall).do, o.Output.(lockAnswer).ok)]++
	}
	t.Logf("%d operations (%v), %d gave up", len(b.history), counts, b.unknown)
	return b.history
}

func TestLockIsLinearizable(t *testing.T) {
	t.Parallel()
	t.Run("OKBolt", func(t *testing.T) {
		t.Parallel()
		engine, err := bolt.Open(filepath.Join(fastDir(t), "db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = engine.Close() })
		linearizable(t, engine, size(2000, 62_000))
	})
	t.Run("OKDynamoDBLocal", func(t *testing.T) {
		t.Parallel()
		linearizable(t, dynamotest.New(t), size(300, 62_000))
	})
	t.Run("ErrReadThenWrite", func(t *testing.T) {
		t.Parallel()
		history := lockHistory(t, careless{kvtest.NewMemory()}, 1500)
		if porcupine.CheckOperations(lockModel, history) {
			t.Error("a handler that reads, then writes, passes for the lock")
		}
	})
}

func linearizable(t *testing.T, engine kv.Engine, n int) {
	if result := porcupine.CheckOperationsTimeout(lockModel, lockHistory(t, engine, n),
		5*time.Minute); result != porcupine.Ok {
		t.Errorf("the lock is not linearizable: %s", result)
	}
}

// careless is storage on which uploads only read before they write: no condition is put on the
// stored when they do.
type careless struct{ *kvtest.Memory }

// Commit writes an upload whatever is stored.
func (c careless) Commit(ctx context.Context, writes ...kv.Write) error {
	if writer() != "upload" {
		return c.Memory.Commit(ctx, writes...)
	}
	return c.CommitIf(ctx, func(int, kv.Write, kv.Item) bool { return true }, writes)
}

// fastDir is a folder in memory where the system has one.
func fastDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "dossier-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
