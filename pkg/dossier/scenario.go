package dossier

// Scenario reacts to an event: it asks for document types and sends a notification. Inactive, it is
// only the notification that rules name.
type Scenario struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	Active        bool           `json:"active"`
	EventName     string         `json:"eventName"`
	DocumentTypes []DocumentType `json:"documentTypes"`
	Notification  *Notification  `json:"notification,omitzero"`
	Warnings      []Warning      `json:"warnings,omitempty"` // found when it was saved
	CreatedAt     Time           `json:"createdAt"`
	UpdatedAt     Time           `json:"updatedAt"`
}

// Notification is the message a scenario sends to the candidate.
type Notification struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// ScenarioInput is the body that creates or changes a scenario.
type ScenarioInput struct {
	Name            string        `json:"name"`
	Active          *bool         `json:"active"` // true where it is not given
	EventName       string        `json:"eventName"`
	DocumentTypeIDs []string      `json:"documentTypeIds"`
	Notification    *Notification `json:"notification"`
}

// Validate records what is wrong with the input by itself. events lists the names of events.
func (in ScenarioInput) Validate(p *Problems, events []string) {
	p.Line("/name", in.Name, MaxName)
	p.Word("/eventName", in.EventName, events)
	p.IDs("/documentTypeIds", in.DocumentTypeIDs, MaxScenarioDocuments)
	if n := in.Notification; n != nil {
		p.Line("/notification/subject", n.Subject, MaxName)
		p.Text("/notification/text", n.Text, MaxText)
	}
}
