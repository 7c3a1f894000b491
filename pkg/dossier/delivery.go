package dossier

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

// InitReport is what came of one signed sample to an address, as it is shown to the one who asked for it. StatusCode is 0 and
// Response nil when there was no answer. Error is one of the words of pkg/webhook, or left out.
type DeliveryReport struct {
	Delivered       bool                    `json:"delivered"`
	StatusCode      int                     `json:"statusCode"`
	DurationMS      int64                   `json:"durationMs"`
	Request         DeliveryReportRequest   `json:"request"`
	Response        *DeliveryReportResponse `json:"response"`
	ChallengeEchoed bool                    `json:"challengeEchoed"`
	Error           string                  `json:"error,omitempty"`
}

// InitReportRequest is what was sent. Headers are empty when nothing was sent.
type DeliveryReportRequest struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// InitReportResponse is what came back: at most 50 headers of 256 bytes, and 1 kB of the body. Bytes that are no text are replaced.
type DeliveryReportResponse struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}
