package store

import (
	"context"
	"errors"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// RequestBucket is the bucket of requests that all processes of an installation share.
type RequestBucket struct {
	CompanyID string
	Kind      string  // who sends them, such as company or candidates
	Rate      float64 // requests per second
	Burst     int     // requests at once
}

// storedBucket is the item of a bucket. It is full at a moment that requests move further away, by
// the time in which the rate allows as many.
type storedBucket struct {
	FullAt dossier.Time `json:"fullAt"`
}

// CountRequests takes n requests that were answered out of a bucket, also more than it holds. It
// returns how long the company has to wait before its next request, 0 while the bucket is not
// empty. It costs one read and one write.
func (s *Store) CountRequests(ctx context.Context, b RequestBucket,
	n int) (wait time.Duration, err error) {
	key := requestsKey(b.CompanyID, b.Kind)
	lasts := func(n int) time.Duration {
		return time.Duration(float64(n) / b.Rate * float64(time.Second))
	}
	err = s.retryOnConflict(ctx, func() error {
		bucket, read, err := get[storedBucket](ctx, s, key)
		if err != nil && !errors.Is(err, dossier.ErrNotFound) {
			return err
		}
		now := s.now()
		if bucket.FullAt.Before(now.Time) {
			bucket.FullAt = now
		}
		bucket.FullAt = later(bucket.FullAt, lasts(n))
		wait = max(0, bucket.FullAt.Sub(now.Time)-lasts(b.Burst))
		i, err := item(key, read.Rev, bucket)
		if err != nil {
			return err
		}
		i.Expires = bucket.FullAt.Unix() + 1
		// As it was read: another process counts at the same time.
		return s.engine.Commit(ctx, put(i))
	})
	return wait, err
}
