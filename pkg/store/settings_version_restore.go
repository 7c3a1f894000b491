package store

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// RestoreSettings gives an entity the content of one of its versions again, as a new version, and
// returns it as its own change does. What it names is checked like that of a change. allow may
// refuse an integration's content, in the place of the present one.
func (s *Store) RestoreSettings(ctx context.Context, company, id string, want Rev, n int64,
	allow func(next, current dossier.IntegrationInput) error) (any, Rev, error) {
	_, k, err := s.versionedSetting(ctx, company, id)
	if err != nil {
		return nil, 0, err
	}
	v, err := s.SettingsVersion(ctx, company, id, n)
	if err != nil {
		return nil, 0, err
	}
	ctx = context.WithValue(ctx, restoring{}, n)
	switch k {
	case kindForm:
		return changed(s.ChangeForm(ctx, company, id, want, contentOf[dossier.FormInput](v)))
	case kindField:
		return changed(s.ChangeField(ctx, company, id, want,
			contentOf[dossier.CustomFieldUpdate](v)))
	case kindPreset:
		return changed(s.ChangePreset(ctx, company, id, want, contentOf[dossier.PresetInput](v)))
	case kindScenario:
		return changed(s.ChangeScenario(ctx, company, id, want,
			contentOf[dossier.ScenarioInput](v)))
	case kindPage:
		return changed(s.ChangeRegistrationPage(ctx, company, id, want,
			contentOf[dossier.RegistrationPageInput](v)))
	case kindIntegration:
		return changed(s.ChangeIntegration(ctx, company, id, want,
			func(in dossier.IntegrationUpdate) (dossier.IntegrationUpdate, error) {
				next, err := contentOf[dossier.IntegrationInput](v)(in.IntegrationInput)
				if err == nil {
					err = allow(next, in.IntegrationInput)
				}
				in.IntegrationInput = next
				return in, err
			}))
	}
	return nil, 0, fmt.Errorf("no version of a %s is restored", k.word)
}

// contentOf returns a change that puts the content of a version in the place of the present one.
func contentOf[C any](v dossier.SettingsVersion) func(C) (C, error) {
	return func(C) (next C, err error) {
		text, err := json.Marshal(v.Content)
		if err != nil {
			return next, fmt.Errorf("the content of a version does not encode: %w", err)
		}
		if err := json.Unmarshal(text, &next); err != nil {
			return next, fmt.Errorf("the content of a version does not decode: %w", err)
		}
		return next, nil
	}
}

// changed returns what a change returned, as the same type for every kind.
func changed[T any](v T, rev Rev, err error) (any, Rev, error) { return v, rev, err }
