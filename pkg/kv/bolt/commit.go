package bolt

import (
	"context"
	"fmt"

	"github.com/dossierhq/dossier/pkg/kv"
	"go.etcd.io/bbolt"
)

// commit is one Commit; failed holds the stored items of the conditions that failed.
type commit struct {
	writes []kv.Write
	failed map[int]kv.Item
}

// Commit implements kv.Engine. The context counts only until the commit has its turn.
func (e *Engine) Commit(ctx context.Context, writes ...kv.Write) error {
	if err := kv.CheckWrites(writes); err != nil {
		return err
	}
	if err := kv.CheckItems(writes); err != nil {
		return err
	}
	c := &commit{writes: writes}
	if err := e.submit(ctx, c.do); err != nil {
		return fmt.Errorf("commit of %d writes: %w", len(writes), err)
	}
	if len(c.failed) > 0 {
		return &kv.ConditionFailed{Failed: c.failed}
	}
	return nil
}

// do tries the conditions against what the commits before it have left, and writes only if all of
// them hold.
func (c *commit) do(tx *bbolt.Tx) error {
	items := tx.Bucket(itemBucket)
	stored := make([]kv.Item, len(c.writes))
	for i, w := range c.writes {
		item, err := load(items, w.Key())
		if err != nil {
			return err
		}
		stored[i] = item
		if !w.If.Holds(item) {
			if c.failed == nil {
				c.failed = map[int]kv.Item{}
			}
			c.failed[i] = item
		}
	}
	if len(c.failed) > 0 {
		return nil
	}
	for i, w := range c.writes {
		if w.Check != nil {
			continue
		}
		if err := replace(tx, stored[i], w); err != nil {
			return err
		}
	}
	return nil
}

// replace takes the old item and its index entries away, and puts the new ones if there are any.
func replace(tx *bbolt.Tx, old kv.Item, w kv.Write) error {
	if err := reindex(tx, old, w.Put); err != nil {
		return err
	}
	if w.Put == nil {
		return tx.Bucket(itemBucket).Delete(itemKey(w.Key()))
	}
	return tx.Bucket(itemBucket).Put(itemKey(w.Put.Key), encode(w.Put))
}

func reindex(tx *bbolt.Tx, old kv.Item, now *kv.Item) error {
	if now == nil {
		now = &kv.Item{}
	}
	for _, index := range indexes {
		was, is := kv.PartitionOf(index, old), kv.PartitionOf(index, *now)
		from, to := kv.PlaceOf(index, old), kv.PlaceOf(index, *now)
		if was == is && from == to {
			continue
		}
		bucket := tx.Bucket([]byte(index))
		if was != "" {
			if err := bucket.Delete(entryKey(was, from)); err != nil {
				return err
			}
		}
		if is != "" {
			if err := bucket.Put(entryKey(is, to), itemKey(now.Key)); err != nil {
				return err
			}
		}
	}
	return reexpire(tx, old, now)
}
