package store

import (
	"context"
	"errors"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/dossierhq/dossier/pkg/trace"
)

// React carries out a scenario's reaction to an event, once, in one transaction: it requests the
// scenario's document types and sends its notification. The events that follow are one level
// deeper.
func (s *Store) React(ctx context.Context, e Task) error {
	at, ok := e.ref()
	if !ok || e.Kind != TaskScenario {
		return nil
	}
	err := s.retryOnConflict(ctx, func() error { return s.react(ctx, at, e.Key()) })
	if errors.Is(err, dossier.ErrNotFound) {
		return nil
	}
	return err
}

func (s *Store) react(ctx context.Context, at candidateRef, key kv.Key) (err error) {
	d, read, err := get[storedDelivery](ctx, s, key)
	if err != nil {
		return err
	}
	ctx, end := trace.Resume(ctx, s.cfg.Tracer, d.Trace, trace.Work{Name: trace.Scenario,
		CompanyID: at.company, CandidateID: string(at.id), DocumentID: d.Cause.DocumentID,
		EventType: d.EventName})
	defer func() { end(outcome(err)) }()
	scenario, _, err := setting[storedScenario](ctx, s, at.company, kindScenario, d.ScenarioID)
	if errors.Is(err, dossier.ErrNotFound) {
		return s.closeDelivery(ctx, at.company, read, d, dossier.LogSkipped, SkippedScenario)
	}
	if err != nil {
		return err
	}
	now, err := s.readSnapshot(ctx, at)
	if errors.Is(err, dossier.ErrNotFound) {
		return s.closeDelivery(ctx, at.company, read, d, dossier.LogSkipped, SkippedErased)
	}
	if err != nil {
		return err
	}
	chain, err := s.readChain(ctx, at, d.Sequence, d.Cause)
	if err != nil {
		return err
	}
	c := s.newCandidateTx(at, now.stored, now.items[at.candidateKey()], reactionCause(d))
	c.cause.Trace = trace.From(ctx)
	values, err := s.reactionValues(ctx, scenario.Notification, now, d.Sequence)
	if err != nil {
		return err
	}
	effects, err := c.reactAs(scenario, now, values)
	if err != nil {
		return err
	}
	if !chain.spend(effects) {
		return s.closeDelivery(ctx, at.company, read, d, dossier.LogSkipped, SkippedEffects)
	}
	d.Attempts = []dossier.Attempt{{At: c.now}}
	closed, err := closedDelivery(at.company, read, d, dossier.LogDelivered, "", c.now)
	if err != nil {
		return err
	}
	c.add(remove(read))
	c.add(create(closed))
	counted, err := chain.writes(c.now)
	if err != nil {
		return err
	}
	writes, err := c.finish(ctx)
	if err != nil {
		return err
	}
	return s.commit(ctx, nil, append(writes, counted...)...)
}

// reactionCause returns the cause of the events that follow from a reaction.
func reactionCause(d storedDelivery) event.Cause {
	cause := d.Cause
	cause.Depth++
	cause.RootSequence = rootOf(d.Sequence, d.Cause)
	cause.ScenarioIDs = append(slices.Clone(cause.ScenarioIDs), d.ScenarioID)
	return cause
}

// reactAs carries out a scenario and returns the number of its requests and messages. A document
// type that is requested already is left alone. values are those of the notification's
// placeholders.
func (c *candidateTx) reactAs(scenario storedScenario, d *snapshot,
	values map[string]string) (effects int, err error) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(scenario.DocumentTypeIDs))) {
		dt := dossier.DocumentTypeID(id)
		before, requested := d.requests[dt]
		if requested && !dossier.CanGo(before.State, dossier.StateRequested) ||
			!requested && len(c.cand.Requested) >= dossier.MaxRequested {
			continue
		}
		r := newCDT(c.at.id.DocumentType(dt), before, nil, c.now)
		if err := c.putCDT(r, d.items[c.at.cdtKey(dt)]); err != nil {
			return effects, err
		}
		if err := c.emit(requestedEvent(r)); err != nil {
			return effects, err
		}
		effects++
	}
	if scenario.Notification == nil {
		return effects, nil
	}
	sent, ok, err := c.notification(*scenario.Notification, values)
	if err != nil || !ok {
		return effects, err
	}
	return effects + 1, c.emit(sent)
}
