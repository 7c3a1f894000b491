package table

import (
	"context"
	"errors"
	"sort"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// The kinds of open work.
const (
	WorkCheck    = "check"    // a document waits for its check
	WorkRules    = "rules"    // a document was validated: write back, run the rules, recalculate the status
	WorkDispatch = "dispatch" // an event is to be handed to integrations and scenarios
	WorkScenario = "scenario" // a scenario reacts to an event
	WorkDeliver  = "deliver"  // an event is to be sent to an integration
	WorkExpire   = "expire"   // a validated document reaches its date
	WorkErase    = "erase"    // a candidate is being erased
)

// Entry is one open piece of work: a stored item that is not closed. It holds ids only, except for the event that is published
// with a ring for WorkDispatch.
type Entry struct {
	Kind  string       `json:"kind"` // one of the Work constants
	PK    string       `json:"pk"`
	SK    string       `json:"sk"`
	Due   dossier.Time `json:"due"`
	Event *event.Event `json:"-"` // WorkDispatch, when it rings
}

// Doorbell tells the consumers that there is work. A ring may be lost, doubled, late or out of order; nothing depends on it but speed.
type Doorbell interface {
	Ring(ctx context.Context, entries []Entry)
}

// workOf names the kind of work an open item with this sort key is.
var workOf = []struct{ prefix, kind string }{
	{skCandidate, WorkErase},
	{"B#CDT#", WorkExpire},
	{"C#JOB#", WorkRules},
	{"CHK#", WorkCheck},
	{"EVT#", WorkDispatch},
	{"DLV#", WorkDeliver},
	{"SCN#", WorkScenario},
}

// Key returns the key of the entry's item.
func (e Entry) Key() Key { return Key{e.PK, e.SK} }

// Owner returns the ids of the company and the candidate whose work it is; ok is false for what is no entry.
func (e Entry) Owner() (company, candidate string, ok bool) { return companyAndCandidate(e.PK) }

// Target returns the ULID of the integration or scenario whose work a WorkDeliver or WorkScenario is, "" for other work.
func (e Entry) Target() string {
	if e.Kind != WorkDeliver && e.Kind != WorkScenario {
		return ""
	}
	_, rest, _ := strings.Cut(e.SK, "#")
	target, _, _ := strings.Cut(rest, "#")
	return target
}

// EventEntry returns the entry of an event, as one who hears it on a bus knows it.
func EventEntry(e event.Event) (Entry, bool) {
	cand, ok := bare(prefixCandidate, e.CandidateID, 1)
	if _, good := bare(prefixCompany, e.CompanyID, 1); !ok || !good {
		return Entry{}, false
	}
	key := keyEvent(e.CompanyID, cand, e.Sequence)
	return Entry{Kind: WorkDispatch, PK: key.PK, SK: key.SK}, true
}

func entryOf(i Item) (Entry, bool) {
	for _, w := range workOf {
		if strings.HasPrefix(i.SK, w.prefix) {
			due, err := time.Parse(time.RFC3339Nano, i.Due)
			return Entry{Kind: w.kind, PK: i.PK, SK: i.SK, Due: dossier.At(due)}, err == nil
		}
	}
	return Entry{}, false
}

// ring rings for what the writes opened. An entry rings when it is new; after that the sweeper does, when it is due.
func (t *Table) ring(ctx context.Context, writes []Write) {
	if t.cfg.Doorbell == nil {
		return
	}
	var open []Entry
	for _, w := range writes {
		if w.Put == nil || w.Put.Open == "" || w.Put.Rev != 1 {
			continue
		}
		e, ok := entryOf(*w.Put)
		if !ok || e.Kind == WorkExpire || e.Kind == WorkErase {
			continue
		}
		if e.Kind == WorkDispatch {
			if happened, err := decode[event.Event](*w.Put); err == nil {
				e.Event = &happened
			}
		}
		open = append(open, e)
	}
	if len(open) > 0 {
		t.cfg.Doorbell.Ring(ctx, open)
	}
}

// Places is where an earlier sweep ended in each shard of the open work, "" at its beginning.
type Places [openShards]string

// Due returns what is open and due, at most limit entries from each shard, and how long the oldest has been due. It goes on where
// the places say and moves them, round and round: much that waits for one slow endpoint keeps nothing behind it from being
// rung for. With an error comes what the shards had that could be read.
func (t *Table) Due(ctx context.Context, limit int, places *Places) (entries []Entry, oldest time.Duration, err error) {
	now := t.now()
	var failed []error
	for n := range openShards {
		q := Query{Index: IndexOpen, Partition: shardName(n), To: dueAt(now), Limit: limit, Eventual: true}
		var first []Item
		if places[n] != "" {
			q.Limit = 1
			page, err := t.engine.Query(ctx, q)
			failed, first = append(failed, err), page.Items
			q.After, q.Limit = places[n], limit
		}
		page, err := t.engine.Query(ctx, q)
		if failed = append(failed, err); err == nil {
			places[n] = page.After
		}
		for _, i := range append(first, page.Items...) {
			if e, ok := entryOf(i); ok {
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
func (t *Table) Ring(ctx context.Context, entries []Entry) error {
	var ring []Entry
	var failed []error
	for _, e := range entries {
		if e.Kind == WorkDispatch {
			happened, _, err := get[event.Event](ctx, t, e.Key())
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
	if t.cfg.Doorbell != nil && len(ring) > 0 {
		t.cfg.Doorbell.Ring(ctx, ring)
	}
	return errors.Join(failed...)
}
