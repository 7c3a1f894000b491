package store

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// Reasons why a log entry was skipped.
const (
	SkippedDepth    = "depthExceeded"      // the chain of events that cause each other is too long
	SkippedDeleted  = "integrationDeleted" // there is nobody to deliver to any more
	SkippedScenario = "scenarioDeleted"    // there is no scenario that reacts any more
	SkippedErased   = "candidateErased"    // there is no candidate to react to any more
)

// Dispatch hands a candidate's events to integrations and scenarios, in their order, from the entry's event on. An event is one
// transaction: it is closed, and there is a delivery or reaction for everyone who hears it. An earlier event that is
// still open comes first.
func (s *Store) Dispatch(ctx context.Context, e Task) error {
	company, candidate, ok := e.Owner()
	if !ok || e.Kind != TaskDispatch {
		return nil
	}
	cand := candidate[len(prefixCandidate):]
	first, read, err := get[event.Event](ctx, s, e.Key())
	if errors.Is(err, dossier.ErrNotFound) {
		return nil
	}
	if err != nil || read.Open == "" {
		return err
	}
	n, err := s.firstOpen(ctx, company, cand, first.Sequence)
	if err != nil {
		return err
	}
	for ; ; n++ {
		var open bool
		err := s.retryOnConflict(ctx, func() (err error) {
			open, err = s.dispatch(ctx, company, cand, n)
			return err
		})
		if err != nil || !open {
			return err
		}
	}
}

// firstOpen goes back from an event to the first one of the candidate that is still open; events are closed in order.
func (s *Store) firstOpen(ctx context.Context, company, cand string, n int64) (int64, error) {
	for n > 1 {
		items, err := s.engine.Get(ctx, false, keyEvent(company, cand, n-1))
		if err != nil {
			return 0, err
		}
		if items[0].Open == "" {
			return n, nil
		}
		n--
	}
	return n, nil
}

// dispatch hands out one event; open is false where there is none, or somebody else has handed it out.
func (s *Store) dispatch(ctx context.Context, company, cand string, n int64) (open bool, err error) {
	e, read, err := get[event.Event](ctx, s, keyEvent(company, cand, n))
	if errors.Is(err, dossier.ErrNotFound) {
		return false, nil
	}
	if err != nil || read.Open == "" {
		return false, err
	}
	page, err := s.engine.Query(ctx, kv.Query{Index: kv.IndexLookup, Partition: partitionListeners(company, e.Type), To: rankActive + "~", Eventual: true})
	if err != nil {
		return false, err
	}
	bodies := bodies{store: s, company: company, event: e, thin: read.Doc}
	closed := read
	closed.Rev, closed.Open, closed.Due = read.Rev+1, "", ""
	writes := []kv.Write{put(closed)}
	for _, i := range page.Items {
		w, err := s.handOut(ctx, company, e, i, &bodies)
		if err != nil {
			return false, err
		}
		writes = append(writes, w)
	}
	if bodies.personal {
		// Not: what is personal is not written any more once the erasure has begun.
		writes = append(writes, kv.Write{Check: &kv.Key{PK: pkCandidate(company, cand), SK: skCandidate}, If: notErased})
	}
	return true, s.commit(ctx, nil, writes...)
}

// handOut makes the delivery of an event to an integration, or the reaction of a scenario. Absent: its id follows from both, so an
// event is handed to each once.
func (s *Store) handOut(ctx context.Context, company string, e event.Event, listener kv.Item, bodies *bodies) (kv.Write, error) {
	now := s.now()
	cand := e.CandidateID[len(prefixCandidate):]
	d := storedDelivery{Sequence: e.Sequence, Cause: e.Cause, LogEntry: dossier.LogEntry{
		EventName: e.Type, EventID: e.ID, CandidateID: e.CandidateID, Attempts: []dossier.Attempt{}, CreatedAt: now}}
	if strings.HasPrefix(listener.LookupSort, rankScenario) {
		d.ScenarioID = prefixScenario + listener.SK
		d.ID = logID(cand, listener.SK, e.Sequence)
		key := keyReaction(company, cand, listener.SK, e.Sequence)
		if e.Cause.Depth >= event.MaxDepth {
			i, err := closedDelivery(company, key, d, dossier.LogSkipped, SkippedDepth, now)
			return put(i), err
		}
		i, err := openDelivery(company, key, 0, d, later(now, s.cfg.Sweep))
		return put(i), err
	}
	integration, err := decode[storedIntegration](listener)
	if err != nil {
		return kv.Write{}, err
	}
	d.IntegrationID = integration.ID
	d.ID = logID(cand, listener.SK, e.Sequence)
	if d.Body, err = bodies.of(ctx, integration.Payload); err != nil {
		return kv.Write{}, err
	}
	key := keyDelivery(company, cand, listener.SK, e.Sequence)
	if integration.State == dossier.IntegrationDisabled {
		i, err := closedDelivery(company, key, d, dossier.LogHeld, "", now)
		return put(i), err
	}
	i, err := openDelivery(company, key, 0, d, now)
	return put(i), err
}

// maxBody is how many bytes a full body has: fifty of them fit the transaction that hands an event out.
const maxBody = 64 << 10

// bodies makes what integrations are sent of one event: thin is the event; full has the candidate, and the candidate document
// type that the event is about, as they are when it is handed out.
type bodies struct {
	store      *Store
	company    string
	event      event.Event
	thin, full []byte // thin is the stored event, byte for byte
	personal   bool   // full has the candidate
}

func (b *bodies) of(ctx context.Context, payload string) (body []byte, err error) {
	if payload != dossier.PayloadFull {
		return b.thin, nil
	}
	if b.full == nil {
		// What is too big to go to every integration in one transaction goes as the event alone.
		if b.full, err = b.makeFull(ctx); len(b.full) > maxBody {
			b.full = b.thin
		}
	}
	return b.full, err
}

// fullBody is the thin body with what the event is about.
type fullBody struct {
	event.Event
	Candidate             *dossier.Candidate             `json:"candidate,omitzero"`
	CandidateDocumentType *dossier.CandidateDocumentType `json:"candidateDocumentType,omitzero"`
}

func (b *bodies) makeFull(ctx context.Context) ([]byte, error) {
	full := fullBody{Event: b.event}
	c, _, err := b.store.Candidate(ctx, b.company, b.event.CandidateID)
	switch {
	case errors.Is(err, dossier.ErrNotFound): // erased meanwhile: the event alone
		return b.thin, nil
	case err != nil:
		return nil, err
	default:
		full.Candidate, b.personal = &c, true
	}
	if data, ok := b.event.Data.(map[string]any); ok && full.Candidate != nil {
		if id, _ := data["candidateDocumentTypeId"].(string); id != "" {
			r, err := b.store.Request(ctx, b.company, id)
			if err != nil && !errors.Is(err, dossier.ErrNotFound) {
				return nil, err
			}
			if err == nil {
				full.CandidateDocumentType = &r
			}
		}
	}
	return json.Marshal(full, json.Deterministic(true))
}
