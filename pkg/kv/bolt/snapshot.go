package bolt

import (
	"context"
	"fmt"
	"io"

	"go.etcd.io/bbolt"

	"github.com/dossierhq/dossier/pkg/kv"
)

// Snapshot calls with with one state of the table's file: its size in bytes, and a function that
// writes it. Commits go on meanwhile.
func (e *Engine) Snapshot(ctx context.Context,
	with func(size int64, write func(io.Writer) error) error) error {
	return e.view(ctx, func(tx *bbolt.Tx) error {
		return with(tx.Size(), func(w io.Writer) error {
			_, err := tx.WriteTo(w)
			return err
		})
	})
}

// Each calls with with every item of one state of the table, in key order, until it returns an
// error.
func (e *Engine) Each(ctx context.Context, with func(kv.Item) error) error {
	return e.view(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(itemBucket).ForEach(func(key, value []byte) error {
			k, err := splitItemKey(key)
			if err != nil {
				return fmt.Errorf("decode item: %w", err)
			}
			item, err := decode(k, value)
			if err != nil {
				return fmt.Errorf("decode item: %w", err)
			}
			return with(item)
		})
	})
}
