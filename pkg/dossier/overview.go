package dossier

// Overview counts the open work of a company: each number leads into a list.
type Overview struct {
	ToReview Count `json:"toReview"` // documents in review
	// documents whose check failed technically
	CheckFailed Count `json:"checkFailed"`
	// requests that the candidate has not answered in time
	Overdue Count `json:"overdue"`
	// validated documents by their date of expiry
	Expiring       ExpiringCount `json:"expiring"`
	UnreadMessages Count         `json:"unreadMessages"`
	// active, and nothing but failures for a while
	IntegrationsFailing  Count    `json:"integrationsFailing"`
	IntegrationsDisabled Count    `json:"integrationsDisabled"`
	OldestToReview       *Waiting `json:"oldestToReview,omitzero"`
	// the document that is being checked for longest
	OldestCheck *Waiting `json:"oldestCheck,omitzero"`
}

// Count is a number that is counted up to MaxCounted only: with More there are more.
type Count struct {
	Count int  `json:"count"`
	More  bool `json:"more"`
}

// MaxCounted is the highest number that an overview counts to.
const MaxCounted = 100

// ExpiringCount counts the documents that expire within some days from today; the longer times
// include the shorter.
type ExpiringCount struct {
	In30Days Count `json:"in30Days"`
	In60Days Count `json:"in60Days"`
	In90Days Count `json:"in90Days"`
}

// Waiting is a candidate document type and since when it is in its state.
type Waiting struct {
	CandidateDocumentTypeID string `json:"candidateDocumentTypeId"`
	CandidateID             string `json:"candidateId"`
	Since                   Time   `json:"since"`
}
