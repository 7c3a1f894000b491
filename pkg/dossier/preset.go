package dossier

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

// PresetInput is the body that creates or changes a preset.
type PresetInput struct {
	Name            string         `json:"name"`
	Set             map[string]any `json:"set"`
	DocumentTypeIDs []string       `json:"documentTypeIds"`
	FormIDs         []string       `json:"formIds"`
}
