package bolt

import (
	"context"

	"go.etcd.io/bbolt"
)

// Writable returns kv.ErrUnavailable if the file can't be written, as on a full disk. It commits an
// empty transaction, in turn with the others.
func (e *Engine) Writable(ctx context.Context) error {
	return e.submit(ctx, func(*bbolt.Tx) error { return nil })
}
