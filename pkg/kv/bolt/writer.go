package bolt

import (
	"context"
	"fmt"

	"github.com/dossierhq/dossier/pkg/kv"
	"go.etcd.io/bbolt"
)

// maxGroup bounds how many jobs share one sync of the disk, and with that the memory of a
// transaction.
const maxGroup = 128

// job is one change on its way through the queue. do fails only where the file does; done takes one
// result.
type job struct {
	do   func(*bbolt.Tx) error
	done chan error
}

// submit has the change done, and returns when it is on the disk.
func (e *Engine) submit(ctx context.Context, do func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	}
	j := job{do, make(chan error, 1)}
	select {
	case e.queue <- j:
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", kv.ErrUnavailable, ctx.Err())
	case <-e.closing:
		return fmt.Errorf("%w: the file is closed", kv.ErrUnavailable)
	}
	if err := <-j.done; err != nil {
		return fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	}
	return nil
}

// run does whatever waits, one group after the other, until the engine closes. A lone job never
// waits for company.
func (e *Engine) run() {
	defer close(e.stopped)
	for {
		select {
		case j := <-e.queue:
			e.doGroup(e.gather(j))
		case j := <-e.alone:
			j.done <- e.overwrite()
		case <-e.closing:
			return
		}
	}
}

// gather adds to the first job those that are waiting now.
func (e *Engine) gather(first job) []job {
	group := []job{first}
	for len(group) < maxGroup {
		select {
		case j := <-e.queue:
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// doGroup does the jobs in their order in one transaction. A condition that fails rejects its own
// commit only; an error of the file takes all of them with it.
func (e *Engine) doGroup(group []job) {
	err := e.db.Update(func(tx *bbolt.Tx) error {
		for _, j := range group {
			if err := j.do(tx); err != nil {
				return err
			}
		}
		return nil
	})
	for _, j := range group {
		j.done <- err
	}
}
