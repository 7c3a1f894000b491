package dossier

// SettingsVersion is the content of one of the settings as one change left it.
type SettingsVersion struct {
	// counts the changes from 1
	Version int64 `json:"version"`
	// the body that creates such a content, without secrets; of a custom field the one that
	// changes it
	Content map[string]any `json:"content"`
	// the version that this one is a copy of
	RestoredFrom int64 `json:"restoredFrom,omitzero"`
	// absent where it was saved before versions were kept
	CreatedBy *Actor `json:"createdBy,omitzero"`
	CreatedAt Time   `json:"createdAt"`
}

// SettingsDiff lists the changes from the content of one version to that of another.
type SettingsDiff struct {
	From    int64            `json:"from"`
	To      int64            `json:"to"`
	Changes []SettingsChange `json:"changes"` // ordered by pointer
}

// SettingsChange is a member that two versions don't have alike. Before is absent where the one
// version does not have it, After where the other one doesn't.
type SettingsChange struct {
	Pointer string `json:"pointer"` // RFC 6901, into the content; a list is one member
	Before  any    `json:"before,omitzero"`
	After   any    `json:"after,omitzero"`
}

// MaxSettingsVersions bounds the kept versions of one of the settings, the newest ones. They are
// deleted with it in one transaction.
const MaxSettingsVersions = 50
