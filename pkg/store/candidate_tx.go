package store

import (
	"context"
	"maps"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// candidateTx is one transaction on a candidate's dossier under construction: the changed
// candidate, the writes, and the events that report them.
type candidateTx struct {
	store    *Store
	at       candidateRef
	cand     storedCandidate
	item     kv.Item // as read; Rev 0 for a new candidate
	now      dossier.Time
	cause    event.Cause
	before   string // status
	writes   []kv.Write
	isNew    bool         // this transaction creates the candidate
	indexed  searchFields // as the search entries have them
	maxBytes int          // bound of the candidate item; 0 means the engine's
	crowded  bool         // no write may be added that can wait
}

// newCandidateTx starts a transaction on a candidate that was read.
func (s *Store) newCandidateTx(at candidateRef, cand storedCandidate, read kv.Item,
	cause event.Cause) *candidateTx {
	cand.Requested = maps.Clone(cand.Requested)
	if cand.Requested == nil {
		cand.Requested = map[string]dossier.Requested{}
	}
	return &candidateTx{store: s, at: at, cand: cand, item: read, now: s.now(), cause: cause,
		before: cand.Status, isNew: read.Rev == 0,
		indexed: searchFieldsOf(cand.Candidate)}
}

// changeCandidate runs one transaction on a candidate. do changes c.cand, adds writes and events,
// and returns the response; a nil response stands for the candidate.
func (s *Store) changeCandidate(ctx context.Context, at candidateRef,
	do func(c *candidateTx) (any, error)) error {
	return s.retryOnConflict(ctx, func() error {
		stored, read, err := s.readCandidate(ctx, at)
		if err != nil {
			return err
		}
		stored.CustomFields = cloneMap(stored.CustomFields)
		stored.Forms, stored.PresetIDs = slices.Clone(stored.Forms), slices.Clone(stored.PresetIDs)
		c := s.newCandidateTx(at, stored, read, causeOf(ctx))
		response, err := do(c)
		if err != nil {
			return err
		}
		writes, err := c.finish(ctx)
		if err != nil {
			return err
		}
		if response == nil {
			response = c.cand.Candidate
		}
		return s.commit(ctx, response, writes...)
	})
}

// status returns the candidate's status as the transaction leaves it.
func (c *candidateTx) status() string {
	return dossier.Status(c.cand.Rejected, c.cand.Requested, c.cand.Forms)
}

// emit records an event with the candidate's next number, as a task: it has to be dispatched.
func (c *candidateTx) emit(p event.Payload) error {
	c.cand.EventSeq++
	e := p.At(c.now, c.at.company, string(c.at.id), c.cand.EventSeq, c.cause)
	i, err := item(c.at.eventKey(e.Sequence), 0, e)
	if err != nil {
		return err
	}
	if c.cause.Trace != "" {
		// Beside the document, which is the body of webhooks.
		i.Fields = map[string]string{fieldTrace: c.cause.Trace}
	}
	c.add(put(withDue(i, later(c.now, c.store.cfg.Sweep))))
	return nil
}

// fieldTrace is the field of an event's item that has the trace context of its cause.
const fieldTrace = "traceparent"

// putCDT writes a candidate document type and updates the inputs of the status. A first revision
// requires that none is stored; a later one that the stored item is the one that was read.
func (c *candidateTx) putCDT(r storedCDT, read kv.Item) error {
	dt := r.ID.DocumentType()
	r.stamp(c.now, read)
	i, err := item(c.at.cdtKey(dt), read.Rev, r)
	if err != nil {
		return err
	}
	i.Fields = map[string]string{"state": r.State, "token": number(r.Token)}
	i = listed(i, c.at.company, &r)
	if err := c.putEntry(&r, read, &i); err != nil {
		return err
	}
	if next, ok := r.nextDate(); leftEntry(&r, i) {
		i = withDue(i, c.now) // ReportDates removes the entry
	} else if ok {
		i = withDue(i, next)
	}
	c.cand.Requested[dt.ULID()] = r.requested()
	c.add(put(i))
	return nil
}

// putDocument writes the item of a document. It must precede putCDT, which stores a copy with the
// new Rev.
func (c *candidateTx) putDocument(d *StoredDocument) error {
	rev := d.Rev
	d.Rev++
	i, err := item(c.at.documentKey(d.RequestID.DocumentType(), d.ID), rev, d)
	if err != nil {
		return err
	}
	c.add(put(i))
	return nil
}

func (c *candidateTx) add(w kv.Write) { c.writes = append(c.writes, w) }

// finish recalculates the status, emits its events, keeps search entries in step, and returns the
// writes of the transaction, the candidate's first.
func (c *candidateTx) finish(ctx context.Context) ([]kv.Write, error) {
	if err := c.index(ctx); err != nil {
		return nil, err
	}
	after := c.status()
	if after != c.before && !c.isNew {
		d := event.StatusChange{Status: after, PreviousStatus: c.before}
		if err := c.emit(event.NewStatusChanged(d)); err != nil {
			return nil, err
		}
		if after == dossier.StatusApproved {
			if err := c.emit(event.NewApproved(d)); err != nil {
				return nil, err
			}
		}
	}
	c.cand.Status, c.cand.UpdatedAt = after, c.now
	i, err := item(c.at.candidateKey(), c.item.Rev, c.cand)
	if err != nil {
		return nil, err
	}
	if !c.cand.Erased {
		i.List, i.ListSort = listPartition(c.at.company, listCandidates), c.at.id.ULID()
		i.Lookup, i.LookupSort = lookupPartition(c.at.company, listCandidates, after),
			c.at.id.ULID()
	}
	i.Fields = map[string]string{"status": after}
	if c.maxBytes > 0 && len(i.Doc) > c.maxBytes && len(i.Doc) > len(c.item.Doc) {
		return nil, dossier.Errorf(dossier.CodeTooLarge,
			"The record of the candidate would have more than %d bytes.", c.maxBytes)
	}
	return append([]kv.Write{put(i)}, c.writes...), nil
}
