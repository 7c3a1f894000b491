package dossier

// Message is what an administrator, the candidate or the service itself wrote in a candidate's
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

// Author is who wrote a message.
type Author struct {
	Type string `json:"type"` // KindAdministrator, KindCandidate, KindIntegration's keys write as administrators, or AuthorSystem
	ID   string `json:"id"`
	Name string `json:"name"`
}

// AuthorSystem is the author of what rules and scenarios send.
const AuthorSystem = "system"

// The states of a message. Unread is what nobody but its author has read.
const (
	MessageUnread = "unread"
	MessageRead   = "read"
)
