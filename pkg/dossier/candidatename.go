package dossier

// CandidateName names a candidate in a list of something else.
type CandidateName struct {
	FirstName  string `json:"firstName,omitzero"`
	LastName   string `json:"lastName,omitzero"`
	ExternalID string `json:"externalId,omitzero"`
}
