package dossier

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
