package store

import (
	"context"
	"errors"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// React carries out the reaction of a scenario to an event, once, in one transaction: it asks for the scenario's document types and
// sends its notification. What follows from it is one level deeper.
func (s *Store) React(ctx context.Context, e Task) error {
	company, candidate, ok := e.Owner()
	if !ok || e.Kind != TaskScenario {
		return nil
	}
	err := s.retryOnConflict(ctx, func() error { return s.react(ctx, company, candidate[len(prefixCandidate):], e.Key()) })
	if errors.Is(err, dossier.ErrNotFound) {
		return nil
	}
	return err
}

func (s *Store) react(ctx context.Context, company, cand string, key kv.Key) error {
	d, read, err := get[storedDelivery](ctx, s, key)
	if err != nil {
		return err
	}
	scenario, _, err := setting[storedScenario](ctx, s, company, kindScenario, d.ScenarioID)
	if errors.Is(err, dossier.ErrNotFound) {
		return s.closeDelivery(ctx, company, read, d, dossier.LogSkipped, SkippedScenario)
	}
	if err != nil {
		return err
	}
	dossierNow, err := s.readSnapshot(ctx, company, cand)
	if errors.Is(err, dossier.ErrNotFound) {
		return s.closeDelivery(ctx, company, read, d, dossier.LogSkipped, SkippedErased)
	}
	if err != nil {
		return err
	}
	c := s.newCandidateTx(company, dossierNow.stored, dossierNow.items[keyCandidate(company, cand)], event.Cause{
		DocumentID: d.Cause.DocumentID, RuleRunID: d.Cause.RuleRunID, CorrelationID: d.Cause.CorrelationID, Depth: d.Cause.Depth + 1})
	if err := c.reactAs(scenario, dossierNow); err != nil {
		return err
	}
	d.Attempts = []dossier.Attempt{{At: c.now}}
	closed, err := closedDelivery(company, key, d, dossier.LogDelivered, "", c.now)
	if err != nil {
		return err
	}
	c.add(remove(read))
	c.add(put(closed))
	writes, err := c.finish()
	if err != nil {
		return err
	}
	return s.commit(ctx, nil, writes...)
}

// reactAs does what a scenario says. A document type that is asked for already is left alone.
func (c *candidateTx) reactAs(s storedScenario, d *snapshot) error {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(s.DocumentTypeIDs))) {
		before, asked := d.request(id)
		if asked && before.State != dossier.StateRemoved || !asked && len(c.cand.Requested) >= dossier.MaxRequested {
			continue
		}
		r := newCDT(c.ulid(), id, before, nil, c.now)
		if err := c.putRequest(r, d.items[keyRequest(c.company, c.ulid(), id[len(prefixType):])]); err != nil {
			return err
		}
		if err := c.emit(requestedEvent(r)); err != nil {
			return err
		}
	}
	if s.Notification == nil {
		return nil
	}
	m, err := c.message(*s.Notification)
	if err != nil {
		return err
	}
	return c.emit(event.NewMessageSent(event.MessageSent{MessageID: m.ID, AuthorType: dossier.AuthorSystem}))
}
