package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/oklog/ulid/v2"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/trace"
)

// Store implements the use cases on one Engine.
type Store struct {
	engine kv.Engine
	cfg    Config
}

// Config holds the settings of a Store beside its engine. Defaults for unset fields are in
// brackets.
type Config struct {
	// told of new tasks after their commit [nobody]
	Notifier Notifier
	Now      func() time.Time           // [time.Now]
	NewID    func(now time.Time) string // makes ULIDs [random]
	// waits before a commit is tried again [a timer]
	Pause func(ctx context.Context, d time.Duration) error
	// encrypts secrets at rest [they are stored in the clear]
	Seal Sealer
	// how long a check may take before it is taken away [30 s]
	Lease time.Duration
	Sweep time.Duration // how often the sweeper looks [1 min]
	// how long the number of a company's list shards is taken as it was read [1 min]
	ShardsSeen time.Duration
	// partitions of the index of open tasks, which a sweep reads all; it can only grow [16]
	OpenShards int
	// calls do with each number below n at once, and waits for all [in goroutines]
	Parallel func(n int, do func(n int))
	// forms take files after their candidate is erased, as those of S3 do [they ask TakesPart]
	LateForms bool
	// makes spans of rules, dispatches and reactions [there are none]
	Tracer trace.Tracer
}

// New makes a Store.
func New(engine kv.Engine, cfg Config) *Store {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NewID == nil {
		// Rising within a millisecond too, so that what one process makes sorts in its order.
		entropy := &ulid.LockedMonotonicReader{MonotonicReader: ulid.Monotonic(rand.Reader, 0)}
		cfg.NewID = func(now time.Time) string {
			return ulid.MustNew(ulid.Timestamp(now), entropy).String()
		}
	}
	if cfg.Pause == nil {
		cfg.Pause = pause
	}
	if cfg.Lease == 0 {
		cfg.Lease = 30 * time.Second
	}
	if cfg.Sweep == 0 {
		cfg.Sweep = time.Minute
	}
	if cfg.ShardsSeen == 0 {
		cfg.ShardsSeen = time.Minute
	}
	cfg.OpenShards = max(cfg.OpenShards, openShards)
	if cfg.Parallel == nil {
		cfg.Parallel = inGoroutines
	}
	return &Store{cfg: cfg, engine: &sharded{Engine: engine, now: cfg.Now, seen: cfg.ShardsSeen,
		open: cfg.OpenShards, parallel: cfg.Parallel, known: map[string]knownShards{}}}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (s *Store) now() dossier.Time { return dossier.NewTime(s.cfg.Now()) }

func (s *Store) newID(prefix string) string { return prefix + s.cfg.NewID(s.cfg.Now()) }

// Lease returns how long a check may take before another worker may take it over.
func (s *Store) Lease() time.Duration { return s.cfg.Lease }

// maxAttempts bounds how often a use case starts again because what it read has changed meanwhile.
const maxAttempts = 12

// retryOnConflict runs try, which reads, decides and commits, until its commit finds nothing
// changed since the read.
func (s *Store) retryOnConflict(ctx context.Context, try func() error) error {
	for n := range maxAttempts {
		err := try()
		if failed := (*kv.ConditionFailed)(nil); !errors.As(err, &failed) {
			return err
		}
		wait := time.Duration(1<<min(n, 6)) * time.Millisecond
		if err := s.cfg.Pause(ctx, wait/2+mathrand.N(wait)); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: still changing after %d tries", kv.ErrUnavailable, maxAttempts)
}

// outcome describes the end of a step. One that finds another worker's change in its way is no
// failure: it starts again, or leaves the work to the other.
func outcome(err error) trace.Outcome {
	if failed := (*kv.ConditionFailed)(nil); errors.As(err, &failed) {
		return trace.Outcome{Code: trace.Conflict}
	}
	return trace.Outcome{Err: err}
}

// commit writes all or nothing, with the response to an idempotent request in the same transaction,
// and then notifies the workers of the tasks that it opened.
func (s *Store) commit(ctx context.Context, answer any, writes ...kv.Write) error {
	idem, err := s.idempotencyWrite(ctx, answer, writes)
	if err != nil {
		return err
	}
	all := writes
	if idem != nil {
		all = append(append([]kv.Write{}, writes...), *idem)
	}
	if err := s.engine.Commit(ctx, all...); err != nil {
		if failed := (*kv.ConditionFailed)(nil); idem != nil && errors.As(err, &failed) {
			if taken, ok := failed.Failed[len(all)-1]; ok {
				return replayed(ctx, taken)
			}
		}
		return err
	}
	responseStored(ctx, idem)
	s.notify(ctx, writes)
	return nil
}

// get reads one item and decodes it; nothing stored is ErrNotFound.
func get[T any](ctx context.Context, s *Store, key kv.Key) (T, kv.Item, error) {
	var v T
	items, err := s.engine.Get(ctx, false, key)
	if err != nil {
		return v, kv.Item{}, err
	}
	if items[0].Rev == 0 {
		return v, kv.Item{}, dossier.ErrNotFound
	}
	v, err = decode[T](items[0])
	return v, items[0], err
}

func decode[T any](i kv.Item) (T, error) {
	var v T
	if err := json.Unmarshal(i.Doc, &v); err != nil {
		return v, fmt.Errorf("item %s %s does not decode: %w", i.PK, i.SK, err)
	}
	return v, nil
}

// item makes the item that stores v. rev is that of the stored item, 0 for a new one.
func item(key kv.Key, rev int64, v any) (kv.Item, error) {
	doc, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return kv.Item{}, fmt.Errorf("item %s %s does not encode: %w", key.PK, key.SK, err)
	}
	return kv.Item{Key: key, Rev: rev + 1, Doc: doc}, nil
}

// put writes an item if the stored one is as it was read: absent for a first revision.
func put(i kv.Item) kv.Write {
	if i.Rev == 1 {
		return create(i)
	}
	return kv.Write{Put: &i, If: kv.Condition{Rev: i.Rev - 1}}
}

// create writes an item if there is none. Its revision goes on from that of an item which moved.
func create(i kv.Item) kv.Write { return kv.Write{Put: &i, If: kv.Condition{Absent: true}} }

// remove deletes an item if the stored one is as it was read.
func remove(i kv.Item) kv.Write { return kv.Write{Delete: &i.Key, If: kv.Condition{Rev: i.Rev}} }

// dueAt formats a moment for the open index, where it sorts as text.
func dueAt(at dossier.Time) string { return at.String() }

// withDue puts an item into the open index.
func withDue(i kv.Item, due dossier.Time) kv.Item {
	i.Open, i.Due = openShard(i.PK), dueAt(due)
	return i
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// later returns the moment d after at.
func later(at dossier.Time, d time.Duration) dossier.Time { return dossier.NewTime(at.Add(d)) }
