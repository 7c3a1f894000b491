package dossier

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

// FormInput is the body that creates or changes a form.
type FormInput struct {
	Name   string      `json:"name"`
	Fields []FormField `json:"fields"`
}
