package model

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/dossierhq/dossier/pkg/blob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

var beginning = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// service is the service in the process of the test: the real handlers, store, workers and sender.
// Tasks wait until a session works on them.
type service struct {
	now   time.Time
	ids   uint64
	store *store.Store
	api   http.Handler
	tasks []store.Task
	// checkLog has the checks that could not be made: a full disk makes one wait, not the service.
	checkLog strings.Builder
	checker  *checker
	work     map[string]worker.Handler
	sweep    *worker.Sweep
}

// newService makes the service on an engine. Its ids rise with origin, so that sessions can share
// an engine.
func newService(engine kv.Engine, e *endpoints, dir string, origin uint64) (*service, error) {
	s := &service{now: beginning, ids: origin << 32, checker: &checker{}}
	now, log := func() time.Time { return s.now }, slog.New(slog.DiscardHandler)
	blobs := &blobs{kept: map[blob.Ref][]byte{}}
	s.store = store.New(engine, store.Config{Notifier: s, Now: now, NewID: s.newID})
	s.checker.now = now
	rules := &worker.Rules{Store: s.store}
	check := &worker.Check{Store: s.store, Bytes: blobs, Checker: s.checker, Dir: dir, Now: now,
		Log: slog.New(slog.NewTextHandler(&s.checkLog, nil))}
	dispatch := &worker.Dispatch{Store: s.store}
	deliver := &worker.Deliver{Store: s.store, Sender: e.sender, Now: now, Log: log,
		DisableAfter: webhook.DisableAfter,
		NextDelay: func(failed int, after time.Duration, _ float64) (time.Duration, bool) {
			return webhook.NextDelay(failed, after, 0.5)
		}}
	s.sweep = &worker.Sweep{Store: s.store, Blobs: blobs, Log: log, Limit: 1000}
	s.work = map[string]worker.Handler{store.TaskCheck: check.Work, store.TaskRules: rules.Work,
		store.TaskDispatch: dispatch.Work, store.TaskScenario: dispatch.Work,
		store.TaskDeliver: deliver.Work}
	var err error
	s.api, err = httpapi.New(httpapi.Config{Store: s.store, Groups: httpapi.Groups(), Log: log,
		Now: now, Rate: 1e9, Burst: 1e9, Blobs: blobs, Rules: rules, Targets: e.guard,
		Prober: e.sender, NewSecret: webhook.NewSecret})
	return s, err
}

// newID makes ULIDs that rise, and are the same whenever a session is repeated.
func (s *service) newID(now time.Time) string {
	s.ids++
	var entropy [10]byte
	binary.BigEndian.PutUint64(entropy[2:], s.ids)
	var id ulid.ULID
	_ = id.SetTime(ulid.Timestamp(now)) // a time of this era always fits
	_ = id.SetEntropy(entropy[:])       // ten bytes always fit
	return id.String()
}

// Notify implements store.Notifier.
func (s *service) Notify(_ context.Context, tasks []store.Task) {
	s.tasks = append(s.tasks, tasks...)
}

// workOn works on all tasks of a kind that companies of this session have, those included that
// follow, in the order of their keys.
func (s *service) workOn(ctx context.Context, kind string, companies []*company) error {
	for {
		var now, later []store.Task
		for _, t := range s.tasks {
			if t.Kind == kind {
				now = append(now, t)
			} else {
				later = append(later, t)
			}
		}
		if s.tasks = later; len(now) == 0 {
			return nil
		}
		slices.SortStableFunc(now, func(a, b store.Task) int {
			return cmp.Or(strings.Compare(a.PK, b.PK), strings.Compare(a.SK, b.SK))
		})
		for _, t := range now {
			owner, _, _ := t.Owner()
			own := func(c *company) bool { return c.id == owner }
			if !slices.ContainsFunc(companies, own) {
				continue // of another session on this engine
			}
			if err := s.work[kind](ctx, t); err != nil {
				return err
			}
		}
	}
}

// send sends a request and returns the status and the decoded body.
func (s *service) send(method, path, secret, key string, body object) (int, any, error) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(text)
	}
	r := httptest.NewRequest(method, path, reader)
	r.Header.Set("Authorization", "Bearer "+secret)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	got := httptest.NewRecorder()
	s.api.ServeHTTP(got, r)
	var decoded any
	err := json.Unmarshal(got.Body.Bytes(), &decoded)
	if got.Code == http.StatusConflict && strings.Contains(got.Body.String(), "IN_PROCESSING") &&
		(got.Header().Get("Retry-After") == "" || decoded.(object)["lock"] == nil) {
		err = errors.New("a refusal by the lock without Retry-After or lock")
	}
	return got.Code, decoded, err
}

// checker reads parts as JSON objects; of two members with one name that of the first part counts.
type checker struct {
	down bool
	now  func() time.Time
}

// errDown is the error of every check while the checker is down.
var errDown = errors.New("the checker is down")

// CheckParts implements worker.Checker.
func (c *checker) CheckParts(_ context.Context, claim store.Claim, paths []string,
	_ string) (store.CheckResult, error) {
	result := store.CheckResult{State: dossier.StateInReview, Parsed: object{}, Confidence: 1}
	if claim.Type.Check.Decision == dossier.DecisionAutomatic {
		result.State = dossier.StateValidated
	}
	if claim.Unconfirmed != "" {
		result.State = dossier.StateInReview
		result.Reasons = []dossier.Reason{{Code: dossier.ReasonParserNotConfirmed, Message: "m"}}
		return result, nil
	}
	if claim.Type.Check.HTTP != nil {
		result.Call = &dossier.Attempt{At: dossier.NewTime(c.now()), StatusCode: http.StatusOK}
	}
	if c.down && result.Call != nil {
		result.Call.StatusCode = http.StatusBadGateway
	}
	if c.down {
		return result, errDown
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return result, err
		}
		var content object
		if err := json.Unmarshal(text, &content); err != nil {
			return result, err
		}
		for name, v := range content {
			if _, before := result.Parsed[name]; !before {
				result.Parsed[name] = v
			}
		}
	}
	if result.Parsed["bad"] == true {
		result.State = dossier.StateNeedsResubmission
		result.Reasons = []dossier.Reason{{Code: dossier.ReasonMissingValue, Message: "m"}}
	}
	return result, nil
}

// endpoints are the customers' endpoints of all sessions, on one server.
type endpoints struct {
	url    string
	guard  *webhook.Guard
	sender *webhook.Sender
	mu     sync.Mutex
	hooks  map[string]*hook // by path
}

// hook is the endpoint of one integration.
type hook struct {
	status   int
	secret   string
	received []any // bodies
	wrong    error
}

func newEndpoints(t *testing.T) *endpoints {
	e := &endpoints{hooks: map[string]*hook{}}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	e.url = server.URL
	e.guard = webhook.NewGuard([]string{strings.TrimPrefix(server.URL, "http://")})
	e.sender = webhook.NewSender(e.guard, webhook.Config{Timeout: 10 * time.Minute})
	return e
}

func (e *endpoints) at(path string) *hook {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hooks[path] == nil {
		e.hooks[path] = &hook{status: http.StatusOK}
	}
	return e.hooks[path]
}

// ServeHTTP implements http.Handler. What a customer's library does not accept is noted.
func (e *endpoints) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := e.at(r.URL.Path)
	body, err := io.ReadAll(r.Body)
	e.mu.Lock()
	defer e.mu.Unlock()
	var decoded any
	verifier, failed := standardwebhooks.NewWebhook(h.secret)
	if failed == nil {
		failed = verifier.VerifyIgnoringTimestamp(body, r.Header)
	}
	err = errors.Join(err, failed, json.Unmarshal(body, &decoded))
	sent, _ := decoded.(object)
	if err == nil && r.Header.Get(webhook.HeaderID) != sent["id"] {
		err = errors.New("the id of the message is not that of the event")
	}
	h.wrong = errors.Join(h.wrong, err)
	h.received = append(h.received, decoded)
	w.WriteHeader(h.status)
}

// blobs is a blob store in a map. Sessions upload within the request only.
type blobs struct{ kept map[blob.Ref][]byte }

var errNotUsed = errors.New("not part of these tests")

// Put implements httpapi.Blobs.
func (b *blobs) Put(_ context.Context, key string, content []byte) (blob.Info, error) {
	sum := sha256.Sum256(content)
	ref := blob.Ref{Key: key, Version: strconv.Itoa(len(b.kept))}
	b.kept[ref] = content
	return blob.Info{Ref: ref, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}, nil
}

// OpenPart implements worker.Bytes.
func (b *blobs) OpenPart(_ context.Context, ref store.BlobRef) (io.ReadCloser, error) {
	content, found := b.kept[blob.Ref(ref)]
	if !found {
		return nil, blob.ErrNotFound
	}
	return io.NopCloser(bytes.NewReader(content)), nil
}

// DeleteAll implements httpapi.Blobs.
func (b *blobs) DeleteAll(_ context.Context, prefix string) error {
	for ref := range b.kept {
		if strings.HasPrefix(ref.Key, prefix) {
			delete(b.kept, ref)
		}
	}
	return nil
}

// Keep implements httpapi.Blobs.
func (b *blobs) Keep(context.Context, blob.Ref, string) (blob.Info, error) {
	return blob.Info{}, errNotUsed
}

// Stat implements httpapi.Blobs.
func (b *blobs) Stat(context.Context, string) (blob.Info, error) { return blob.Info{}, errNotUsed }

// Open implements httpapi.Blobs.
func (b *blobs) Open(context.Context, blob.Ref) (io.ReadCloser, error) { return nil, errNotUsed }

// Form implements httpapi.Blobs.
func (b *blobs) Form(context.Context, string, int64, string, string, time.Time) (blob.Form, error) {
	return blob.Form{}, errNotUsed
}

// Link implements httpapi.Blobs.
func (b *blobs) Link(context.Context, blob.Ref, string, string, time.Time) (string, error) {
	return "", errNotUsed
}
