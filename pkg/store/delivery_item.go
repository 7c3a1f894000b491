package store

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// logFor is how long the integration log keeps an entry after it was closed.
const logFor = 90 * 24 * time.Hour

// storedDelivery is one event on its way to one integration, or the reaction of one scenario to it: a log entry with what it takes
// to act. Open, it lies under DLV# or SCN#; closed, under LOG#.
type storedDelivery struct {
	dossier.LogEntry
	Sequence int64          `json:"sequence"`
	Body     jsontext.Value `json:"body,omitzero"`  // the same bytes at every attempt
	Cause    event.Cause    `json:"cause"`          // of the event
	Token    int64          `json:"token,omitzero"` // raised by every claim
	FirstAt  dossier.Time   `json:"firstAt,omitzero"`
	Tries    int            `json:"tries,omitzero"` // failed attempts so far
}

// logID returns the id of a log entry, from which its keys follow.
func logID(cand, target string, n int64) string {
	return fmt.Sprintf("%s%s%s%010d", prefixLog, cand, target, n)
}

// splitLog is the inverse of logID.
func splitLog(id string) (cand, target, sequence string, ok bool) {
	if len(id) != len(prefixLog)+2*ulidLen+10 {
		return "", "", "", false
	}
	rest, ok := bare(prefixLog, id[:len(id)-10], 2)
	if !ok {
		return "", "", "", false
	}
	sequence = id[len(id)-10:]
	for _, digit := range sequence {
		if digit < '0' || digit > '9' {
			return "", "", "", false
		}
	}
	return rest[:ulidLen], rest[ulidLen:], sequence, true
}

// target is the ULID of the integration or scenario.
func (d *storedDelivery) targetULID() string {
	if d.IntegrationID != "" {
		return d.IntegrationID[len(prefixIntegration):]
	}
	return d.ScenarioID[len(prefixScenario):]
}

// deliveryItem makes the item of a delivery at a key, listed in the log of its company and of its integration.
func deliveryItem(company string, key kv.Key, rev int64, d storedDelivery) (kv.Item, error) {
	i, err := item(key, rev, d)
	if err != nil {
		return i, err
	}
	place := d.CreatedAt.String() + "#" + d.ID
	i.Fields = map[string]string{"status": d.Status, "event": d.EventName}
	i.List, i.ListSort = pkOf(company, "LOG"), place
	i.Lookup, i.LookupSort = pkOf(company, "LOG#"+d.targetULID()), place
	return i, nil
}

// openDelivery makes the item of a delivery that is to be sent, or of a reaction that is to happen.
func openDelivery(company string, key kv.Key, rev int64, d storedDelivery, due dossier.Time) (kv.Item, error) {
	d.Status, d.NextAttemptAt = dossier.LogPending, due
	i, err := deliveryItem(company, key, rev, d)
	return withDue(i, due), err
}

// closedDelivery makes the item that the log keeps.
func closedDelivery(company string, open kv.Key, d storedDelivery, status, reason string, now dossier.Time) (kv.Item, error) {
	d.Status, d.Reason, d.NextAttemptAt = status, reason, dossier.Time{}
	i, err := deliveryItem(company, closedKey(open), 0, d)
	if status != dossier.LogHeld {
		i.Expires = now.Add(logFor).Unix()
	}
	return i, err
}

// closeDelivery moves a delivery from the open work to the log, in one transaction with what else follows from it.
func (s *Store) closeDelivery(ctx context.Context, company string, read kv.Item, d storedDelivery, status, reason string, more ...kv.Write) error {
	i, err := closedDelivery(company, read.Key, d, status, reason, s.now())
	if err != nil {
		return err
	}
	// Failed: somebody else has claimed or closed it.
	return s.commit(ctx, nil, append(more, remove(read), put(i))...)
}
