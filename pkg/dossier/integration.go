package dossier

// Integration is a customer's system that hears of one kind of candidate event.
type Integration struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	TriggerEvent   string `json:"triggerEvent"`
	Target         Target `json:"target"`
	Payload        string `json:"payload"` // PayloadThin or PayloadFull
	Ordered        bool   `json:"ordered"` // in order per candidate; false delivers as soon as possible
	State          string `json:"state"`   // IntegrationActive or IntegrationDisabled
	DisabledReason string `json:"disabledReason,omitzero"`
	CreatedAt      Time   `json:"createdAt"`
	UpdatedAt      Time   `json:"updatedAt"`
	Secret         string `json:"secret,omitzero"` // whsec_…, once, when it is made or rotated
}

// Target is where an integration is reached.
type Target struct {
	Type string `json:"type"` // TargetWebhook
	URL  string `json:"url"`
}

// What an integration is and how it is called.
const (
	TargetWebhook       = "webhook"
	PayloadThin         = "thin" // ids only
	PayloadFull         = "full" // with the candidate and the candidate document type as they are when the event is handed out
	IntegrationActive   = "active"
	IntegrationDisabled = "disabled"

	DisabledByHand  = "byHand"
	DisabledGone    = "gone"    // the target answered 410
	DisabledFailing = "failing" // nothing but failures for five days
)

// LogEntry is one event handed to one integration or scenario, and every attempt.
type LogEntry struct {
	ID            string    `json:"id"`
	EventName     string    `json:"eventName"`
	EventID       string    `json:"eventId"`
	IntegrationID string    `json:"integrationId,omitzero"`
	ScenarioID    string    `json:"scenarioId,omitzero"`
	CandidateID   string    `json:"candidateId"`
	Status        string    `json:"status"`          // one of the Log constants
	Reason        string    `json:"reason,omitzero"` // why it was skipped
	Attempts      []Attempt `json:"attempts"`        // the newest 25
	NextAttemptAt Time      `json:"nextAttemptAt,omitzero"`
	CreatedAt     Time      `json:"createdAt"`
}

// The statuses of a log entry.
const (
	LogPending   = "pending"   // to be delivered, at NextAttemptAt
	LogDelivered = "delivered" // the target said so, or the scenario has acted
	LogFailed    = "failed"    // given up
	LogHeld      = "held"      // the integration is disabled; a replay delivers it
	LogSkipped   = "skipped"   // not to be delivered: Reason says why
)

// LogStatuses lists them.
var LogStatuses = []string{LogPending, LogDelivered, LogFailed, LogHeld, LogSkipped}

// Attempt is one try to deliver.
type Attempt struct {
	At         Time   `json:"at"`
	StatusCode int    `json:"statusCode,omitzero"`
	DurationMS int64  `json:"durationMs"`
	Error      string `json:"error,omitzero"`
}

// Message is what an administrator, the candidate or the service itself wrote in a candidate's dossier.
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
