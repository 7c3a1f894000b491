package store

import (
	"context"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// storedProvider is the item of a sign-in provider, with its client secret sealed.
type storedProvider struct {
	dossier.SignInProvider
	ClientSecret string `json:"clientSecret,omitzero"`
}

// set changes the provider to an input. A client secret is sent to the issuer, so a new issuer gets
// only one that is given with it: without this, whoever changes the issuer would read it.
func (s *Store) setProvider(p *storedProvider, in dossier.SignInProviderInput,
	now dossier.Time) error {
	if in.ClientSecret != dossier.KeptSecret {
		p.ClientSecret = s.seal(in.ClientSecret, p.ID)
	} else if p.ClientSecret != "" && (in.Issuer != p.Issuer || in.ClientID != p.ClientID) {
		var problems dossier.Problems
		problems.Add("/clientSecret", dossier.ProblemRequired,
			"A new issuer or client id needs its client secret, or null for a public client.")
		return problems.Err()
	}
	p.Name, p.Issuer, p.ClientID = in.Name, in.Issuer, in.ClientID
	p.ClientSecretSet = p.ClientSecret != ""
	p.Domains, p.Scopes, p.Groups = list(in.Domains), list(in.Scopes), list(in.Groups)
	for n := range p.Groups {
		p.Groups[n].Scopes = list(p.Groups[n].Scopes)
	}
	p.GroupsClaim = valueOr(in.GroupsClaim, dossier.DefaultGroupsClaim)
	p.Active, p.UpdatedAt = valueOr(in.Active, true), now
	return nil
}

// list returns an empty list for none.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func (s *Store) seal(text, owner string) string {
	if s.cfg.Seal == nil || text == "" {
		return text
	}
	return s.cfg.Seal.Seal(text, owner)
}

// content returns the provider in the shape of a change.
func (p storedProvider) content() dossier.SignInProviderInput {
	in := dossier.SignInProviderInput{Name: p.Name, Issuer: p.Issuer, ClientID: p.ClientID,
		Domains: p.Domains, Scopes: p.Scopes, GroupsClaim: &p.GroupsClaim,
		Groups: p.Groups, Active: &p.Active}
	if p.ClientSecretSet {
		in.ClientSecret = dossier.KeptSecret
	}
	return in
}

// CreateSignInProvider makes a sign-in provider; LIMIT_REACHED beyond dossier.MaxSignInProviders.
func (s *Store) CreateSignInProvider(ctx context.Context, company string,
	in dossier.SignInProviderInput) (dossier.SignInProvider, error) {
	return createSetting(ctx, s, company, kindProvider,
		func(id string, now dossier.Time, others []storedProvider) (p storedProvider,
			answer dossier.SignInProvider, err error) {
			if len(others) >= dossier.MaxSignInProviders {
				return p, answer, dossier.Errorf(dossier.CodeLimitReached,
					"A company can have at most %d sign-in providers.", dossier.MaxSignInProviders)
			}
			p.ID, p.CreatedAt = id, now
			err = s.setProvider(&p, in, now)
			return p, p.SignInProvider, err
		})
}

// SignInProvider returns a sign-in provider and the revision it has.
func (s *Store) SignInProvider(ctx context.Context,
	company, id string) (dossier.SignInProvider, Rev, error) {
	p, read, err := setting[storedProvider](ctx, s, company, kindProvider, id)
	return p.SignInProvider, Rev(read.Rev), err
}

// SignInProviders returns a page of a company's sign-in providers.
func (s *Store) SignInProviders(ctx context.Context, company, after string,
	limit int) ([]dossier.SignInProvider, string, error) {
	stored, next, err := settingsPage[storedProvider](ctx, s, company, kindProvider, after, limit)
	shown := make([]dossier.SignInProvider, len(stored))
	for n, p := range stored {
		shown[n] = p.SignInProvider
	}
	return shown, next, err
}

// ChangeSignInProvider changes a sign-in provider. Its sessions have the scopes that it gives from
// then on.
func (s *Store) ChangeSignInProvider(ctx context.Context, company, id string, want Rev,
	change func(dossier.SignInProviderInput) (dossier.SignInProviderInput, error)) (
	dossier.SignInProvider, Rev, error) {
	return updateSetting(ctx, s, company, kindProvider, id, want,
		func(p storedProvider, now dossier.Time) (storedProvider, dossier.SignInProvider, error) {
			in, err := change(p.content())
			if err == nil {
				err = s.setProvider(&p, in, now)
			}
			return p, p.SignInProvider, err
		})
}

// DeleteSignInProvider deletes a sign-in provider, with which its sessions end.
func (s *Store) DeleteSignInProvider(ctx context.Context, company, id string) error {
	return deleteSetting(ctx, s, company, kindProvider, id,
		func(storedProvider) []string { return nil })
}
