package dossier

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

// RegistrationPageInput is the body that creates or changes a registration page.
type RegistrationPageInput struct {
	Name      string                 `json:"name"`
	Slug      string                 `json:"slug"`
	Active    *bool                  `json:"active"` // true where it is not given
	Documents []RelatedDocumentInput `json:"documents"`
	FormIDs   []string               `json:"formIds"`
	PresetID  *string                `json:"presetId"`
}

// RelatedDocumentInput names a document type that a registration page asks for.
type RelatedDocumentInput struct {
	DocumentTypeID string `json:"documentTypeId"`
	Required       *bool  `json:"required"`
}

// IsRequired reports whether approval of the candidate needs the document, which is the default.
func (d RelatedDocumentInput) IsRequired() bool { return d.Required == nil || *d.Required }
