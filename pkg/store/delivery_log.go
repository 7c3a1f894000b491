package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// LogFilter narrows the integration log; empty fields don't.
type LogFilter struct {
	IntegrationID, CandidateID, EventName, Status string
}

// logScan bounds how many entries one page of a filtered log looks at, so that a request stays a bounded piece of work: a page may be shorter
// than asked for, and still have a next one.
const logScan = 1000

// Logs returns a page of the integration log, newest first.
func (s *Store) Logs(ctx context.Context, company string, f LogFilter, after string, limit int) ([]dossier.LogEntry, string, error) {
	q := kv.Query{Index: kv.IndexList, Partition: pkOf(company, "LOG"), After: after, Limit: limit, Backward: true, Eventual: true}
	if f.IntegrationID != "" {
		key, ok := keySetting(company, kindIntegration, f.IntegrationID)
		if !ok {
			return nil, "", nil
		}
		q.Index, q.Partition = kv.IndexLookup, pkOf(company, "LOG#"+key.SK)
	}
	list := []dossier.LogEntry{}
	for scanned := 0; ; {
		page, err := s.engine.Query(ctx, q)
		if err != nil {
			return nil, "", err
		}
		entries, err := decodeAll[storedDelivery](page.Items)
		if err != nil {
			return nil, "", err
		}
		for n, d := range entries {
			if !f.has(d.LogEntry) {
				continue
			}
			list = append(list, d.LogEntry)
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
	return (f.CandidateID == "" || e.CandidateID == f.CandidateID) && (f.EventName == "" || e.EventName == f.EventName) &&
		(f.Status == "" || e.Status == f.Status) && (f.IntegrationID == "" || e.IntegrationID == f.IntegrationID)
}

// ReplayDelivery makes an entry of the log open again: the same event with the same id and bytes. One that is open already is
// left as it is; a reaction of a scenario, and what went to an integration that is disabled or deleted, can't be replayed.
func (s *Store) ReplayDelivery(ctx context.Context, company, id string) (dossier.LogEntry, error) {
	cand, target, sequence, ok := splitLog(id)
	if !ok {
		return dossier.LogEntry{}, dossier.ErrNotFound
	}
	pk := pkCandidate(company, cand)
	var answer dossier.LogEntry
	err := s.retryOnConflict(ctx, func() error {
		items, err := s.engine.Get(ctx, false, kv.Key{PK: pk, SK: "DLV#" + target + "#" + sequence}, kv.Key{PK: pk, SK: "LOG#" + target + "#" + sequence})
		if err != nil {
			return err
		}
		if items[0].Rev != 0 {
			d, err := decode[storedDelivery](items[0])
			answer = d.LogEntry
			return err
		}
		if items[1].Rev == 0 {
			return dossier.ErrNotFound
		}
		answer, err = s.reopen(ctx, company, items[1])
		return err
	})
	return answer, err
}

// reopen moves a closed delivery back to the open work.
func (s *Store) reopen(ctx context.Context, company string, closed kv.Item) (dossier.LogEntry, error) {
	d, err := decode[storedDelivery](closed)
	if err != nil {
		return dossier.LogEntry{}, err
	}
	if d.IntegrationID == "" {
		return d.LogEntry, dossier.Errorf(dossier.CodeTransition, "What a scenario did can't be replayed.")
	}
	to, _, err := setting[storedIntegration](ctx, s, company, kindIntegration, d.IntegrationID)
	if err != nil {
		return d.LogEntry, err
	}
	if to.State != dossier.IntegrationActive {
		return d.LogEntry, dossier.Errorf(dossier.CodeTransition, "The integration is disabled: enable it first.")
	}
	d.Reason, d.Tries, d.FirstAt = "", 0, dossier.Time{}
	key := keyDelivery(company, d.CandidateID[len(prefixCandidate):], d.targetULID(), d.Sequence)
	open, err := openDelivery(company, key, 0, d, s.now())
	if err != nil {
		return d.LogEntry, err
	}
	d.Status, d.NextAttemptAt = dossier.LogPending, s.now()
	return d.LogEntry, s.commit(ctx, d.LogEntry, remove(closed), put(open))
}

// maxReplayed is how many deliveries one replay opens again.
const maxReplayed = 300

// ReplayIntegration opens deliveries of an integration again, those of a span of time with one of the statuses, oldest first, and
// returns how many; a call opens at most maxReplayed, so one that answers 0 is the last.
func (s *Store) ReplayIntegration(ctx context.Context, company, id string, since, until time.Time, statuses []string) (int, error) {
	to, _, err := setting[storedIntegration](ctx, s, company, kindIntegration, id)
	if err != nil {
		return 0, err
	}
	if to.State != dossier.IntegrationActive {
		return 0, dossier.Errorf(dossier.CodeTransition, "The integration is disabled: enable it first.")
	}
	q := kv.Query{Index: kv.IndexLookup, Partition: pkOf(company, "LOG#"+id[len(prefixIntegration):]), Limit: 100, Eventual: true}
	if !since.IsZero() {
		q.From = dossier.NewTime(since).String()
	}
	if !until.IsZero() {
		q.To = dossier.NewTime(until).String() + "#~"
	}
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
