package dossier

import "slices"

// RegistrationPage is the public page by which candidates of one kind register. It lists the
// documents that they are asked for.
type RegistrationPage struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Slug      string            `json:"slug"` // unique in the company
	Active    bool              `json:"active"`
	Documents []RelatedDocument `json:"documents"`
	FormIDs   []string          `json:"formIds"`
	PresetID  string            `json:"presetId,omitzero"`
	// absent where the page asks for none
	CustomFields []AskedField `json:"customFields,omitzero"`
	CreatedAt    Time         `json:"createdAt"`
	UpdatedAt    Time         `json:"updatedAt"`
}

// RelatedDocument is a document type that a registration page asks for.
type RelatedDocument struct {
	DocumentType DocumentType `json:"documentType"`
	Required     bool         `json:"required"`
}

// AskedField is a custom field of candidates that a registration page asks for.
type AskedField struct {
	Reference string `json:"reference"`
	Required  bool   `json:"required,omitzero"` // nobody registers without a value
}

// RegistrationPageInput is the body that creates or changes a registration page.
type RegistrationPageInput struct {
	Name      string                 `json:"name"`
	Slug      string                 `json:"slug"`
	Active    *bool                  `json:"active"` // true where it is not given
	Documents []RelatedDocumentInput `json:"documents"`
	FormIDs   []string               `json:"formIds"`
	PresetID  *string                `json:"presetId"`

	CustomFields []AskedField `json:"customFields"`
}

// RelatedDocumentInput names a document type that a registration page asks for.
type RelatedDocumentInput struct {
	DocumentTypeID string `json:"documentTypeId"`
	Required       *bool  `json:"required"`
}

// IsRequired reports whether approval of the candidate needs the document, which is the default.
func (d RelatedDocumentInput) IsRequired() bool { return d.Required == nil || *d.Required }

// Validate records what is wrong with the input by itself.
func (in RegistrationPageInput) Validate(p *Problems) {
	p.Line("/name", in.Name, MaxName)
	before := p.Len()
	p.Text("/slug", in.Slug, MaxReference)
	if p.Len() == before && !slugSyntax.matches(in.Slug) {
		p.Say("/slug", ProblemMalformed,
			"must consist of lower-case letters and digits, with single hyphens between them")
	}
	for n := range p.Count("/documents", len(in.Documents), MaxPageDocuments) {
		p.ID(Element("/documents", n)+"/documentTypeId", in.Documents[n].DocumentTypeID)
	}
	p.IDs("/formIds", in.FormIDs, MaxForms)
	if in.PresetID != nil {
		p.ID("/presetId", *in.PresetID)
	}
	for n := range p.Count("/customFields", len(in.CustomFields), MaxAskedFields) {
		f, at := in.CustomFields[n], Element("/customFields", n)+"/reference"
		p.Reference(at, f.Reference)
		if f.Reference != "" && slices.ContainsFunc(in.CustomFields[:n], func(o AskedField) bool {
			return o.Reference == f.Reference
		}) {
			p.Say(at, ProblemDuplicate, "repeats that of an earlier field")
		}
	}
}
