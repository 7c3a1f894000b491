package dossier

// RuleHistory is the difference between the saved rules of a document type and proposed ones, on
// documents that were validated before.
type RuleHistory struct {
	Compared int  `json:"compared"` // documents on which both were evaluated
	Skipped  int  `json:"skipped"`  // documents of which no facts are kept
	More     bool `json:"more"`     // the time span has older documents beyond the limit
	// documents for which candidates would have got or lost something, or another status
	Different  int             `json:"different"`
	Candidates int             `json:"candidates"` // whose documents these are
	Got        []HistoryEffect `json:"got"`        // changes that only the proposed rules make
	Lost       []HistoryEffect `json:"lost"`       // changes that only the saved rules make
	Statuses   []HistoryStatus `json:"statuses"`
	// the proposed rules in their order, then those saved ones that are not among them
	Rules []HistoryRule `json:"rules"`
}

// HistoryEffect is a change to candidates, and the documents after which they got or lost it.
type HistoryEffect struct {
	Type     string           `json:"type"` // one of EffectTypes
	Value    string           `json:"value"`
	Set      any              `json:"set,omitzero"` // of EffectSetField
	Count    int              `json:"count"`        // documents
	Examples []HistoryExample `json:"examples"`
}

// HistoryStatus is a status of candidates that would have been another one.
type HistoryStatus struct {
	Before   string           `json:"before"` // with the saved rules
	Now      string           `json:"now"`    // with the proposed rules
	Count    int              `json:"count"`  // documents
	Examples []HistoryExample `json:"examples"`
}

// HistoryRule counts the documents that a rule matches, as it is saved and as it is proposed.
type HistoryRule struct {
	ID       string `json:"id"`                // empty for a rule that is not saved
	Position int    `json:"position,omitzero"` // among the proposed rules, from 1; 0 if not there
	// documents that it matches
	MatchedBefore int `json:"matchedBefore"`
	MatchedNow    int `json:"matchedNow"`
	// documents that only one of the two matches
	Examples []HistoryExample `json:"examples"`
}

// HistoryExample is one of the documents that were compared.
type HistoryExample struct {
	CandidateID string `json:"candidateId"`
	DocumentID  string `json:"documentId"`
	At          Time   `json:"at"` // when its rules ran
}

// MaxHistory bounds the documents of one comparison, and MaxHistoryExamples the examples of each of
// its counts.
const (
	MaxHistory         = 500
	MaxHistoryExamples = 10
)
