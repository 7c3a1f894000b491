package dossier

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

// The types of fields, of forms and of custom fields; a check field is text, number or date.
const (
	FieldText    = "text"
	FieldNumber  = "number"
	FieldDate    = "date"
	FieldBoolean = "boolean"
	FieldList    = "list"
)

// CustomFieldInput is the body that creates a custom field.
type CustomFieldInput struct {
	Entity    string `json:"entity"`
	Reference string `json:"reference"`
	Type      string `json:"type"`
	CustomFieldUpdate
}

// CustomFieldUpdate holds what may change of a custom field. Values and rules depend on the rest.
type CustomFieldUpdate struct {
	Label string `json:"label"`
}

// FieldTypes lists the types of form fields and custom fields.
var FieldTypes = []string{FieldText, FieldNumber, FieldBoolean, FieldDate, FieldList}

// CustomFieldEntities lists what a custom field can belong to.
var CustomFieldEntities = []string{EntityCandidate, EntityDocument}

// Validate records what is wrong with the input by itself.
func (in CustomFieldInput) Validate(p *Problems) {
	p.Word("/entity", in.Entity, CustomFieldEntities)
	p.Reference("/reference", in.Reference)
	p.Word("/type", in.Type, FieldTypes)
	in.CustomFieldUpdate.Validate(p)
}

// Validate records what is wrong with the update by itself.
func (in CustomFieldUpdate) Validate(p *Problems) { p.Line("/label", in.Label, MaxName) }
