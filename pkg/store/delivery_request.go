package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// LoggedDelivery returns a log entry with the delivery that it is of, as it would be sent now. Its
// At is not set. Errors: NOT_FOUND, also where the integration was deleted; INVALID_TRANSITION for
// the reaction of a scenario, which is no request.
func (s *Store) LoggedDelivery(ctx context.Context, company, id string) (dossier.LogEntry,
	dossier.Delivery, error) {
	cand, target, sequence, ok := parseLogID(id)
	if !ok {
		return dossier.LogEntry{}, dossier.Delivery{}, dossier.ErrNotFound
	}
	at := candidateRef{company, cand}
	delivery, reaction := at.deliveryKey(target, sequence), at.reactionKey(target, sequence)
	items, err := s.engine.Get(ctx, false, delivery, closedKey(delivery), reaction,
		closedKey(reaction))
	if err != nil {
		return dossier.LogEntry{}, dossier.Delivery{}, err
	}
	n := slices.IndexFunc(items, func(i kv.Item) bool { return i.Rev != 0 })
	if n < 0 {
		return dossier.LogEntry{}, dossier.Delivery{}, dossier.ErrNotFound
	}
	d, err := decode[storedDelivery](items[n])
	if err != nil {
		return dossier.LogEntry{}, dossier.Delivery{}, err
	}
	if d.IntegrationID == "" {
		return d.LogEntry, dossier.Delivery{}, dossier.Errorf(dossier.CodeTransition,
			"The reaction of a scenario is no request.")
	}
	url, _, secrets, err := s.IntegrationTarget(ctx, company, d.IntegrationID)
	return d.LogEntry, dossier.Delivery{IntegrationID: d.IntegrationID, ID: d.EventID, URL: url,
		Body: d.Body, Secrets: secrets}, err
}

// LogEntryOf returns the id of the log entry of an event's delivery to an integration. ok is false
// for what can't be an event of a candidate.
func LogEntryOf(eventID, integrationID string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(eventID, dossier.PrefixEvent)
	if !ok || len(rest) < dossier.ULIDLen {
		return "", false
	}
	sequence, err := strconv.ParseInt(rest[dossier.ULIDLen:], 10, 64)
	if err != nil || sequence < 0 {
		return "", false
	}
	target, ok := strings.CutPrefix(integrationID, dossier.PrefixIntegration)
	return dossier.PrefixDelivery + rest[:dossier.ULIDLen] + target + digits(sequence), ok
}
