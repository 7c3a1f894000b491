package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dossierhq/dossier/pkg/kv"
)

// erasureBucket holds one key while erased data may be in free pages of the file.
var (
	erasureBucket = []byte("erasures")
	erasureKey    = []byte("open")
)

// NoteErasure notes in the file that what was deleted or replaced before has to be overwritten.
func (e *Engine) NoteErasure(ctx context.Context) error {
	return e.submit(ctx, func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(erasureBucket)
		if err != nil {
			return err
		}
		return b.Put(erasureKey, []byte{1})
	})
}

// Overwrite writes zeros over the free pages of the file, if NoteErasure was called since it last
// did. done is false if there was nothing to do. Reads go on and writes wait. A read that began
// before and goes on for long is kv.ErrUnavailable: the note stays.
func (e *Engine) Overwrite(ctx context.Context) (done bool, err error) {
	err = e.view(ctx, func(tx *bbolt.Tx) error {
		b := tx.Bucket(erasureBucket)
		done = b != nil && b.Get(erasureKey) != nil
		return nil
	})
	if err != nil || !done {
		return false, err
	}
	j := job{done: make(chan error, 1)}
	select {
	case e.alone <- j:
	case <-ctx.Done():
		return false, fmt.Errorf("%w: %w", kv.ErrUnavailable, ctx.Err())
	case <-e.closing:
		return false, fmt.Errorf("%w: the file is closed", kv.ErrUnavailable)
	}
	if err := <-j.done; err != nil {
		return false, fmt.Errorf("%w: overwrite free pages: %w", kv.ErrUnavailable, err)
	}
	return true, nil
}

// overwrite runs where commits run, so that none comes between its steps. It may be killed at any
// point: no state of the file that could be opened after that reaches a free page.
func (e *Engine) overwrite() error {
	// After two commits that change nothing, both meta pages name the same tree: the pages that are
	// free in it are free in each state that a crash could leave.
	for range 2 {
		if err := e.db.Update(func(*bbolt.Tx) error { return nil }); err != nil {
			return err
		}
	}
	if err := e.readers.renew(readerWait); err != nil {
		return err
	}
	err := e.db.Update(func(tx *bbolt.Tx) error {
		if err := e.overwriteFree(tx); err != nil {
			return err
		}
		return errNothingToCommit
	})
	if !errors.Is(err, errNothingToCommit) {
		return err
	}
	if err := e.file.Sync(); err != nil {
		return err
	}
	return e.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(erasureBucket).Delete(erasureKey)
	})
}

var errNothingToCommit = errors.New("nothing to commit")

// readerWait bounds the wait for reads that began before, in which no commit is made.
const readerWait = 200 * time.Millisecond

// overwriteFree writes zeros over the free pages, and over the end of the file that is in no use.
func (e *Engine) overwriteFree(tx *bbolt.Tx) error {
	size := int64(e.db.Info().PageSize)
	info, err := e.file.Stat()
	if err != nil {
		return err
	}
	page, zeros := make([]byte, size), make([]byte, size)
	ended := false
	for id := int64(0); (id+1)*size <= info.Size(); id++ {
		free := ended
		if !ended {
			p, err := tx.Page(int(id))
			if err != nil {
				return err
			}
			ended = p == nil
			free = ended || p.Type == "free"
		}
		if !free {
			continue
		}
		if _, err := e.file.ReadAt(page, id*size); err != nil {
			return err
		}
		if bytes.Equal(page, zeros) {
			continue
		}
		if _, err := e.file.WriteAt(zeros, id*size); err != nil {
			return err
		}
	}
	return nil
}
