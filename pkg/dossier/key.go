package dossier

import (
	"time"
)

// Key is a credential of an administrator or of an integration of a company.
type Key struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Kind       string   `json:"kind"` // KindAdministrator or KindIntegration
	Scopes     []string `json:"scopes"`
	CreatedAt  Time     `json:"createdAt"`
	LastUsedAt Time     `json:"lastUsedAt,omitzero"` // with the precision of a day
	ExpiresAt  Time     `json:"expiresAt,omitzero"`
	Secret     string   `json:"secret,omitzero"` // the whole dsr_…, once, when it is made
}

// The scopes a key can carry. Write includes read of the same resources.
const (
	ScopeCandidatesRead  = "candidates:read"
	ScopeCandidatesWrite = "candidates:write"
	ScopeDocumentsRead   = "documents:read" // also the values that a check read, and rule runs
	ScopeDocumentsWrite  = "documents:write"
	ScopeMessagesRead    = "messages:read"
	ScopeMessagesWrite   = "messages:write"
	// document types, scenarios, pages, forms, presets, custom fields, integrations
	ScopeSettingsRead  = "settings:read"
	ScopeSettingsWrite = "settings:write"
	ScopeKeys          = "keys" // keys and companies
)

// Scopes lists every scope a key can carry.
var Scopes = []string{ScopeCandidatesRead, ScopeCandidatesWrite, ScopeDocumentsRead,
	ScopeDocumentsWrite, ScopeMessagesRead,
	ScopeMessagesWrite, ScopeSettingsRead, ScopeSettingsWrite, ScopeKeys}

// KeyInput is the body that creates a key.
type KeyInput struct {
	Kind string `json:"kind"`
	KeyUpdate
}

// KeyUpdate holds what may change of a key.
type KeyUpdate struct {
	Name      string   `json:"name"`
	Scopes    []string `json:"scopes"`
	ExpiresAt Time     `json:"expiresAt,omitzero"` // zero: never
}

// KeyKinds lists the kinds of keys, the weaker one first.
var KeyKinds = []string{KindIntegration, KindAdministrator}

// Validate records what is wrong with the input by itself.
func (in KeyInput) Validate(p *Problems, now time.Time) {
	p.Word("/kind", in.Kind, KeyKinds)
	in.KeyUpdate.Validate(p, Time{}, now)
}

// Validate records what is wrong with the update by itself. The end that the key has already may
// lie in the past: an expired key can be renamed.
func (in KeyUpdate) Validate(p *Problems, before Time, now time.Time) {
	p.Line("/name", in.Name, MaxName)
	if in.Scopes == nil {
		p.Add("/scopes", ProblemRequired, "The scopes are missing.")
	}
	for n := range p.Count("/scopes", len(in.Scopes), len(Scopes)) {
		p.Word(Element("/scopes", n), in.Scopes[n], Scopes)
	}
	p.Distinct("/scopes", in.Scopes, len(Scopes))
	if !in.ExpiresAt.IsZero() && !in.ExpiresAt.Equal(before) && !in.ExpiresAt.After(now) {
		p.Say("/expiresAt", ProblemOutOfRange, "must be in the future")
	}
}
