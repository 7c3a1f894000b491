package store

import (
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// rotationFor bounds how long the old secret of an integration stays valid beside the new one.
const rotationFor = 24 * time.Hour

// storedIntegration is the integration item.
type storedIntegration struct {
	dossier.Integration
	Secrets      []storedSecret `json:"secrets"`               // the newest first
	FailingSince dossier.Time   `json:"failingSince,omitzero"` // the first of nothing but failures
}

// storedSecret is a signing secret; one that was replaced ends.
type storedSecret struct {
	Secret string       `json:"secret"`
	Until  dossier.Time `json:"until,omitzero"`
	Since  dossier.Time `json:"since,omitzero"` // earlier versions stored none
}

// shown returns the integration with when its secrets were made and end. Of a secret that an
// earlier version made it follows from the secret that it replaced, or from the integration.
func (s *storedIntegration) shown() dossier.Integration {
	shown := s.Integration
	shown.SigningSecrets = make([]dossier.SigningSecret, len(s.Secrets))
	for n, secret := range s.Secrets {
		since := secret.Since
		switch {
		case !since.IsZero() || n > 0:
		case len(s.Secrets) == 1:
			since = s.CreatedAt
		default:
			since = later(s.Secrets[1].Until, -rotationFor)
		}
		shown.SigningSecrets[n] = dossier.SigningSecret{CreatedAt: since, EndsAt: secret.Until}
	}
	return shown
}

// secrets returns the secrets that sign now, the newest first: two during a rotation.
func (s *storedIntegration) secrets(now dossier.Time) []string {
	var valid []string
	for _, secret := range s.Secrets {
		if secret.Until.IsZero() || now.Before(secret.Until.Time) {
			valid = append(valid, secret.Secret)
		}
	}
	return valid
}

// integrationItem makes the integration's item. It is in the index of its event unless it was
// disabled by hand: events for one that fails are held.
func integrationItem(company string, rev int64, s storedIntegration) (kv.Item, error) {
	key, _ := settingKey(company, kindIntegration, s.ID)
	i, err := item(key, rev, s)
	i.Lookup, i.LookupSort = listenerPartition(company, s.TriggerEvent), rankActive+key.SK
	if !s.listens() {
		i.LookupSort = rankMuted + key.SK
	}
	i.Fields = map[string]string{"state": s.State, "event": s.TriggerEvent}
	return i, err
}
