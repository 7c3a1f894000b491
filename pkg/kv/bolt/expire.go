package bolt

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/dossierhq/dossier/pkg/kv"
	"go.etcd.io/bbolt"
)

// Expire deletes up to limit items whose Expires has passed, oldest first, and returns how many it
// deleted. DynamoDB does the same by itself; here whoever owns the engine calls it now and then,
// with the clock that it goes by.
func (e *Engine) Expire(ctx context.Context, now time.Time, limit int) (int, error) {
	deleted := 0
	err := e.submit(ctx, func(tx *bbolt.Tx) error {
		keys, err := expired(tx, now.Unix(), limit)
		if err != nil {
			return err
		}
		for _, k := range keys {
			old, err := load(tx.Bucket(itemBucket), k)
			if err != nil {
				return err
			}
			if err := replace(tx, old, kv.Write{Delete: &k}); err != nil {
				return err
			}
		}
		deleted = len(keys)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("expire: %w", err)
	}
	return deleted, nil
}

// expired finds the keys before it deletes anything: a cursor of bbolt does not stand changes.
func expired(tx *bbolt.Tx, now int64, limit int) ([]kv.Key, error) {
	var keys []kv.Key
	cursor := tx.Bucket(expiryBucket).Cursor()
	for entry, key := cursor.First(); entry != nil &&
		len(keys) < limit; entry, key = cursor.Next() {
		if int64(binary.BigEndian.Uint64(entry)) > now {
			break
		}
		k, err := splitItemKey(key)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// reexpire moves the item to its new time among those that expire.
func reexpire(tx *bbolt.Tx, old kv.Item, now *kv.Item) error {
	if old.Expires == now.Expires {
		return nil
	}
	bucket := tx.Bucket(expiryBucket)
	if old.Expires > 0 {
		if err := bucket.Delete(expiryKey(old)); err != nil {
			return err
		}
	}
	if now.Expires > 0 {
		return bucket.Put(expiryKey(*now), itemKey(now.Key))
	}
	return nil
}

func expiryKey(i kv.Item) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(i.Expires)), itemKey(i.Key)...)
}
