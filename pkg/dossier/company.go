package dossier

// Company is a customer of the service. Companies of one group may share document types.
type Company struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	GroupID   string `json:"groupId"`
	CreatedAt Time   `json:"createdAt"`
	Key       *Key   `json:"key,omitzero"` // its first administrator key, once, when it is made
}
