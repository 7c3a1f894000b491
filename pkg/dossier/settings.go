package dossier

import "fmt"

// Company is a customer of the service. Companies of one group may share document types.
type Company struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	GroupID   string `json:"groupId"`
	CreatedAt Time   `json:"createdAt"`
	Key       *Key   `json:"key,omitzero"` // its first administrator key, once, when it is made
}

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

// The kinds of principals.
const (
	KindAdministrator = "administrator"
	KindIntegration   = "integration"
	KindCandidate     = "candidate"
)

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

// Form is a set of questions to a candidate.
type Form struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Fields    []FormField `json:"fields"`
	CreatedAt Time        `json:"createdAt"`
	UpdatedAt Time        `json:"updatedAt"`
}

// FormField is one question of a form.
type FormField struct {
	Reference string `json:"reference"`
	Label     string `json:"label"`
	Type      string `json:"type"` // one of the Field constants
	Required  bool   `json:"required"`
}

// Preset is a set of values, document types and forms that is applied to a candidate in one go.
type Preset struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	Set           map[string]any `json:"set"` // candidate key or cf_<reference> to value
	DocumentTypes []DocumentType `json:"documentTypes"`
	FormIDs       []string       `json:"formIds"`
	CreatedAt     Time           `json:"createdAt"`
	UpdatedAt     Time           `json:"updatedAt"`
}

// CustomField is a value of the company's own on a candidate or on a candidate document type.
type CustomField struct {
	ID        string `json:"id"`
	Entity    string `json:"entity"` // EntityCandidate or EntityDocument
	Reference string `json:"reference"`
	Label     string `json:"label"`
	Type      string `json:"type"` // one of the Field constants
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
}

// What a custom field belongs to.
const (
	EntityCandidate = "candidate"
	EntityDocument  = "document"
)

// Scenario reacts to an event: it asks for document types and sends a notification. Inactive, it is only the notification that rules name.
type Scenario struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	Active        bool           `json:"active"`
	EventName     string         `json:"eventName"`
	DocumentTypes []DocumentType `json:"documentTypes"`
	Notification  *Notification  `json:"notification,omitzero"`
	CreatedAt     Time           `json:"createdAt"`
	UpdatedAt     Time           `json:"updatedAt"`
}

// Notification is the message a scenario sends to the candidate.
type Notification struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// RegistrationPage is how candidates of one kind come in: what they are asked for.
type RegistrationPage struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Slug      string            `json:"slug"` // unique in the company
	Active    bool              `json:"active"`
	Documents []RelatedDocument `json:"documents"`
	FormIDs   []string          `json:"formIds"`
	PresetID  string            `json:"presetId,omitzero"`
	CreatedAt Time              `json:"createdAt"`
	UpdatedAt Time              `json:"updatedAt"`
}

// RelatedDocument is a document type that a registration page asks for.
type RelatedDocument struct {
	DocumentType DocumentType `json:"documentType"`
	Required     bool         `json:"required"`
}

// Limits of what one company can have.
const (
	MaxActiveIntegrations = 50   // per event name, so that handing out an event is one transaction
	MaxActiveScenarios    = 20   // per event name
	MaxSharedWith         = 20   // companies a document type is shared with: changing it writes a copy for each
	MaxListed             = 1000 // entities of one kind in a company's settings
)

// ValidateValue reports what is wrong with a value of a custom or form field of type t, "" where nothing is.
func ValidateValue(t string, v any) string {
	switch x := v.(type) {
	case string:
		switch {
		case t == FieldDate && !ValidDate(x):
			return "is not a date as YYYY-MM-DD"
		case t != FieldText && t != FieldDate:
			return fmt.Sprintf("is a text, not a %s", t)
		case len([]rune(x)) > MaxText:
			return fmt.Sprintf("is longer than %d characters", MaxText)
		}
	case float64:
		if t != FieldNumber {
			return fmt.Sprintf("is a number, not a %s", t)
		}
	case bool:
		if t != FieldBoolean {
			return fmt.Sprintf("is a boolean, not a %s", t)
		}
	case []any:
		if t != FieldList {
			return fmt.Sprintf("is a list, not a %s", t)
		}
		if len(x) > 100 {
			return "has more than 100 values"
		}
		for _, e := range x {
			if s, ok := e.(string); !ok || len([]rune(s)) > MaxText {
				return fmt.Sprintf("is not a list of texts of at most %d characters", MaxText)
			}
		}
	default:
		return fmt.Sprintf("is not a %s", t)
	}
	return ""
}
