package figures

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/blob/fileblob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv/bolt"
	"github.com/dossierhq/dossier/pkg/kv/dynamo"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/trace"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

// meteredStore runs the real handlers and consumers on a metered table. Nothing consumes its
// notifications: the measurement works on the notified tasks.
type meteredStore struct {
	testing.TB
	meter *meter
	wire  *wire // nil where the table is not DynamoDB
	store *store.Store
	api   *httpapi.API
	cfg   httpapi.Config
	key   string // of the administrator
	// traceparent is that of every request, "" for none.
	traceparent string
	company     string
	crowded     string                // the document type that everybody of the crowd is asked for
	notified    map[string]store.Task // the newest of each kind
	told        [][]store.Task        // all notifications
}

// Notify implements store.Notifier.
func (h *meteredStore) Notify(_ context.Context, entries []store.Task) {
	h.told = append(h.told, entries)
	for _, e := range entries {
		h.notified[e.Kind] = e
	}
}

// onDynamo returns a meteredStore on DynamoDB Local.
func onDynamo(tb testing.TB) *meteredStore {
	name, w := dynamotest.Table(tb), &wire{}
	return newMeteredStore(tb, &meter{
		Engine: dynamo.New(dynamotest.Client(tb, w.watch), name),
		look:   dynamo.New(dynamotest.Client(tb), name)}, w)
}

// onBolt returns a meteredStore on the embedded store, which is quick to fill. It may send to the
// targets.
func onBolt(tb testing.TB, targets ...string) *meteredStore {
	engine, err := bolt.Open(filepath.Join(tb.TempDir(), "db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = engine.Close() })
	return newMeteredStore(tb, &meter{Engine: engine, look: engine}, nil, targets...)
}

func newMeteredStore(tb testing.TB, m *meter, w *wire, targets ...string) *meteredStore {
	h := &meteredStore{TB: tb, meter: m, wire: w, notified: map[string]store.Task{}}
	h.store = h.newStore()
	company, err := h.store.CreateCompany(tb.Context(), "", "Company")
	if err != nil {
		tb.Fatal(err)
	}
	h.company, h.key = company.ID, company.Key.Secret
	blobs, err := fileblob.New(tb.TempDir(), "http://127.0.0.1", make([]byte, 16))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = blobs.Close() })
	guard := webhook.NewGuard(targets)
	h.cfg = httpapi.Config{Store: h.store, Groups: httpapi.Groups(),
		Log: slog.New(slog.DiscardHandler), Rate: 1e6, Burst: 1e6, Blobs: blobs,
		Rules: &worker.Rules{Store: h.store}, Targets: guard, NewSecret: webhook.NewSecret,
		Prober: webhook.NewSender(guard, webhook.Config{})}
	h.fresh()
	h.do(200, "GET", "/healthz", "")
	// notes the day of the key's use, which later requests find noted
	h.do(200, "GET", "/forms", "")
	return h
}

// newStore returns a store that knows no number of shards yet, and then keeps it: however slow the
// machine is, it is read once.
func (h *meteredStore) newStore() *store.Store {
	return store.New(h.meter, store.Config{Notifier: h, ShardsSeen: time.Hour})
}

// fresh forgets who called: another process of the same service.
func (h *meteredStore) fresh() {
	var err error
	if h.api, err = httpapi.New(h.cfg); err != nil {
		h.Fatal(err)
	}
}

// Context is that of the test, with the trace context of every request.
func (h *meteredStore) Context() context.Context {
	return trace.With(h.TB.Context(), h.traceparent)
}

// do makes a request and returns the decoded answer. The status has to be as expected.
func (h *meteredStore) do(status int, method, target, body string) any {
	h.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body)).WithContext(h.Context())
	r.Header.Set("Authorization", "Bearer "+h.key)
	r.Header.Set("Content-Type", "application/json")
	if h.traceparent != "" {
		r.Header.Set("Traceparent", h.traceparent)
	}
	w := httptest.NewRecorder()
	h.api.ServeHTTP(w, r)
	if w.Code != status {
		h.Fatalf("%s %s: %d %s", method, target, w.Code, w.Body)
	}
	var v any
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		h.Fatalf("%s %s: %s: %v", method, target, w.Body, err)
	}
	return v
}

// make creates something and returns its id.
func (h *meteredStore) make(path, body string) string {
	h.Helper()
	id, _ := h.do(200, http.MethodPost, path, body).(map[string]any)["id"].(string)
	return id
}

// documentType makes a document type whose documents are looked at by hand.
func (h *meteredStore) documentType(name, rules string) string {
	h.Helper()
	return h.make("/documentTypes",
		fmt.Sprintf(
			`{"name":%q,"check":{"parser":"none","decision":"manual"},"submission":{"rules":[%s]}}`,
			name, rules))
}

// candidate makes a candidate who is asked for document types, and returns its id and that of the
// first candidate document type.
func (h *meteredStore) candidate(types ...string) (id, request string) {
	h.Helper()
	list := "[]"
	if len(types) > 0 {
		list = `["` + strings.Join(types, `","`) + `"]`
	}
	id = h.make("/candidates", fmt.Sprintf(
		`{"firstName":"Ada","lastName":"Lovelace","documentTypeIds":%s}`, list))
	if len(types) > 0 {
		request = "cdt_" + strings.TrimPrefix(id, "cnd_") + strings.TrimPrefix(types[0], "dty_")
	}
	return id, request
}

const partOfUpload = `{"parts":[{"name":"front","fileName":"front.pdf","contentType":"application/pdf","content":"JVBERi0xLjcKJcKlwrHDqwo="}]}`

// upload is the bill of an upload that is accepted.
func (h *meteredStore) upload(request string) func() []charge {
	return h.request(http.StatusOK, http.MethodPost, "/candidateDocumentTypes/"+request+"/upload",
		partOfUpload)
}

// check ends the check that was notified last, with a state.
func (h *meteredStore) check(state string) {
	h.Helper()
	claim, ok, err := h.store.ClaimCheck(h.Context(), h.notified[store.TaskCheck])
	if err != nil || !ok {
		h.Fatalf("claim: %v %v", ok, err)
	}
	if err := h.store.FinishCheck(h.Context(), claim,
		store.CheckResult{State: state, Parsed: map[string]any{"number": "NL-204"}}); err != nil {
		h.Fatal(err)
	}
}

// reviewed uploads a document that then waits for somebody to look at it.
func (h *meteredStore) reviewed(request string) {
	h.Helper()
	h.upload(request)()
	h.check(dossier.StateInReview)
}

// bill measures what something costs, and holds it against DynamoDB Local where that is the table.
func (h *meteredStore) bill(what string, do func()) []charge {
	h.Helper()
	h.meter.take()
	if h.wire != nil {
		h.wire.take()
	}
	do()
	bill := h.meter.take()
	if h.wire != nil {
		h.wire.agree(h, what, bill)
	}
	return bill
}
