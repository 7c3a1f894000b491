package bolt

import (
	"bytes"
	"context"
	"fmt"

	"github.com/dossierhq/dossier/pkg/kv"
	"go.etcd.io/bbolt"
)

// Query implements kv.Engine. Items of the indexes Open and Group have their keys only, as on
// DynamoDB, where nothing else is in these.
func (e *Engine) Query(ctx context.Context, q kv.Query) (kv.Page, error) {
	if err := q.Check(); err != nil {
		return kv.Page{}, err
	}
	r, err := rangeOf(q)
	if err != nil {
		return kv.Page{}, err
	}
	var page kv.Page
	err = e.view(ctx, func(tx *bbolt.Tx) error {
		page, err = r.read(tx, q)
		return err
	})
	if err != nil {
		return kv.Page{}, fmt.Errorf("query: %w", err)
	}
	return page, nil
}

// keyRange is the range of keys that a query reads in its bucket: from low up to, but without,
// high.
type keyRange struct{ low, high []byte }

func rangeOf(q kv.Query) (keyRange, error) {
	partition := appendText(nil, q.Partition)
	at := func(text string) []byte { return append(bytes.Clone(partition), text...) }
	r := keyRange{low: partition, high: append(bytes.TrimSuffix(at(""), []byte(end)), after...)}
	if q.From != "" {
		r.low = at(escape.Replace(q.From))
	}
	if q.To != "" {
		r.high = at(escape.Replace(q.To) + after)
	}
	if q.After == "" {
		return r, nil
	}
	place, err := kv.ParseCursor(q.After)
	if err != nil {
		return r, err
	}
	behind := entryKey(q.Partition, place)
	if q.Index == kv.Main {
		behind = itemKey(kv.Key{PK: q.Partition, SK: place.Sort})
	}
	if q.Backward {
		r.high = smaller(r.high, behind)
	} else if behind = append(behind, 0); bytes.Compare(behind, r.low) > 0 {
		r.low = behind
	}
	return r, nil
}

func smaller(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return a
	}
	return b
}

// read walks the range until the limit, and one step more to know whether something follows.
func (r keyRange) read(tx *bbolt.Tx, q kv.Query) (kv.Page, error) {
	items := tx.Bucket(itemBucket)
	walked := items
	if q.Index != kv.Main {
		walked = tx.Bucket([]byte(q.Index))
	}
	var page kv.Page
	cursor := walked.Cursor()
	for key, value := r.first(cursor, q.Backward); key !=
		nil; key, value = r.next(cursor, q.Backward) {
		if q.Limit > 0 && len(page.Items) == q.Limit {
			page.After = kv.PlaceOf(q.Index, page.Items[q.Limit-1]).Cursor()
			return page, nil
		}
		if q.Index != kv.Main {
			key, value = value, items.Get(value)
		}
		k, err := splitItemKey(key)
		if err != nil {
			return kv.Page{}, err
		}
		item, err := decode(k, value)
		if err != nil {
			return kv.Page{}, err
		}
		page.Items = append(page.Items, kv.KeysOnly(q.Index, item))
	}
	return page, nil
}

func (r keyRange) first(c *bbolt.Cursor, backward bool) (key, value []byte) {
	if !backward {
		return r.within(c.Seek(r.low))
	}
	if key, _ = c.Seek(r.high); key == nil {
		return r.within(c.Last())
	}
	return r.within(c.Prev())
}

func (r keyRange) next(c *bbolt.Cursor, backward bool) (key, value []byte) {
	if backward {
		return r.within(c.Prev())
	}
	return r.within(c.Next())
}

func (r keyRange) within(key, value []byte) ([]byte, []byte) {
	if key == nil || bytes.Compare(key, r.low) < 0 || bytes.Compare(key, r.high) >= 0 {
		return nil, nil
	}
	return key, value
}
