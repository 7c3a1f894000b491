package store

import (
	"context"
	"errors"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/trace"
)

// Reasons of skipped log entries.
const (
	// too many reactions lie between the root event and this one
	SkippedDepth = "depthExceeded"
	// the scenario was handed this event's root event or another of its chain
	SkippedReacted = "reactedAlready"
	// the reactions to the root event have as many effects as they may
	SkippedEffects  = "effectsExceeded"
	SkippedDeleted  = "integrationDeleted" // the integration was deleted
	SkippedScenario = "scenarioDeleted"    // the scenario was deleted
	SkippedErased   = "candidateErased"    // the candidate was erased
)

// Dispatch hands a candidate's events out to integrations and scenarios, in their order, from the
// task's event on; an earlier event that is still open comes first. Each is one transaction: the
// event is closed, and every listener has a delivery or a reaction.
func (s *Store) Dispatch(ctx context.Context, e Task) error {
	at, ok := e.ref()
	if !ok || e.Kind != TaskDispatch {
		return nil
	}
	first, read, err := get[event.Event](ctx, s, e.Key())
	if errors.Is(err, dossier.ErrNotFound) {
		return nil
	}
	if err != nil || read.Open == "" {
		return err
	}
	n, err := s.firstOpen(ctx, at, first.Sequence)
	if err != nil {
		return err
	}
	for ; ; n++ {
		var open bool
		err := s.retryOnConflict(ctx, func() (err error) {
			open, err = s.dispatch(ctx, at, n)
			return err
		})
		if err != nil || !open {
			return err
		}
	}
}

// firstOpen returns the first open event of the candidate at or before n; events close in order.
func (s *Store) firstOpen(ctx context.Context, at candidateRef, n int64) (int64, error) {
	for n > 1 {
		items, err := s.engine.Get(ctx, false, at.eventKey(n-1))
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

// dispatch hands one event out; open is false if there is none, or it is closed.
func (s *Store) dispatch(ctx context.Context, at candidateRef, n int64) (open bool, err error) {
	e, read, err := get[event.Event](ctx, s, at.eventKey(n))
	if errors.Is(err, dossier.ErrNotFound) {
		return false, nil
	}
	if err != nil || read.Open == "" {
		return false, err
	}
	ctx, end := trace.Resume(ctx, s.cfg.Tracer, read.Fields[fieldTrace],
		trace.Work{Name: trace.Dispatch, CompanyID: at.company, CandidateID: string(at.id),
			DocumentID: e.Cause.DocumentID, EventType: e.Type})
	defer func() { end(outcome(err)) }()
	q := dispatchQuery(at.company, e.Type)
	q.Index = kv.IndexLookup
	page, err := s.engine.Query(ctx, q)
	if err != nil {
		return false, err
	}
	d := dispatchTx{store: s, at: at, event: e, now: s.now(),
		bodies: bodies{store: s, company: at.company, event: e, thin: read.Doc}}
	closed := read
	closed.Rev, closed.Open, closed.Due, closed.Fields = read.Rev+1, "", "", nil
	writes := []kv.Write{put(closed)}
	for _, i := range page.Items {
		w, err := d.handOut(ctx, i)
		if err != nil {
			return false, err
		}
		writes = append(writes, w)
	}
	if d.chain != nil {
		w, err := d.chain.writes(d.now)
		if err != nil {
			return false, err
		}
		writes = append(writes, w...)
	}
	if d.bodies.personal {
		// Fails if erasure has begun: personal data must not be written after that.
		candidate := at.candidateKey()
		writes = append(writes, kv.Write{Check: &candidate, If: notErased})
	}
	return true, s.commit(ctx, nil, writes...)
}

// dispatchTx is the transaction that hands one event out.
type dispatchTx struct {
	store  *Store
	at     candidateRef
	event  event.Event
	now    dossier.Time
	bodies bodies
	chain  *chainTx // nil until a scenario listens
}

// handOut makes the delivery to an integration, or the reaction of a scenario. It is new: its id
// derives from the event and the listener.
func (d *dispatchTx) handOut(ctx context.Context, listener kv.Item) (kv.Write, error) {
	e := d.event
	entry := storedDelivery{Sequence: e.Sequence, Cause: e.Cause, Trace: trace.From(ctx),
		LogEntry: dossier.LogEntry{
			ID: logID(d.at, listener.SK, e.Sequence), EventName: e.Type, EventID: e.ID,
			CandidateID: e.CandidateID,
			Attempts:    []dossier.Attempt{}, CreatedAt: d.now}}
	if strings.HasPrefix(listener.LookupSort, rankScenario) {
		return d.reaction(ctx, entry, listener.SK)
	}
	integration, err := decode[storedIntegration](listener)
	if err != nil {
		return kv.Write{}, err
	}
	entry.IntegrationID = integration.ID
	if entry.Body, err = d.bodies.of(ctx, integration.Payload); err != nil {
		return kv.Write{}, err
	}
	key := d.at.deliveryKey(listener.SK, e.Sequence)
	if integration.State == dossier.IntegrationDisabled {
		i, err := closedDelivery(d.at.company, kv.Item{Key: key}, entry, dossier.LogHeld, "", d.now)
		return put(i), err
	}
	i, err := openDelivery(d.at.company, key, 0, entry, d.now)
	return put(i), err
}

// reaction makes the task of a scenario, or the log entry that says why it does not react.
func (d *dispatchTx) reaction(ctx context.Context, entry storedDelivery,
	scenario string) (w kv.Write, err error) {
	if d.chain == nil {
		if d.chain, err = d.store.readChain(ctx, d.at, d.event.Sequence, d.event.Cause); err !=
			nil {
			return w, err
		}
	}
	entry.ScenarioID = dossier.PrefixScenario + scenario
	key := d.at.reactionKey(scenario, d.event.Sequence)
	reason := ""
	switch {
	case d.event.Cause.Depth >= event.MaxDepth:
		reason = SkippedDepth
	case !d.chain.admit(entry.ScenarioID):
		reason = SkippedReacted
	}
	if reason != "" {
		i, err := closedDelivery(d.at.company, kv.Item{Key: key}, entry, dossier.LogSkipped, reason,
			d.now)
		return put(i), err
	}
	i, err := openDelivery(d.at.company, key, 0, entry, later(d.now, d.store.cfg.Sweep))
	return put(i), err
}
