package store

import (
	"context"
	"errors"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// eraseTime bounds the time that EraseCandidate spends on scrubbing the table.
const eraseTime = 5 * time.Second

// maxUnlisted is the number of candidate document types that leave the lists in the first
// transaction of an erasure; the task removes the rest.
const maxUnlisted = 90

// notErased is the condition on a candidate of every write that must not follow the start of its
// erasure.
var notErased = kv.Condition{Not: map[string]string{"erased": "true"}}

// EraseCandidate hides a candidate and opens the task that erases its personal data: from here on
// the candidate is NOT_FOUND. Ids, states and times stay.
//
// The table is scrubbed before EraseCandidate returns, as far as eraseTime allows. The task scrubs
// it again and deletes the bytes.
func (s *Store) EraseCandidate(ctx context.Context, company, candidate string) error {
	at, err := parseRef(company, candidate)
	if err != nil {
		return err
	}
	if err := s.beginErasure(ctx, at); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, eraseTime)
	defer cancel()
	_, _ = s.scrubAll(ctx, at) // the task is open and repeats what fails here
	return nil
}

func (s *Store) beginErasure(ctx context.Context, at candidateRef) error {
	return s.retryOnConflict(ctx, func() error {
		stored, read, err := s.readCandidate(ctx, at)
		if err != nil {
			return err
		}
		external := stored.ExternalID
		now := s.now()
		stored.Candidate = dossier.Candidate{ID: stored.ID, Status: stored.Status,
			CreatedAt: stored.CreatedAt, UpdatedAt: now}
		stored.Erased, stored.Searchable, stored.Brought = true, false, nil
		i, err := item(read.Key, read.Rev, stored)
		if err != nil {
			return err
		}
		i.Fields = map[string]string{"status": stored.Status, "erased": "true"}
		c := s.newCandidateTx(at, stored, read, causeOf(ctx))
		if err := s.moveExternal(ctx, c, external, ""); err != nil {
			return err
		}
		unlisted, err := s.unlist(ctx, at)
		if err != nil {
			return err
		}
		return s.commit(ctx, struct{}{},
			append(append(c.writes, put(withDue(i, now))), unlisted...)...)
	})
}

// unlist returns the writes that scrub the candidate's document types and remove them from lists.
func (s *Store) unlist(ctx context.Context, at candidateRef) ([]kv.Write, error) {
	q := at.prefixed(prefixCDT)
	q.Limit = maxUnlisted
	page, err := s.engine.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	var writes []kv.Write
	for _, i := range page.Items {
		w, err := scrubWrite(i)
		if err != nil {
			return nil, err
		}
		if !w.If.IsZero() {
			writes = append(writes, w)
		}
	}
	return writes, nil
}

// Eraser deletes the bytes of a candidate's parts.
type Eraser interface {
	// DeleteAll deletes every version of every object under a prefix.
	DeleteAll(ctx context.Context, prefix string) error
}

// pendingBlobs is the prefix of parts that were sent through a form and not committed. It equals
// blob.Pending, which this package does not import.
const pendingBlobs = "pending/"

// BlobPrefix returns the prefix under which the bytes of a candidate's parts are stored.
func BlobPrefix(company, candidate string) string { return company + "/" + candidate + "/" }

// lateFor is the time after an erasure until every upload through a form of the candidate has
// ended: a form may be used until its last moment, and the upload itself takes time.
const lateFor = planFor + 15*time.Minute

// Erase works on the task that EraseCandidate opened: it deletes the bytes and scrubs every item
// of the candidate. It closes the task last, so that an interrupted erasure is resumed. With
// Config.LateForms the task stays open until no form can take a file, and is then done again.
func (s *Store) Erase(ctx context.Context, e Task, blobs Eraser) error {
	at, ok := e.ref()
	if !ok || e.Kind != TaskErase {
		return nil
	}
	began := s.now()
	for left := true; left; {
		var err error
		if left, err = s.scrubAll(ctx, at); err != nil {
			return err
		}
	}
	for _, place := range []string{"", pendingBlobs} {
		if err := blobs.DeleteAll(ctx, place+BlobPrefix(at.company, string(at.id))); err != nil {
			return err
		}
	}
	return s.retryOnConflict(ctx, func() error {
		stored, read, err := get[storedCandidate](ctx, s, e.Key())
		if err != nil || read.Open == "" {
			return err
		}
		done := read
		done.Rev, done.Open, done.Due = read.Rev+1, "", ""
		if again := later(stored.UpdatedAt, lateFor); s.cfg.LateForms && began.Before(again.Time) {
			done = withDue(done, again)
		}
		return s.commit(ctx, nil, put(done))
	})
}

// scrubAll scrubs every item of a candidate and reports whether any needed it. An item that moves
// to another key meanwhile, such as a delivery to the log, is found by the next call.
func (s *Store) scrubAll(ctx context.Context, at candidateRef) (left bool, err error) {
	for _, partition := range []kv.Query{
		{Partition: at.messagePartition()},
		{Partition: at.partition()},
		{Index: kv.IndexLookup, Partition: at.responsePartition(), Eventual: true},
	} {
		page, err := s.engine.Query(ctx, partition)
		if err != nil {
			return false, err
		}
		for _, i := range page.Items {
			needed, err := s.scrub(ctx, i)
			if err != nil {
				return false, err
			}
			left = left || needed
		}
	}
	return left, nil
}

// scrub rewrites one item without its personal data, or deletes it if nothing else would be left.
func (s *Store) scrub(ctx context.Context, i kv.Item) (needed bool, err error) {
	write, err := scrubWrite(i)
	if err != nil || write.If.IsZero() {
		return false, err
	}
	err = s.engine.Commit(ctx, write)
	if failed, ok := errors.AsType[*kv.ConditionFailed](err); ok {
		stored := failed.Failed[0]
		if stored.Rev == 0 {
			return true, nil // closed or deleted meanwhile
		}
		return s.scrub(ctx, stored)
	}
	return true, err
}
