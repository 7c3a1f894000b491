package dossier

// Message is a text from an administrator, the candidate or the service itself in a candidate's
// dossier.
type Message struct {
	ID                    string `json:"id"`
	CandidateID           string `json:"candidateId"`
	Text                  string `json:"text"`
	Subject               string `json:"subject,omitzero"` // of a notification
	Author                Author `json:"author"`
	State                 string `json:"state"` // MessageUnread or MessageRead
	ReadByCandidateAt     Time   `json:"readByCandidateAt,omitzero"`
	ReadByAdministratorAt Time   `json:"readByAdministratorAt,omitzero"`
	CreatedAt             Time   `json:"createdAt"`
}

// Author is the sender of a message.
type Author struct {
	// KindAdministrator, KindCandidate, KindIntegration's keys write as administrators, or
	// AuthorSystem
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// AuthorSystem is the author of messages that rules and scenarios send.
const AuthorSystem = "system"

// The states of a message. An unread message has been read by nobody but its author.
const (
	MessageUnread = "unread"
	MessageRead   = "read"
)
