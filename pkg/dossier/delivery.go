package dossier

import "time"

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

// DeliveryReport reports one signed sample to an address to the one who asked for it. StatusCode is
// 0 and Response nil if there was no response. Error is one of the words of pkg/webhook, or empty.
type DeliveryReport struct {
	Delivered       bool                    `json:"delivered"`
	StatusCode      int                     `json:"statusCode"`
	DurationMS      int64                   `json:"durationMs"`
	Request         DeliveryReportRequest   `json:"request"`
	Response        *DeliveryReportResponse `json:"response"`
	ChallengeEchoed bool                    `json:"challengeEchoed"`
	Error           string                  `json:"error,omitempty"`
}

// DeliveryReportRequest is the request that was sent. Headers are empty if nothing was sent.
type DeliveryReportRequest struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// DeliveryReportResponse is the response: at most 50 headers of 256 bytes, and 1 kB of the body.
// Invalid UTF-8 is replaced.
type DeliveryReportResponse struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// Delivery is one signed message to one endpoint. ID and At are signed with the body, once with
// each secret. Body is JSON. IntegrationID is empty for a sample that belongs to no integration.
type Delivery struct {
	IntegrationID string
	ID            string
	URL           string
	At            time.Time
	Body          []byte
	Secrets       []string // the newest first
}

// WebhookUserAgent is the User-Agent of every request that delivers.
const WebhookUserAgent = "Dossier-Webhooks/1"

// Outcome is the result of one attempt to deliver. StatusCode is 0 when there was no response.
// RetryAfter is the wait that the endpoint asked for, or 0. Response is the beginning of the
// response's body, at most 1 kB, as it came.
type Outcome struct {
	Attempt
	Result     DeliveryResult
	RetryAfter time.Duration
	Response   []byte
}

// DeliveryResult is the effect of an attempt on its delivery.
type DeliveryResult string

// The results of an attempt.
const (
	Delivered   DeliveryResult = "delivered"   // 2xx, answered whole within the time
	Retry       DeliveryResult = "retry"       // anything else: try again later
	Gone        DeliveryResult = "gone"        // 410: the endpoint wants no more
	Interrupted DeliveryResult = "interrupted" // the caller ended it; says nothing of the endpoint
)
