package dossier

// Overview counts the open work of a company: each number leads into a list.
type Overview struct {
	ToReview             Count         `json:"toReview"`    // documents in review
	CheckFailed          Count         `json:"checkFailed"` // documents whose check failed technically
	Overdue              Count         `json:"overdue"`     // requests that the candidate has not answered in time
	Expiring             ExpiringCount `json:"expiring"`    // validated documents by their date of expiry
	UnreadMessages       Count         `json:"unreadMessages"`
	IntegrationsFailing  Count         `json:"integrationsFailing"` // active, and nothing but failures for a while
	IntegrationsDisabled Count         `json:"integrationsDisabled"`
	OldestToReview       *Waiting      `json:"oldestToReview,omitzero"`
	OldestCheck          *Waiting      `json:"oldestCheck,omitzero"` // the document that is being checked for longest
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
