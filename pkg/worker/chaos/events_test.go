package chaos

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// judgeEvent checks that events follow each other, never change, and are handed out in their order.
func (c *commit) judgeEvent(p *person, w kv.Write, old kv.Item) {
	if w.Put == nil {
		c.wrong("events", "%s is deleted", w.Key().SK)
		return
	}
	e := decoded[event.Event](*w.Put)
	if old.Rev == 0 {
		if e.Sequence > p.candidate.EventSeq || e.ID != event.ID(e.CandidateID, e.Sequence) ||
			w.Put.Open == "" {
			c.wrong("events", "%s has the sequence %d of %d", e.ID, e.Sequence,
				p.candidate.EventSeq)
		}
		if e.Type == event.CandidateDocumentValidated && len(c.runs) != 1 {
			c.wrong("rules", "%s tells of a validation without a rule run", e.ID)
		}
		return
	}
	if before := decoded[event.Event](old); !bytes.Equal(old.Doc, w.Put.Doc) {
		before.Cause.CorrelationID = "" // an erasure takes it out: clients choose it
		if !p.candidate.Erased || !reflect.DeepEqual(before, e) {
			c.wrong("events", "%s changes", e.ID)
		}
	}
	if c.closed != nil {
		if e.Sequence != p.closed+1 {
			c.wrong("dispatch", "%s is handed out after number %d", e.ID, p.closed)
		}
		p.closed = e.Sequence
	}
}

// judgeDelivery checks what is to be sent: made with its event, claimed in order, moved to the log
// as it was.
func (c *commit) judgeDelivery(p *person, kind, rest string, w kv.Write, old kv.Item) {
	target, number, _ := strings.Cut(rest, "#")
	sequence, _ := strconv.ParseInt(number, 10, 64)
	place := w.Key().PK + " " + rest
	if w.Delete != nil {
		if kind != "LOG" {
			delete(p.open[target], sequence)
		}
		return
	}
	d := decoded[storedDelivery](*w.Put)
	switch {
	case old.Rev != 0:
		before := decoded[storedDelivery](old)
		if !bytes.Equal(before.Body, d.Body) && !p.candidate.Erased {
			c.wrong("other bytes", "%s changes its body", place)
		}
		if kind == "DLV" && d.Token > before.Token {
			c.judgeClaim(p, w.Put.PK, target, sequence)
		}
	case c.closed != nil && c.closed.Sequence == sequence:
		c.handed[target] = true
		if p.candidate.Erased && strings.Contains(string(d.Body), canary) {
			c.wrong("erased", "%s is handed out with what is personal", place)
		}
		c.due[place] = true
		if kind == "LOG" {
			p.special[target] = true
		}
	case kind == "LOG":
		c.judgeMoved(place, c.openGone, d)
		if d.Status != dossier.LogDelivered {
			p.special[target] = true
		}
	default:
		c.judgeMoved(place, c.logsGone, d)
		p.special[target] = true
	}
	if kind != "LOG" && old.Rev == 0 {
		if p.open[target] == nil {
			p.open[target] = map[int64]int{}
		}
		p.open[target][sequence] = c.w.commits
	}
}

// predecessor returns the stored item under this key, or the one that the commit moves here: a
// delivery goes to the log, and back.
func (c *commit) predecessor(key kv.Key, old kv.Item) kv.Item {
	kind, rest, _ := strings.Cut(key.SK, "#")
	switch {
	case old.Rev != 0:
		return old
	case kind == "LOG":
		return c.openGone[key.PK+" "+rest]
	case kind == "DLV" || kind == "SCN":
		return c.logsGone[key.PK+" "+rest]
	}
	return old
}

// judgeMoved checks that a delivery which appears is one that disappears, claimed by nobody else.
func (c *commit) judgeMoved(place string, from map[string]kv.Item, d storedDelivery) {
	old, ok := from[place]
	if !ok || old.Rev == 0 {
		c.wrong("delivery", "%s comes out of nothing", place)
		return
	}
	before := decoded[storedDelivery](old)
	if !bytes.Equal(before.Body, d.Body) || before.EventID != d.EventID {
		c.wrong("other bytes", "%s is not what was to be sent", place)
	}
	if before.Token != d.Token {
		c.wrong("stale", "%s is ended under the token %d, and has %d", place, d.Token, before.Token)
	}
}

// judgeClaim checks that nothing before it is still to be sent, but what the same commit claims.
// What was opened again after the worker looked is another matter.
func (c *commit) judgeClaim(p *person, pk, target string, sequence int64) {
	if c.by == nil || !c.ordered(pk, target) {
		return
	}
	place := pk + " " + target
	for lower, opened := range p.open[target] {
		if lower < sequence && opened <= c.by.looked[place] &&
			!slices.Contains(c.claimed, fmt.Sprint(place, lower)) {
			c.wrong("order", "%s is sent number %d of %s before number %d", target, sequence, pk,
				lower)
		}
	}
	c.claimed = append(c.claimed, fmt.Sprint(place, sequence))
}

func (u *truth) ordered(pk, target string) bool {
	company, _, _ := strings.Cut(pk, "#")
	i, ok := u.items[kv.Key{PK: company + "#INT", SK: target}]
	return ok && decoded[storedIntegration](i).Ordered
}

// handOut checks that an event went to everyone who listened when the dispatcher asked, and to
// nobody else.
func (c *commit) handOut() {
	if c.closed == nil || c.by == nil {
		return
	}
	if want := c.by.heard[c.closed.Type]; !maps.Equal(want, c.handed) {
		c.wrong("dispatch", "%s went to %v, and %v listened", c.closed.ID,
			slices.Sorted(maps.Keys(c.handed)), slices.Sorted(maps.Keys(want)))
	}
}

// received notes the first time that an integration takes an event. The rules' result is there to
// be read by then.
func (u *truth) received(d dossier.Delivery) {
	e := sent(d.Body)
	if e.Type == event.CandidateDocumentValidated &&
		u.people[partition(e)].runs[e.Cause.DocumentID] == 0 {
		u.wrong("rules", "%s is received before the rules have run", e.ID)
	}
	pair := d.IntegrationID + " " + e.CandidateID
	u.w.receiver.accepted[pair] = append(u.w.receiver.accepted[pair], e.Sequence)
}

// sent is the event in what was sent.
func sent(body []byte) (e event.Event) {
	if err := json.Unmarshal(body, &e); err != nil {
		panic(err)
	}
	return e
}

func partition(e event.Event) string {
	return e.CompanyID[len("com_"):] + "#CAND#" + e.CandidateID[len("cnd_"):]
}

// erased reports whether what was sent is about somebody who was erased: then what is personal is
// not sent again.
func (u *truth) erased(body []byte) bool { return u.people[partition(sent(body))].candidate.Erased }

// quiet checks what must be true once no work is open.
func (u *truth) quiet() {
	for key, i := range u.items {
		if i.Open != "" {
			u.wrong("open", "%s %s is still open", key.PK, key.SK)
		}
	}
	for pk, p := range u.people {
		if p.candidate.ID == "" {
			continue
		}
		u.arrived(pk, p)
		if p.candidate.Erased {
			u.forgotten(pk)
			continue
		}
		if p.closed != p.candidate.EventSeq {
			u.wrong("events", "%s: %d of %d events were handed out", p.candidate.ID, p.closed,
				p.candidate.EventSeq)
		}
		if !maps.Equal(p.jobs, p.runs) || p.candidate.Applied != p.candidate.JobSeq {
			u.wrong("rules", "%s: validated %v, rules ran for %v", p.candidate.ID, p.jobs, p.runs)
		}
		for n := int64(1); n <= p.candidate.EventSeq; n++ {
			if u.items[kv.Key{PK: pk, SK: fmt.Sprintf("EVT#%010d", n)}].Rev == 0 {
				u.wrong("events", "%s has no number %d", p.candidate.ID, n)
			}
		}
	}
}

// arrived checks that everything that was handed out came to its end, and what ended well was
// received, in order.
func (u *truth) arrived(pk string, p *person) {
	for place := range u.due {
		partition, rest, _ := strings.Cut(place, " ")
		if partition != pk {
			continue
		}
		i, ok := u.items[kv.Key{PK: pk, SK: "LOG#" + rest}]
		if !ok {
			u.wrong("delivery", "%s is lost", place)
			continue
		}
		d := decoded[dossier.LogEntry](i)
		if d.IntegrationID == "" || d.Status != dossier.LogDelivered {
			continue
		}
		if g := u.w.receiver.got[d.IntegrationID+" "+d.EventID]; g == nil || !g.taken {
			u.wrong("delivery", "%s is said to be delivered, and was not received", place)
		}
	}
	for pair, sequences := range u.w.receiver.accepted {
		integration, candidate, _ := strings.Cut(pair, " ")
		target := strings.TrimPrefix(integration, "int_")
		if candidate == p.candidate.ID && !p.special[target] && u.ordered(pk, target) &&
			!slices.IsSorted(sequences) {
			u.wrong("order", "%s took %v of %s", integration, sequences, candidate)
		}
	}
}

// forgotten checks that nothing personal of an erased candidate is left.
func (u *truth) forgotten(pk string) {
	for key, i := range u.items {
		if (key.PK == pk || key.PK == pk+"#MSG" ||
			strings.Contains(key.PK, "#IDEM#") &&
				strings.HasSuffix(i.Lookup, pk[strings.LastIndex(pk, "#"):])) &&
			strings.Contains(strings.ToLower(string(i.Doc)+i.ListSort+i.LookupSort),
				strings.ToLower(canary)) {
			u.wrong("erased", "%s %s still has what is personal: %s", key.PK, key.SK, i.Doc)
		}
	}
	for name := range u.w.blobs.kept {
		if strings.Contains(name, u.people[pk].candidate.ID) {
			u.wrong("erased", "bytes are left: %s", name)
		}
	}
}

// heard holds the integrations and scenarios that had to receive an event at its dispatch.
type heard map[string]bool
