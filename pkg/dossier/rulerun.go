package dossier

// RuleRun is the kept record of one evaluation of the rules of a document type.
type RuleRun struct {
	ID                      string       `json:"id"`
	CandidateDocumentTypeID string       `json:"candidateDocumentTypeId"`
	DocumentID              string       `json:"documentId"`
	SubmissionVersion       int64        `json:"submissionVersion"`
	Applied                 bool         `json:"applied"`
	NotAppliedReason        string       `json:"notAppliedReason,omitzero"` // NotAppliedShared
	Rules                   []RuleResult `json:"rules"`
	StatusBefore            string       `json:"statusBefore"`
	StatusAfter             string       `json:"statusAfter"`
	At                      Time         `json:"at"`
}

// NotAppliedShared is the reason in the rule run of a document type that another company of the
// group owns: its rules don't run.
const NotAppliedShared = "sharedDocumentType"

// RuleResult is the result of one rule: the values it read, whether it matched, and its actions.
// WhyNot and WhyNotMessage are not stored: they follow from the rest.
type RuleResult struct {
	ID string `json:"id"`
	// ModeShadow or ModeOff; absent is ModeLive
	Mode           string            `json:"mode,omitzero"`
	Matched        bool              `json:"matched"`
	ConditionsType string            `json:"conditionsType,omitzero"` // unknown in some older runs
	Conditions     []ConditionResult `json:"conditions"`
	Actions        []ActionResult    `json:"actions"`
	WhyNot         []NeededChange    `json:"whyNot"`                 // of a rule that did not match
	WhyNotMessage  string            `json:"whyNotMessage,omitzero"` // a sentence
}

// ConditionResult is one condition as it was evaluated, never short-circuited.
type ConditionResult struct {
	Type      string `json:"type"`
	Reference string `json:"reference"`
	Operator  string `json:"operator"`
	Value     any    `json:"value,omitzero"`
	Read      any    `json:"read,omitzero"`    // the value that was read, cut to a bounded length
	Missing   bool   `json:"missing,omitzero"` // there was nothing to read
	Result    bool   `json:"result"`
}

// ActionResult is the result of one action of a matching rule: its change, or the reason for none.
type ActionResult struct {
	Type    string `json:"type"`
	Value   string `json:"value"`
	Changed bool   `json:"changed"`
	Reason  string `json:"reason,omitzero"` // one of the Reason constants when nothing changed
}

// Why an action changed nothing.
const (
	// addDocumentType: the candidate is asked for it already
	ReasonAlreadyRequested = "alreadyRequested"
	// removeDocumentType: the candidate is not asked for it
	ReasonNotRequested = "notRequested"
	ReasonNoSuchForm   = "formNotPresent" // removeForm: the candidate does not have it
	// applyPreset, sendNotification: done earlier in the same run
	ReasonAlreadyApplied = "alreadyApplied"
	ReasonTargetDeleted  = "targetDeleted" // the entity does not exist any more
	// the rule is in shadow mode: a live one would have changed it
	ReasonShadow       = "shadow"
	ReasonBeingChecked = "beingChecked" // removeDocumentType: a check runs on its parts
	// addDocumentType, applyPreset: the candidate would have too many document types or forms
	ReasonLimitReached = "limitReached"
)
