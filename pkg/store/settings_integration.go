package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

func (s *storedIntegration) set(in dossier.IntegrationInput, now dossier.Time) {
	s.Name, s.TriggerEvent, s.Target, s.UpdatedAt = in.Name, in.TriggerEvent, in.Target, now
	s.Payload = valueOr(in.Payload, dossier.PayloadThin)
	s.Ordered = in.Ordered == nil || *in.Ordered
}

func (s *storedIntegration) content() dossier.IntegrationUpdate {
	in := dossier.IntegrationInput{Name: s.Name, TriggerEvent: s.TriggerEvent, Target: s.Target,
		Payload: &s.Payload, Ordered: &s.Ordered}
	return dossier.IntegrationUpdate{IntegrationInput: in, State: s.State}
}

// setState makes an integration active, or disables it by hand. One that is in that state already
// is left as it is.
func (s *storedIntegration) setState(state string) {
	if state == s.State {
		return
	}
	s.State, s.DisabledReason, s.FailingSince = state, "", dossier.Time{}
	if state == dossier.IntegrationDisabled {
		s.DisabledReason = dossier.DisabledByHand
	}
}

// listens reports whether events go to the integration. They also go to one that is disabled
// because its target failed; then they are held. One that was disabled by hand gets none.
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
		return dossier.Errorf(dossier.CodeLimitReached,
			"An event can have at most %d active integrations.", dossier.MaxActiveIntegrations)
	}
	return nil
}

// CreateIntegration creates an integration. secret is its signing secret, which the response shows
// once.
func (s *Store) CreateIntegration(ctx context.Context, company string, in dossier.IntegrationInput,
	secret string) (dossier.Integration, error) {
	answer, err := createSetting(ctx, s, company, kindIntegration,
		func(id string, now dossier.Time,
			others []storedIntegration) (integration storedIntegration,
			answer once[dossier.Integration], err error) {
			integration.ID, integration.State, integration.CreatedAt = id,
				dossier.IntegrationActive, now
			integration.Secrets = []storedSecret{{Secret: secret, Since: now}}
			integration.set(in, now)
			s.sealSecrets(&integration)
			return integration, integration.withSecret(secret), roomToListen(integration, others)
		})
	return answer.shown, err
}

func (s *storedIntegration) withSecret(secret string) once[dossier.Integration] {
	shown := s.shown()
	shown.Secret = secret
	return once[dossier.Integration]{shown, s.shown()}
}

// Integration returns an integration and the revision it has.
func (s *Store) Integration(ctx context.Context,
	company, id string) (dossier.Integration, Rev, error) {
	integration, read, err := setting[storedIntegration](ctx, s, company, kindIntegration, id)
	return integration.shown(), Rev(read.Rev), err
}

// IntegrationTarget returns the address of an integration, its event, and the secrets that sign
// what is sent to it now.
func (s *Store) IntegrationTarget(ctx context.Context,
	company, id string) (url, triggerEvent string, secrets []string, err error) {
	integration, _, err := setting[storedIntegration](ctx, s, company, kindIntegration, id)
	if err != nil {
		return "", "", nil, err
	}
	secrets, err = s.openSecrets(&integration, s.now())
	return integration.Target.URL, integration.TriggerEvent, secrets, err
}

// Integrations returns a page of a company's integrations, of all events or of one.
func (s *Store) Integrations(ctx context.Context, company, triggerEvent, after string,
	limit int) ([]dossier.Integration, string, error) {
	q := kv.Query{Partition: partitionOf(company, kindIntegration.partition), Eventual: true}
	if triggerEvent != "" {
		q = integrationQuery(company, triggerEvent)
		q.Index = kv.IndexLookup
	}
	q.After, q.Limit = after, limit
	page, err := s.engine.Query(ctx, q)
	if err != nil {
		return nil, "", err
	}
	stored, err := decodeAll[storedIntegration](page.Items)
	list := make([]dossier.Integration, len(stored))
	for n, integration := range stored {
		list[n] = integration.shown()
	}
	return list, page.After, err
}

// ChangeIntegration changes an integration. What is under way to one that is disabled is held.
func (s *Store) ChangeIntegration(ctx context.Context, company, id string, want Rev,
	change func(dossier.IntegrationUpdate) (dossier.IntegrationUpdate, error)) (dossier.Integration,
	Rev, error) {
	return updateSetting(ctx, s, company, kindIntegration, id, want,
		func(integration storedIntegration,
			now dossier.Time) (storedIntegration, dossier.Integration, error) {
			in, err := change(integration.content())
			if err != nil {
				return integration, integration.shown(), err
			}
			listened := integration.listens() && in.TriggerEvent == integration.TriggerEvent
			integration.set(in.IntegrationInput, now)
			integration.setState(in.State)
			s.sealSecrets(&integration)
			if integration.listens() && !listened {
				err = s.checkRoom(ctx, company, integration)
			}
			return integration, integration.shown(), err
		})
}

func (s *Store) checkRoom(ctx context.Context, company string,
	integration storedIntegration) error {
	others, err := settings[storedIntegration](ctx, s, company, kindIntegration)
	if err != nil {
		return err
	}
	return roomToListen(integration, others)
}

// RotateSecret gives an integration a new signing secret, which the response shows once. The secret
// that it replaces signs beside it for a day; an older one ends.
func (s *Store) RotateSecret(ctx context.Context,
	company, id, secret string) (dossier.Integration, error) {
	answer, _, err := updateSetting(ctx, s, company, kindIntegration, id, 0,
		func(integration storedIntegration,
			now dossier.Time) (storedIntegration, once[dossier.Integration], error) {
			kept := []storedSecret{{Secret: secret, Since: now}}
			if before := integration.shown().SigningSecrets; len(before) > 0 {
				kept = append(kept, storedSecret{Secret: integration.Secrets[0].Secret,
					Until: later(now, rotationFor), Since: before[0].CreatedAt})
			}
			integration.Secrets, integration.UpdatedAt = kept, now
			s.sealSecrets(&integration)
			return integration, integration.withSecret(secret), nil
		})
	return answer.shown, err
}

// EnableIntegration makes a disabled integration active again. What was held meanwhile stays held
// until it is replayed. INTEGRATION_NOT_DISABLED where there is nothing to enable.
func (s *Store) EnableIntegration(ctx context.Context,
	company, id string) (dossier.Integration, Rev, error) {
	return updateSetting(ctx, s, company, kindIntegration, id, 0,
		func(integration storedIntegration,
			now dossier.Time) (storedIntegration, dossier.Integration, error) {
			if integration.State == dossier.IntegrationActive {
				return integration, integration.shown(),
					dossier.Errorf(dossier.CodeIntegrationActive,
						"The integration is not disabled.")
			}
			listened := integration.listens()
			integration.setState(dossier.IntegrationActive)
			integration.UpdatedAt = now
			if listened {
				return integration, integration.shown(), nil
			}
			return integration, integration.shown(), s.checkRoom(ctx, company, integration)
		})
}

// DeleteIntegration deletes an integration. What is still to be delivered to it is skipped.
func (s *Store) DeleteIntegration(ctx context.Context, company, id string) error {
	return deleteSetting(ctx, s, company, kindIntegration, id, func(storedIntegration) []string {
		return nil
	})
}

// KeepResponse stores the response to an idempotent request that changes nothing in the table but
// must not be done twice.
func (s *Store) KeepResponse(ctx context.Context, answer any) error {
	if i, _ := ctx.Value(idempotencyKey{}).(*idempotentCall); i == nil {
		return nil
	}
	return s.commit(ctx, answer)
}
