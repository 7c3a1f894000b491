// Package bolt is the embedded kv.Engine: one bbolt file, used by one process at a time.
//
// A Commit that has succeeded is on the disk. Commits that arrive while the disk is busy share its
// next sync.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/dossierhq/dossier/pkg/kv"
	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// lockWait bounds how long Open waits for another process to close the file: during a restart, the
// old process overlaps with the new one for a moment.
const lockWait = 2 * time.Second

// The buckets: items by key; one for each index, whose entries name an item; and the items that
// expire, by when.
var (
	itemBucket   = []byte("items")
	indexes      = []string{kv.IndexOpen, kv.IndexList, kv.IndexLookup, kv.IndexGroup}
	expiryBucket = []byte("expires")
)

// Engine is the embedded kv.Engine. Its methods may be called from any number of goroutines.
type Engine struct {
	db      *bbolt.DB
	file    *os.File // of db
	readers readers
	queue   chan job
	alone   chan job // overwrite
	closing chan struct{}
	stopped chan struct{}
	once    sync.Once
}

// Open opens the file, or makes it. The folder must exist. A file that another process has open is
// an error after two seconds, and one that is not whole is ErrTorn.
func Open(path string) (*Engine, error) {
	if err := Verify(path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	var file *os.File
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			opened, err := os.OpenFile(name, flag, mode)
			if file == nil {
				file = opened // later ones are of copies that are read
			}
			return opened, err
		},
		Timeout:        lockWait,
		FreelistType:   bbolt.FreelistMapType,
		NoFreelistSync: true, // found again when the file is opened; spares each commit a write
		NoStatistics:   true,
	})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, fmt.Errorf("open %s: another process has it open", path)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := makeBuckets(db); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	e := &Engine{db: db, file: file, queue: make(chan job), alone: make(chan job),
		closing: make(chan struct{}), stopped: make(chan struct{})}
	go e.run()
	return e, nil
}

// makeBuckets makes those that are missing: an earlier version had fewer indexes. It writes nothing
// where all are: a file on a full disk still opens.
func makeBuckets(db *bbolt.DB) error {
	var missing [][]byte
	err := db.View(func(tx *bbolt.Tx) error {
		for _, name := range append([]string{string(itemBucket), string(expiryBucket)},
			indexes...) {
			if tx.Bucket([]byte(name)) == nil {
				missing = append(missing, []byte(name))
			}
		}
		return nil
	})
	if err != nil || len(missing) == 0 {
		return err
	}
	return db.Update(func(tx *bbolt.Tx) error {
		for _, name := range missing {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close lets the commits that are under way end and closes the file. Whatever comes later is
// kv.ErrUnavailable.
func (e *Engine) Close() error {
	e.once.Do(func() { close(e.closing) })
	<-e.stopped
	return e.db.Close()
}

// Get implements kv.Engine; every read is consistent.
func (e *Engine) Get(ctx context.Context, _ bool, keys ...kv.Key) ([]kv.Item, error) {
	if err := kv.CheckKeys(keys); err != nil {
		return nil, err
	}
	items := make([]kv.Item, len(keys))
	err := e.view(ctx, func(tx *bbolt.Tx) error {
		for i, k := range keys {
			item, err := load(tx.Bucket(itemBucket), k)
			if err != nil {
				return err
			}
			items[i] = item
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("get %d items: %w", len(keys), err)
	}
	return items, nil
}

// view reads one state of the file. All that can go wrong in it is the storage's fault.
func (e *Engine) view(ctx context.Context, read func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	}
	defer e.readers.begin()()
	if err := e.db.View(read); err != nil {
		return fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	}
	return nil
}

// load returns the stored item, a zero Item where there is none.
func load(items *bbolt.Bucket, k kv.Key) (kv.Item, error) {
	value := items.Get(itemKey(k))
	if value == nil {
		return kv.Item{}, nil
	}
	return decode(k, value)
}
