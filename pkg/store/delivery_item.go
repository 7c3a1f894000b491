package store

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// logFor is the time for which the integration log keeps a closed entry.
const logFor = 90 * 24 * time.Hour

// storedDelivery is one event's delivery to one integration, or the reaction of one scenario to it:
// a log entry and the state of the task. It moves to the integration log when it is closed.
type storedDelivery struct {
	dossier.LogEntry
	Sequence int64          `json:"sequence"`
	Body     jsontext.Value `json:"body,omitzero"` // the same bytes at every attempt
	Cause    event.Cause    `json:"cause"`         // of the event
	// the trace context of its dispatch
	Trace   string       `json:"traceparent,omitzero"`
	Token   int64        `json:"token,omitzero"` // raised by every claim
	FirstAt dossier.Time `json:"firstAt,omitzero"`
	Tries   int          `json:"tries,omitzero"`   // failed attempts so far
	Claimed bool         `json:"claimed,omitzero"` // a worker attempts it, until it is due again
}

// logID returns the id of a log entry: derived from the event and the integration or scenario, so
// that a repeated dispatch makes the same one.
func logID(at candidateRef, target string, n int64) string {
	return dossier.PrefixDelivery + at.id.ULID() + target + digits(n)
}

// parseLogID returns the parts of a log entry's id: candidate, ULID of the integration or scenario,
// and number of the event.
func parseLogID(id string) (cand dossier.CandidateID, target string, sequence int64, ok bool) {
	const ulids = len(dossier.PrefixDelivery) + 2*dossier.ULIDLen
	if len(id) != ulids+len(digits(0)) {
		return "", "", 0, false
	}
	rest, ok := dossier.ParseID(dossier.PrefixDelivery, id[:ulids], 2)
	if !ok {
		return "", "", 0, false
	}
	for _, digit := range id[ulids:] {
		if digit < '0' || digit > '9' {
			return "", "", 0, false
		}
		sequence = sequence*10 + int64(digit-'0')
	}
	return dossier.NewCandidateID(rest[:dossier.ULIDLen]), rest[dossier.ULIDLen:], sequence, true
}

// targetULID returns the ULID of the integration or scenario.
func (d *storedDelivery) targetULID() string {
	if d.IntegrationID != "" {
		return d.IntegrationID[len(dossier.PrefixIntegration):]
	}
	return d.ScenarioID[len(dossier.PrefixScenario):]
}

// deliveryItem makes the item of a delivery, listed in the logs of its company and integration.
func deliveryItem(company string, key kv.Key, rev int64, d storedDelivery) (kv.Item, error) {
	i, err := item(key, rev, d)
	if err != nil {
		return i, err
	}
	i.Fields = map[string]string{"status": d.Status, "event": d.EventName}
	i.List, i.ListSort = listPartition(company, listLog), logSort(d.CreatedAt, d.ID)
	i.Lookup, i.LookupSort = lookupPartition(company, listLog, d.targetULID()),
		logSort(d.CreatedAt, d.ID)
	return i, nil
}

// openDelivery makes the task of a delivery or reaction.
func openDelivery(company string, key kv.Key, rev int64, d storedDelivery,
	due dossier.Time) (kv.Item, error) {
	d.Status, d.NextAttemptAt, d.Claimed = dossier.LogPending, due, false
	i, err := deliveryItem(company, key, rev, d)
	return withDue(i, due), err
}

// claimedDelivery makes the task of a delivery that a worker holds until its lease ends.
func claimedDelivery(company string, read kv.Item, d storedDelivery,
	lease dossier.Time) (kv.Item, error) {
	d.Status, d.NextAttemptAt, d.Claimed = dossier.LogPending, lease, true
	i, err := deliveryItem(company, read.Key, read.Rev, d)
	return withDue(i, lease), err
}

// closedDelivery makes the log entry of a delivery or reaction, whose task read is: a Rev of 0 if
// it never had one. Held ones are kept until replayed. The revisions of the entry, and of the task
// that a replay makes of it, go on from read's: a worker that holds an earlier revision of the task
// can't end a later one.
func closedDelivery(company string, read kv.Item, d storedDelivery, status, reason string,
	now dossier.Time) (kv.Item, error) {
	d.Status, d.Reason, d.NextAttemptAt, d.Claimed = status, reason, dossier.Time{}, false
	d.Trace = ""
	i, err := deliveryItem(company, closedKey(read.Key), read.Rev, d)
	if status != dossier.LogHeld {
		i.Expires = now.Add(logFor).Unix()
	}
	return i, err
}

// closeDelivery moves a delivery or reaction from the tasks to the log.
func (s *Store) closeDelivery(ctx context.Context, company string, read kv.Item, d storedDelivery,
	status, reason string) error {
	return s.closeDeliveries(ctx, company, []kv.Item{read}, []storedDelivery{d}, status, reason)
}

// closeDeliveries moves deliveries from the tasks to the log.
func (s *Store) closeDeliveries(ctx context.Context, company string, read []kv.Item,
	open []storedDelivery, status, reason string) error {
	var writes []kv.Write
	for n, d := range open {
		i, err := closedDelivery(company, read[n], d, status, reason, s.now())
		if err != nil {
			return err
		}
		writes = append(writes, remove(read[n]), create(i))
	}
	// Fails if another worker has claimed or closed one of them.
	return s.commit(ctx, nil, writes...)
}
