package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/trace"
)

// LogFilter narrows the integration log; an empty field matches all.
type LogFilter struct {
	IntegrationID, CandidateID, EventName, Status string
}

// logScan bounds the entries that one page of a filtered log reads, so that a request does a
// bounded amount of work: a page may be shorter than its limit and still have a next one.
const logScan = 1000

// Logs returns a page of the integration log, newest first.
func (s *Store) Logs(ctx context.Context, company string, f LogFilter, after string,
	limit int) ([]dossier.LogEntry, string, error) {
	q := kv.Query{Index: kv.IndexList, Partition: listPartition(company, listLog)}
	if f.IntegrationID != "" {
		key, ok := settingKey(company, kindIntegration, f.IntegrationID)
		if !ok {
			return nil, "", nil
		}
		q.Index, q.Partition = kv.IndexLookup, lookupPartition(company, listLog, key.SK)
	}
	return logPage(ctx, s, q, after, limit, f.has)
}

// logPage returns a page of the entries of a log that match, newest first.
func logPage[T any](ctx context.Context, s *Store, q kv.Query, after string, limit int,
	matches func(T) bool) ([]T, string, error) {
	q.After, q.Limit, q.Backward, q.Eventual = after, limit, true, true
	list := []T{}
	for scanned := 0; ; {
		page, err := s.engine.Query(ctx, q)
		if err != nil {
			return nil, "", err
		}
		entries, err := decodeAll[T](page.Items)
		if err != nil {
			return nil, "", err
		}
		for n, entry := range entries {
			if !matches(entry) {
				continue
			}
			list = append(list, entry)
			if limit > 0 && len(list) == limit && (n < len(entries)-1 || page.After != "") {
				return list, kv.PlaceOf(q.Index, page.Items[n]).Cursor(), nil
			}
		}
		scanned += len(page.Items)
		if page.After == "" || scanned >= logScan {
			return list, page.After, nil
		}
		q.After = page.After
	}
}

func (f LogFilter) has(e dossier.LogEntry) bool {
	return (f.CandidateID == "" || e.CandidateID == f.CandidateID) &&
		(f.EventName == "" || e.EventName == f.EventName) &&
		(f.Status == "" || e.Status == f.Status) &&
		(f.IntegrationID == "" || e.IntegrationID == f.IntegrationID)
}

// ReplayDelivery opens a log entry again: the same event with the same id and bytes. A pending one
// is due now. A scenario's reaction, and a delivery to a disabled integration, can't be replayed.
func (s *Store) ReplayDelivery(ctx context.Context, company, id string) (dossier.LogEntry, error) {
	cand, target, sequence, ok := parseLogID(id)
	if !ok {
		return dossier.LogEntry{}, dossier.ErrNotFound
	}
	open := candidateRef{company, cand}.deliveryKey(target, sequence)
	var answer dossier.LogEntry
	err := s.retryOnConflict(ctx, func() error {
		items, err := s.engine.Get(ctx, false, open, closedKey(open))
		if err != nil {
			return err
		}
		if items[0].Rev != 0 {
			answer, err = s.hasten(ctx, candidateRef{company, cand}, items[0])
			return err
		}
		if items[1].Rev == 0 {
			return dossier.ErrNotFound
		}
		answer, err = s.reopen(ctx, company, open, items[1])
		return err
	})
	return answer, err
}

// hasten makes a pending delivery due now; of an ordered integration, also the earlier one that it
// waits for. One that is being attempted stays as it is, and so do those to a disabled integration.
func (s *Store) hasten(ctx context.Context, at candidateRef,
	pending kv.Item) (dossier.LogEntry, error) {
	asked, err := decode[storedDelivery](pending)
	if err != nil {
		return dossier.LogEntry{}, err
	}
	to, _, err := setting[storedIntegration](ctx, s, at.company, kindIntegration,
		asked.IntegrationID)
	if errors.Is(err, dossier.ErrNotFound) || err == nil && to.State != dossier.IntegrationActive {
		return asked.LogEntry, nil
	}
	if err != nil {
		return dossier.LogEntry{}, err
	}
	next, err := s.nextDeliveries(ctx, deliveryQueue{at, asked.targetULID(), pending.Key},
		to.Ordered, 1)
	if err != nil {
		return dossier.LogEntry{}, err
	}
	if len(next) == 0 { // it was delivered or given up meanwhile: read again
		return dossier.LogEntry{}, &kv.ConditionFailed{}
	}
	first := next[0]
	entry := asked.LogEntry
	var writes []kv.Write
	for _, i := range []kv.Item{first, pending} {
		d, err := decode[storedDelivery](i)
		if err != nil {
			return dossier.LogEntry{}, err
		}
		if d.Claimed || !s.now().Before(d.NextAttemptAt.Time) ||
			len(writes) > 0 && i.Key == first.Key {
			continue
		}
		// Fails if a worker has claimed it meanwhile.
		due, err := openDelivery(at.company, i.Key, i.Rev, d, s.now())
		if err != nil {
			return dossier.LogEntry{}, err
		}
		if writes = append(writes, put(due)); i.Key == pending.Key {
			entry.NextAttemptAt = s.now()
		}
	}
	if len(writes) > 0 {
		if err := s.commit(ctx, entry, writes...); err != nil {
			return dossier.LogEntry{}, err
		}
	}
	return entry, s.Notify(ctx, []Task{{Kind: TaskDeliver, PK: first.PK, SK: first.SK}})
}

// reopen moves a closed delivery back to the tasks.
func (s *Store) reopen(ctx context.Context, company string, key kv.Key,
	closed kv.Item) (dossier.LogEntry, error) {
	d, err := decode[storedDelivery](closed)
	if err != nil {
		return dossier.LogEntry{}, err
	}
	if d.IntegrationID == "" {
		return d.LogEntry, dossier.Errorf(dossier.CodeTransition,
			"The reaction of a scenario cannot be replayed.")
	}
	to, _, err := setting[storedIntegration](ctx, s, company, kindIntegration, d.IntegrationID)
	if err != nil {
		return d.LogEntry, err
	}
	if to.State != dossier.IntegrationActive {
		return d.LogEntry, dossier.Errorf(dossier.CodeTransition,
			"The integration is disabled. Enable it first.")
	}
	d.Reason, d.Tries, d.FirstAt, d.Trace = "", 0, dossier.Time{}, trace.From(ctx)
	open, err := openDelivery(company, key, closed.Rev, d, s.now())
	if err != nil {
		return d.LogEntry, err
	}
	d.Status, d.NextAttemptAt = dossier.LogPending, s.now()
	return d.LogEntry, s.commit(ctx, d.LogEntry, remove(closed), create(open))
}

// maxReplayed bounds the deliveries that one replay opens.
const maxReplayed = 300

// ReplayIntegration opens the deliveries of an integration again that are of a span of time and
// have one of the statuses, oldest first, and returns their number. A call opens at most
// maxReplayed; one that returns 0 is the last.
func (s *Store) ReplayIntegration(ctx context.Context, company, id string, since, until time.Time,
	statuses []string) (int, error) {
	to, _, err := setting[storedIntegration](ctx, s, company, kindIntegration, id)
	if err != nil {
		return 0, err
	}
	if to.State != dossier.IntegrationActive {
		return 0, dossier.Errorf(dossier.CodeTransition,
			"The integration is disabled. Enable it first.")
	}
	q := kv.Query{Index: kv.IndexLookup,
		Partition: lookupPartition(company, listLog, id[len(dossier.PrefixIntegration):]),
		Limit:     100, Eventual: true}
	q.From, q.To = logBounds(since, until)
	ctx, replayed := withoutIdempotency(ctx), 0
	for {
		page, err := s.engine.Query(ctx, q)
		if err != nil {
			return replayed, err
		}
		for _, i := range page.Items {
			if i.Open != "" || !slices.Contains(statuses, i.Fields["status"]) {
				continue
			}
			d, err := decode[storedDelivery](i)
			if err != nil {
				return replayed, err
			}
			_, err = s.ReplayDelivery(ctx, company, d.ID)
			switch {
			case errors.Is(err, dossier.ErrNotFound): // gone meanwhile
				continue
			case err != nil:
				return replayed, err
			}
			if replayed++; replayed == maxReplayed {
				return replayed, nil
			}
		}
		if page.After == "" {
			return replayed, nil
		}
		q.After = page.After
	}
}

// CountReplay counts the deliveries that ReplayIntegration would open, up to maxReplayed; more
// reports whether there are others.
func (s *Store) CountReplay(ctx context.Context, company, id string, since, until time.Time,
	statuses []string) (n int, more bool, err error) {
	if _, _, err := setting[storedIntegration](ctx, s, company, kindIntegration, id); err != nil {
		return 0, false, err
	}
	q := kv.Query{Index: kv.IndexLookup,
		Partition: lookupPartition(company, listLog, id[len(dossier.PrefixIntegration):]),
		Limit:     100, Eventual: true}
	q.From, q.To = logBounds(since, until)
	for {
		page, err := s.engine.Query(ctx, q)
		if err != nil {
			return 0, false, err
		}
		for _, i := range page.Items {
			if i.Open != "" || !slices.Contains(statuses, i.Fields["status"]) {
				continue
			}
			if n == maxReplayed {
				return n, true, nil
			}
			n++
		}
		if page.After == "" {
			return n, false, nil
		}
		q.After = page.After
	}
}
