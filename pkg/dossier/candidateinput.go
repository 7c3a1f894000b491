package dossier

import "maps"

// CandidateInput is the body that creates, registers or changes a candidate. A nil text is no
// value.
type CandidateInput struct {
	ExternalID   *string        `json:"externalId,omitzero"`
	FirstName    *string        `json:"firstName,omitzero"`
	LastName     *string        `json:"lastName,omitzero"`
	Email        *string        `json:"email,omitzero"`
	Phone        *string        `json:"phone,omitzero"`
	BirthDate    *string        `json:"birthDate,omitzero"`
	Nationality  *string        `json:"nationality,omitzero"`
	Language     *string        `json:"language,omitzero"`
	CustomFields map[string]any `json:"customFields,omitzero"`
}

// NewCandidateInput is the body that creates a candidate with what to ask for.
type NewCandidateInput struct {
	CandidateInput
	DocumentTypeIDs []string `json:"documentTypeIds"`
	FormIDs         []string `json:"formIds"`
	PresetID        *string  `json:"presetId"`
}

// InputOf returns a candidate's values in the shape of a request.
func InputOf(c *Candidate) CandidateInput {
	in := CandidateInput{CustomFields: maps.Clone(c.CustomFields)}
	for key, field := range in.texts() {
		if text := *c.Text(key); text != "" {
			*field = &text
		}
	}
	return in
}

// texts returns the text and date fields by JSON name.
func (in *CandidateInput) texts() map[string]**string {
	return map[string]**string{
		"externalId": &in.ExternalID, "firstName": &in.FirstName, "lastName": &in.LastName,
		"email": &in.Email, "phone": &in.Phone, "birthDate": &in.BirthDate,
		"nationality": &in.Nationality, "language": &in.Language,
	}
}

// SetOn sets every value of the input on a candidate.
func (in *CandidateInput) SetOn(c *Candidate) {
	for key, field := range in.texts() {
		*c.Text(key) = ""
		if *field != nil {
			*c.Text(key) = **field
		}
	}
	c.CustomFields = in.CustomFields
}

// Validate records what is wrong with the text and date fields. Values that are as before, which
// rules may have set, are not checked. Custom fields depend on the company's settings.
func (in *CandidateInput) Validate(p *Problems, before CandidateInput) {
	texts, old := in.texts(), before.texts()
	for _, key := range TextKeys {
		field := *texts[key]
		if field == nil || *old[key] != nil && **old[key] == *field {
			continue
		}
		p.CandidateText("/"+key, key, *field)
	}
}

// Validate records what is wrong with the input by itself.
func (in *NewCandidateInput) Validate(p *Problems) {
	in.CandidateInput.Validate(p, CandidateInput{})
	p.IDs("/documentTypeIds", in.DocumentTypeIDs, MaxRequested)
	p.Distinct("/documentTypeIds", in.DocumentTypeIDs, MaxRequested)
	p.IDs("/formIds", in.FormIDs, MaxForms)
	p.Distinct("/formIds", in.FormIDs, MaxForms)
	if in.PresetID != nil {
		p.ID("/presetId", *in.PresetID)
	}
}
