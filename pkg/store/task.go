package store

import (
	"context"
	"errors"
	"sort"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// The kinds of open work.
const (
	TaskCheck    = "check"    // a document waits for its check
	TaskRules    = "rules"    // a document was validated: write back, run the rules, recalculate the status
	TaskDispatch = "dispatch" // an event is to be handed to integrations and scenarios
	TaskScenario = "scenario" // a scenario reacts to an event
	TaskDeliver  = "deliver"  // an event is to be sent to an integration
	TaskExpire   = "expire"   // a validated document reaches its date
	TaskErase    = "erase"    // a candidate is being erased
)

// Entry is one open piece of work: a stored item that is not closed. It holds ids only, except for the event that is published
// with a ring for WorkDispatch.
type Task struct {
	Kind  string       `json:"kind"` // one of the Work constants
	PK    string       `json:"pk"`
	SK    string       `json:"sk"`
	Due   dossier.Time `json:"due"`
	Event *event.Event `json:"-"` // WorkDispatch, when it rings
}

// Doorbell tells the consumers that there is work. A ring may be lost, doubled, late or out of order; nothing depends on it but speed.
type Notifier interface {
	Notify(ctx context.Context, entries []Task)
}

// workOf names the kind of work an open item with this sort key is.
var taskKinds = []struct{ prefix, kind string }{
	{skCandidate, TaskErase},
	{"B#CDT#", TaskExpire},
	{"C#JOB#", TaskRules},
	{"CHK#", TaskCheck},
	{"EVT#", TaskDispatch},
	{"DLV#", TaskDeliver},
	{"SCN#", TaskScenario},
}

// Key returns the key of the entry's item.
func (e Task) Key() kv.Key { return kv.Key{PK: e.PK, SK: e.SK} }

// Owner returns the ids of the company and the candidate whose work it is; ok is false for what is no entry.
func (e Task) Owner() (company, candidate string, ok bool) { return companyAndCandidate(e.PK) }

// Target returns the ULID of the integration or scenario whose work a WorkDeliver or WorkScenario is, "" for other work.
func (e Task) Target() string {
	if e.Kind != TaskDeliver && e.Kind != TaskScenario {
		return ""
	}
	_, rest, _ := strings.Cut(e.SK, "#")
	target, _, _ := strings.Cut(rest, "#")
	return target
}

// EventEntry returns the entry of an event, as one who hears it on a bus knows it.
func EventTask(e event.Event) (Task, bool) {
	cand, ok := bare(prefixCandidate, e.CandidateID, 1)
	if _, good := bare(prefixCompany, e.CompanyID, 1); !ok || !good {
		return Task{}, false
	}
	key := keyEvent(e.CompanyID, cand, e.Sequence)
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

// ring rings for what the writes opened. An entry rings when it is new; after that the sweeper does, when it is due.
func (s *Store) notify(ctx context.Context, writes []kv.Write) {
	if s.cfg.Notifier == nil {
		return
	}
	var open []Task
	for _, w := range writes {
		if w.Put == nil || w.Put.Open == "" || w.Put.Rev != 1 {
			continue
		}
		e, ok := taskOf(*w.Put)
		if !ok || e.Kind == TaskExpire || e.Kind == TaskErase {
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

// Places is where an earlier sweep ended in each shard of the open work, "" at its beginning.
type SweepCursors [openShards]string

// Due returns what is open and due, at most limit entries from each shard, and how long the oldest has been due. It goes on where
// the places say and moves them, round and round: much that waits for one slow endpoint keeps nothing behind it from being
// rung for. With an error comes what the shards had that could be read.
func (s *Store) Due(ctx context.Context, limit int, places *SweepCursors) (entries []Task, oldest time.Duration, err error) {
	now := s.now()
	var failed []error
	for n := range openShards {
		q := kv.Query{Index: kv.IndexOpen, Partition: shardName(n), To: dueAt(now), Limit: limit, Eventual: true}
		var first []kv.Item
		if places[n] != "" {
			q.Limit = 1
			page, err := s.engine.Query(ctx, q)
			failed, first = append(failed, err), page.Items
			q.After, q.Limit = places[n], limit
		}
		page, err := s.engine.Query(ctx, q)
		if failed = append(failed, err); err == nil {
			places[n] = page.After
		}
		for _, i := range append(first, page.Items...) {
			if e, ok := taskOf(i); ok {
				entries = append(entries, e)
			}
		}
	}
	sort.SliceStable(entries, func(a, b int) bool { return entries[a].Due.Before(entries[b].Due.Time) })
	if len(entries) > 0 {
		oldest = now.Sub(entries[0].Due.Time)
	}
	return entries, oldest, errors.Join(failed...)
}

// Ring rings for entries that were found open, as a new one would: the sweeper's way. An event that can't be read keeps none of the
// others from being rung for.
func (s *Store) Notify(ctx context.Context, entries []Task) error {
	var ring []Task
	var failed []error
	for _, e := range entries {
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
		ring = append(ring, e)
	}
	if s.cfg.Notifier != nil && len(ring) > 0 {
		s.cfg.Notifier.Notify(ctx, ring)
	}
	return errors.Join(failed...)
}
