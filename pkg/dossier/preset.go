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

// Validate records what is wrong with the input by itself. Whether the fields in Set exist, and the
// types of their values, depend on the company's custom fields.
func (in PresetInput) Validate(p *Problems) {
	p.Line("/name", in.Name, MaxName)
	p.Count("/set", len(in.Set), MaxCustomFields)
	for key := range in.Set {
		if len(key) > MaxReference+len("cf_") {
			p.Add("/set", ProblemTooLong, "The name of a member has more than %d characters.",
				MaxReference+len("cf_"))
			break
		}
	}
	p.IDs("/documentTypeIds", in.DocumentTypeIDs, MaxPresetDocuments)
	p.IDs("/formIds", in.FormIDs, MaxForms)
}
