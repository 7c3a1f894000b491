package dossier

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
	ScopeSettingsRead    = "settings:read" // document types, scenarios, pages, forms, presets, custom fields, integrations
	ScopeSettingsWrite   = "settings:write"
	ScopeKeys            = "keys" // keys and companies
)

// Scopes lists every scope a key can carry.
var Scopes = []string{ScopeCandidatesRead, ScopeCandidatesWrite, ScopeDocumentsRead, ScopeDocumentsWrite, ScopeMessagesRead,
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
