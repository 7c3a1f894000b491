package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// The kinds of tasks.
const (
	TaskCheck    = "check"    // check a document
	TaskRules    = "rules"    // apply a validated document: write-back, rules, status
	TaskDispatch = "dispatch" // hand an event out to integrations and scenarios
	TaskScenario = "scenario" // carry out a scenario's reaction to an event
	TaskDeliver  = "deliver"  // send an event to an integration
	TaskDate     = "date"     // report a date that has come: a reminder, overdue, expired
	TaskErase    = "erase"    // erase a candidate
	TaskBackfill = "backfill" // bring a company's older items into newer lists
)

// Task is an open item of the outbox: work written by the transaction that caused it and closed by
// the transaction that holds its effect. It holds ids only; Event is set in the notification of a
// TaskDispatch, which publishes it.
type Task struct {
	Kind  string       `json:"kind"` // one of the Task constants
	PK    string       `json:"pk"`
	SK    string       `json:"sk"`
	Due   dossier.Time `json:"due"`
	Event *event.Event `json:"-"`
}

// Notifier tells the workers of open tasks. A notification may be lost, doubled, late or out of
// order: the sweeper notifies again of every task that is due.
type Notifier interface {
	Notify(ctx context.Context, tasks []Task)
}

// Key returns the key of the task's item.
func (e Task) Key() kv.Key { return kv.Key{PK: e.PK, SK: e.SK} }

// BySweep reports whether the sweeper does a kind of task itself: nobody else is told of it.
func BySweep(kind string) bool {
	return kind == TaskDate || kind == TaskErase || kind == TaskBackfill
}

// Owner returns the ids of the task's company and candidate; ok is false for what is no task of a
// candidate. A TaskBackfill has a company only.
func (e Task) Owner() (company, candidate string, ok bool) {
	at, ok := e.ref()
	if !ok {
		company, _ = backfillCompany(e.Key())
		return company, "", false
	}
	return at.company, string(at.id), true
}

// ref returns the candidate in whose partition the task lies.
func (e Task) ref() (candidateRef, bool) {
	at, ok := refOf(e.PK)
	return at, ok && at.partition() == e.PK
}

// cdt returns the candidate document type of a TaskCheck or TaskDate; ok is false for any other.
func (e Task) cdt(kind string) (at candidateRef, id dossier.CandidateDocumentTypeID, ok bool) {
	at, ok = e.ref()
	if !ok || e.Kind != kind {
		return at, "", false
	}
	prefix := prefixCDT
	if kind == TaskCheck {
		prefix = prefixCheck
	}
	ulid, found := cutTask(e.SK, prefix)
	dt := dossier.NewDocumentTypeID(ulid)
	if _, valid := dossier.ParseDocumentTypeID(string(dt)); !found || !valid {
		return at, "", false
	}
	return at, at.id.DocumentType(dt), true
}

// Target returns the ULID of the integration or scenario of a TaskDeliver or TaskScenario, "" for
// other tasks.
func (e Task) Target() string {
	if e.Kind != TaskDeliver && e.Kind != TaskScenario {
		return ""
	}
	return targetOf(e.SK)
}

// EventTask returns the task of an event that was received from the bus.
func EventTask(e event.Event) (Task, bool) {
	id, isCandidate := dossier.ParseCandidateID(e.CandidateID)
	if _, isCompany := dossier.ParseID(dossier.PrefixCompany, e.CompanyID, 1); !isCandidate ||
		!isCompany {
		return Task{}, false
	}
	key := candidateRef{e.CompanyID, id}.eventKey(e.Sequence)
	return Task{Kind: TaskDispatch, PK: key.PK, SK: key.SK}, true
}

func taskOf(i kv.Item) (Task, bool) {
	for _, w := range taskKinds {
		if strings.HasPrefix(i.SK, w.prefix) {
			due, err := time.Parse(time.RFC3339Nano, i.Due)
			return Task{Kind: w.kind, PK: i.PK, SK: i.SK, Due: dossier.NewTime(due)}, err == nil
		}
	}
	return Task{}, false
}

// notify tells the workers of the tasks that the writes opened. Only a new task is notified; after
// that the sweeper does it when the task is due.
func (s *Store) notify(ctx context.Context, writes []kv.Write) {
	if s.cfg.Notifier == nil {
		return
	}
	var open []Task
	for _, w := range writes {
		if w.Put == nil || w.Put.Open == "" || !w.If.Absent {
			continue
		}
		e, ok := taskOf(*w.Put)
		if !ok || BySweep(e.Kind) {
			continue
		}
		if e.Kind == TaskDispatch {
			if happened, err := decode[event.Event](*w.Put); err == nil {
				e.Event = &happened
			}
		}
		open = append(open, e)
	}
	if len(open) > 0 {
		s.cfg.Notifier.Notify(ctx, open)
	}
}

// Notify notifies again of open tasks. An event that can't be read does not hold back the others.
func (s *Store) Notify(ctx context.Context, tasks []Task) error {
	var ready []Task
	var failed []error
	for _, e := range tasks {
		if e.Kind == TaskDispatch {
			happened, _, err := get[event.Event](ctx, s, e.Key())
			if err != nil {
				if !errors.Is(err, dossier.ErrNotFound) {
					failed = append(failed, err)
				}
				continue
			}
			e.Event = &happened
		}
		ready = append(ready, e)
	}
	if s.cfg.Notifier != nil && len(ready) > 0 {
		s.cfg.Notifier.Notify(ctx, ready)
	}
	return errors.Join(failed...)
}

// SweepCursors holds the position of the last sweep in each shard of open tasks; those that are not
// there, or "", are at the start.
type SweepCursors []string

// Due returns the open tasks that are due, at most limit of each shard, and the age of the oldest.
// It reads all shards at once, resumes each at its cursor and advances it, so that a backlog for
// one slow endpoint cannot starve the rest. With an error it returns the tasks of the shards that
// could be read.
func (s *Store) Due(ctx context.Context, limit int,
	cursors *SweepCursors) (tasks []Task, oldest time.Duration, err error) {
	now, count := s.now(), s.cfg.OpenShards
	for len(*cursors) < count {
		*cursors = append(*cursors, "")
	}
	found, failed := make([][]kv.Item, count), make([]error, count)
	s.cfg.Parallel(count, func(n int) {
		found[n], failed[n] = s.dueIn(ctx, n, now, limit, &(*cursors)[n])
	})
	for _, items := range found {
		for _, i := range items {
			if e, ok := taskOf(i); ok {
				tasks = append(tasks, e)
			}
		}
	}
	slices.SortStableFunc(tasks, func(a, b Task) int { return a.Due.Compare(b.Due.Time) })
	if len(tasks) > 0 {
		oldest = now.Sub(tasks[0].Due.Time)
	}
	return tasks, oldest, errors.Join(failed...)
}

// dueIn reads what is due in one shard: the oldest, and a page from the cursor on.
func (s *Store) dueIn(ctx context.Context, shard int, now dossier.Time, limit int,
	cursor *string) ([]kv.Item, error) {
	q := kv.Query{Index: kv.IndexOpen, Partition: shardName(shard), To: dueAt(now), Limit: limit,
		Eventual: true}
	var first []kv.Item
	var failed error
	if *cursor != "" {
		q.Limit = 1
		page, err := s.engine.Query(ctx, q)
		failed, first = err, page.Items
		q.After, q.Limit = *cursor, limit
	}
	page, err := s.engine.Query(ctx, q)
	if err == nil {
		*cursor = page.After
	}
	return append(first, page.Items...), errors.Join(failed, err)
}
