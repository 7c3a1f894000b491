package dossier

// Company is a customer of the service. Companies of one group may share document types.
type Company struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	GroupID   string `json:"groupId"`
	CreatedAt Time   `json:"createdAt"`
	Key       *Key   `json:"key,omitzero"` // its first administrator key, once, when it is made
}

// CompanyInput is the body that creates a company of the group.
type CompanyInput struct {
	Name string `json:"name"`
}

// Validate records what is wrong with the input by itself.
func (in CompanyInput) Validate(p *Problems) { p.Line("/name", in.Name, MaxName) }
