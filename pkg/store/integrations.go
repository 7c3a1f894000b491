package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

func (s *storedIntegration) set(in dossier.IntegrationInput, now dossier.Time) {
	s.Name, s.TriggerEvent, s.Target, s.UpdatedAt = in.Name, in.TriggerEvent, in.Target, now
	s.Payload = or(in.Payload, dossier.PayloadThin)
	s.Ordered = in.Ordered == nil || *in.Ordered
}

func (s *storedIntegration) content() dossier.IntegrationUpdate {
	in := dossier.IntegrationInput{Name: s.Name, TriggerEvent: s.TriggerEvent, Target: s.Target, Payload: &s.Payload, Ordered: &s.Ordered}
	return dossier.IntegrationUpdate{IntegrationInput: in, State: s.State}
}

// turn makes an integration active, or disables it by hand. One that is as asked for stays as it is.
func (s *storedIntegration) turn(state string) {
	if state == s.State {
		return
	}
	s.State, s.DisabledReason, s.FailingSince = state, "", dossier.Time{}
	if state == dossier.IntegrationDisabled {
		s.DisabledReason = dossier.DisabledByHand
	}
}

// listens reports whether events are handed to the integration: also while it is disabled because its target failed, then they are
// held. One that was disabled by hand hears of none.
func (s *storedIntegration) listens() bool {
	return s.State == dossier.IntegrationActive || s.DisabledReason != dossier.DisabledByHand
}

// roomToListen refuses one integration too many for an event name.
func roomToListen(s storedIntegration, others []storedIntegration) error {
	n := 0
	for _, o := range others {
		if o.ID != s.ID && o.TriggerEvent == s.TriggerEvent && o.listens() {
			n++
		}
	}
	if n >= dossier.MaxActiveIntegrations {
		return dossier.Errorf(dossier.CodeLimitReached, "An event has at most %d active integrations.", dossier.MaxActiveIntegrations)
	}
	return nil
}

// CreateIntegration makes an integration. secret is the signing secret it gets; the answer shows it, once.
func (t *Store) CreateIntegration(ctx context.Context, company string, in dossier.IntegrationInput, secret string) (dossier.Integration, error) {
	answer, err := createSetting(ctx, t, company, kindIntegration,
		func(id string, now dossier.Time, others []storedIntegration) (s storedIntegration, answer once[dossier.Integration], err error) {
			s.ID, s.State, s.CreatedAt = id, dossier.IntegrationActive, now
			s.Secrets = []storedSecret{{Secret: secret}}
			s.set(in, now)
			return s, s.withSecret(secret), roomToListen(s, others)
		})
	return answer.shown, err
}

func (s *storedIntegration) withSecret(secret string) once[dossier.Integration] {
	shown := s.Integration
	shown.Secret = secret
	return once[dossier.Integration]{shown, s.Integration}
}

// Integration returns an integration and the revision it has.
func (t *Store) Integration(ctx context.Context, company, id string) (dossier.Integration, Rev, error) {
	s, read, err := setting[storedIntegration](ctx, t, company, kindIntegration, id)
	return s.Integration, Rev(read.Rev), err
}

// IntegrationTarget returns the address of an integration, its event, and the secrets that sign what is sent to it now.
func (t *Store) IntegrationTarget(ctx context.Context, company, id string) (url, triggerEvent string, secrets []string, err error) {
	s, _, err := setting[storedIntegration](ctx, t, company, kindIntegration, id)
	return s.Target.URL, s.TriggerEvent, s.secrets(t.now()), err
}

// Integrations returns a page of a company's integrations, of all events or of one.
func (t *Store) Integrations(ctx context.Context, company, triggerEvent, after string, limit int) ([]dossier.Integration, string, error) {
	q := kv.Query{Partition: pkOf(company, kindIntegration.partition), After: after, Limit: limit, Eventual: true}
	if triggerEvent != "" {
		q.Index, q.Partition, q.From, q.To = kv.IndexLookup, lookEvent(company, triggerEvent), rankHears, rankDeaf+"~"
	}
	page, err := t.engine.Query(ctx, q)
	if err != nil {
		return nil, "", err
	}
	stored, err := decodeAll[storedIntegration](page.Items)
	list := make([]dossier.Integration, len(stored))
	for n, s := range stored {
		list[n] = s.Integration
	}
	return list, page.After, err
}

// ChangeIntegration changes an integration. What is under way to one that is disabled is held.
func (t *Store) ChangeIntegration(ctx context.Context, company, id string, want Rev,
	change func(dossier.IntegrationUpdate) (dossier.IntegrationUpdate, error)) (dossier.Integration, Rev, error) {
	return updateSetting(ctx, t, company, kindIntegration, id, want,
		func(s storedIntegration, now dossier.Time) (storedIntegration, dossier.Integration, error) {
			in, err := change(s.content())
			if err != nil {
				return s, s.Integration, err
			}
			listened := s.listens() && in.TriggerEvent == s.TriggerEvent
			s.set(in.IntegrationInput, now)
			s.turn(in.State)
			if s.listens() && !listened {
				err = t.checkRoom(ctx, company, s)
			}
			return s, s.Integration, err
		})
}

func (t *Store) checkRoom(ctx context.Context, company string, s storedIntegration) error {
	others, err := settings[storedIntegration](ctx, t, company, kindIntegration)
	if err != nil {
		return err
	}
	return roomToListen(s, others)
}

// RotateSecret gives an integration a new signing secret, which the answer shows, once. The one it replaces signs beside it for
// a day; an older one ends.
func (t *Store) RotateSecret(ctx context.Context, company, id, secret string) (dossier.Integration, error) {
	answer, _, err := updateSetting(ctx, t, company, kindIntegration, id, 0,
		func(s storedIntegration, now dossier.Time) (storedIntegration, once[dossier.Integration], error) {
			kept := []storedSecret{{Secret: secret}}
			if len(s.Secrets) > 0 {
				kept = append(kept, storedSecret{s.Secrets[0].Secret, later(now, rotationFor)})
			}
			s.Secrets, s.UpdatedAt = kept, now
			return s, s.withSecret(secret), nil
		})
	return answer.shown, err
}

// EnableIntegration makes a disabled integration active again. What was held meanwhile stays held until it is replayed.
// INTEGRATION_NOT_DISABLED where there is nothing to enable.
func (t *Store) EnableIntegration(ctx context.Context, company, id string) (dossier.Integration, Rev, error) {
	return updateSetting(ctx, t, company, kindIntegration, id, 0,
		func(s storedIntegration, now dossier.Time) (storedIntegration, dossier.Integration, error) {
			if s.State == dossier.IntegrationActive {
				return s, s.Integration, dossier.Errorf(dossier.CodeIntegrationActive, "The integration is active.")
			}
			listened := s.listens()
			s.turn(dossier.IntegrationActive)
			s.UpdatedAt = now
			if listened {
				return s, s.Integration, nil
			}
			return s, s.Integration, t.checkRoom(ctx, company, s)
		})
}

// DeleteIntegration deletes an integration. What is still to be delivered to it is skipped.
func (t *Store) DeleteIntegration(ctx context.Context, company, id string) error {
	return deleteSetting(ctx, t, company, kindIntegration, id, func(storedIntegration) []string { return nil })
}

// KeepAnswer keeps the answer to an idempotent request that changes nothing in the table but must not be done twice.
func (t *Store) KeepAnswer(ctx context.Context, answer any) error {
	if i, _ := ctx.Value(idempotencyKey{}).(*pending); i == nil {
		return nil
	}
	return t.commit(ctx, answer)
}
