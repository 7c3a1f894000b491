package dossier

import (
	"slices"
	"strings"
)

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

// Notification is the message a scenario sends to the candidate. Its texts may have Placeholders.
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

// Validate records what is wrong with the input by itself. events lists the names of events,
// placeholders those that have a value in a reaction to one.
func (in ScenarioInput) Validate(p *Problems, events []string,
	placeholders func(event string) []string) {
	p.Line("/name", in.Name, MaxName)
	p.Word("/eventName", in.EventName, events)
	p.IDs("/documentTypeIds", in.DocumentTypeIDs, MaxScenarioDocuments)
	if n := in.Notification; n != nil {
		p.Line("/notification/subject", n.Subject, MaxName)
		p.Text("/notification/text", n.Text, MaxText)
		if slices.Contains(events, in.EventName) {
			in.validatePlaceholders(p, placeholders(in.EventName))
		}
	}
}

// validatePlaceholders records the wrong placeholders of the notification, and a text that would be
// empty where they have no value. An inactive scenario may have those of rules too.
func (in ScenarioInput) validatePlaceholders(p *Problems, allowed []string) {
	where := "in a reaction to " + in.EventName
	if in.Active != nil && !*in.Active {
		where += " or a rule"
		allowed = slices.DeleteFunc(slices.Clone(Placeholders), func(name string) bool {
			return !slices.Contains(allowed, name) && !slices.Contains(RulePlaceholders, name)
		})
	}
	n := in.Notification
	before := p.Len()
	p.placeholders("/notification/subject", n.Subject, where, allowed)
	p.placeholders("/notification/text", n.Text, where, allowed)
	if p.Len() == before && strings.TrimSpace(n.Text) != "" &&
		strings.TrimSpace(filled(n.Text, nil)) == "" {
		p.Say("/notification/text", ProblemTooShort,
			"consists of placeholders only. It must contain words too, because a value can be missing")
	}
}
