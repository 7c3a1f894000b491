package figures

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/store"
	"github.com/dossierhq/dossier/pkg/webhook"
	"github.com/dossierhq/dossier/pkg/worker"
)

// hot is a partition of the table or of an index.
type hot struct{ index, partition string }

// load holds the units that a partition takes.
type load struct{ write, read float64 }

type heat map[hot]load

// warm adds to the load of a partition.
func (m *meter) warm(index, partition string, l load) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.heat == nil {
		return
	}
	at := hot{index, partition}
	m.heat[at] = load{m.heat[at].write + l.write, m.heat[at].read + l.read}
}

// warmIndexes adds what a write of an item costs in the partitions of indexes, as indexUnits counts
// it: an item that moves is deleted in one and written in the other.
func (m *meter) warmIndexes(before, after kv.Item) {
	for index := range indexes {
		from, to := placeIn(before, index), placeIn(after, index)
		was, is := sizeIn(before, index), sizeIn(after, index)
		switch stays := from == to; {
		case was == 0 && is == 0, stays && keysOnly(index):
		case stays:
			m.warm(index, to[0], load{write: float64(writeUnits(max(was, is)))})
		default:
			if was > 0 {
				m.warm(index, from[0], load{write: float64(writeUnits(was))})
			}
			if is > 0 {
				m.warm(index, to[0], load{write: float64(writeUnits(is))})
			}
		}
	}
}

// accepting is a receiver of webhooks that accepts everything.
type accepting struct{}

// Send implements worker.Sender.
func (accepting) Send(context.Context, dossier.Delivery) dossier.Outcome {
	return dossier.Outcome{Result: dossier.Delivered}
}

// notifications counts the requests that tell the workers: to EventBridge, and to SQS.
type notifications struct{ buses, queues int }

// document works a document through: uploaded, checked, its rules applied, its events handed out,
// and what follows delivered to one integration. It returns what each partition takes, and the
// invocations of functions and notifications that it needs.
func (h *meteredStore) document(request string) (heat, map[string]int, notifications) {
	h.meter.heat, h.told = heat{}, nil
	defer func() { h.meter.heat = nil }()
	h.upload(request)()
	deliver := &worker.Deliver{Store: h.store, Sender: accepting{}, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), NextDelay: webhook.NextDelay,
		DisableAfter: webhook.DisableAfter}
	invoked, sent := map[string]int{"upload": 1}, notifications{}
	for n := 0; n < len(h.told); n++ {
		for _, t := range h.told[n] {
			invoked[t.Kind]++
			switch t.Kind {
			case store.TaskCheck:
				h.check(dossier.StateValidated)
			case store.TaskRules:
				h.must((&worker.Rules{Store: h.store}).Work(h.Context(), t))
			case store.TaskDispatch:
				h.must(h.store.Dispatch(h.Context(), t))
			case store.TaskDeliver:
				h.must(deliver.Work(h.Context(), t))
			}
		}
		bus := slices.ContainsFunc(h.told[n], func(t store.Task) bool {
			return t.Kind != store.TaskDeliver
		})
		queue := slices.ContainsFunc(h.told[n], func(t store.Task) bool {
			return t.Kind == store.TaskDeliver
		})
		if bus {
			sent.buses++
		}
		if queue {
			sent.queues++
		}
	}
	return h.meter.heat, invoked, sent
}

func (h *meteredStore) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// hotKey is a kind of partition key that DynamoDB cannot split, with what one document takes of it.
// Keys of candidates and settings are left out: a candidate's has few documents, and what reads
// settings is counted in reads.
type hotKey struct {
	name   string // with * for ids
	shared bool   // by all companies
	load
}

// document is the cost of one document: of the keys that can get hot, in all, in each index.
type documentCost struct {
	keys    []hotKey
	total   load            // of the table
	indexes map[string]load // of each index
	invoked map[string]int
	sent    notifications
}

// costOfDocument measures a document in a company with one integration that hears of it.
func costOfDocument(tb testing.TB) documentCost {
	h := onBolt(tb)
	h.make("/integrations",
		`{"name":"HR","triggerEvent":"candidateDocumentValidated","target":{"type":"webhook","url":"https://hr.example.com/hook"}}`)
	dt := h.documentType("Driving licence", "")
	candidate, request := h.candidate(dt)
	measured, invoked, sent := h.document(request)
	c := documentCost{indexes: map[string]load{}, invoked: invoked, sent: sent}
	kinds := map[string]*hotKey{}
	for at, l := range measured {
		sum := c.indexes[at.index]
		c.indexes[at.index] = load{sum.write + l.write, sum.read + l.read}
		partition := strings.NewReplacer(h.company[4:], "*", candidate[4:], "*", dt[4:], "*").
			Replace(at.partition)
		shared := strings.HasPrefix(partition, "OPEN#")
		if shared {
			partition = "OPEN"
		}
		if strings.HasPrefix(partition, "*#CAND#*") {
			continue
		}
		name := cmp.Or(at.index, "table") + " " + anyULID.ReplaceAllString(partition, "*")
		if kinds[name] == nil {
			kinds[name] = &hotKey{name: name, shared: shared}
		}
		k := kinds[name]
		k.load = load{k.write + l.write, k.read + l.read}
	}
	c.total = c.indexes[kv.Main]
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		c.keys = append(c.keys, *kinds[name])
	}
	return c
}
