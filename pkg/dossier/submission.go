package dossier

// Limits of the rules of one document type.
const (
	MaxRules         = 50      // rules of a document type
	MaxConditions    = 30      // conditions of a rule
	MaxActions       = 20      // actions of a rule
	MaxRuleEffects   = 60      // documents types, messages and events all rules together may write: one transaction
	MaxSubmissionLen = 100_000 // bytes of a submission as JSON
)

// Submission is what happens to the candidate once a document of a type is validated.
type Submission struct {
	Rules []Rule `json:"rules"`
}

// Rule is one post-submission rule: conditions, how they combine, and actions.
type Rule struct {
	ID             string      `json:"id,omitzero"`
	ConditionsType string      `json:"conditionsType"` // ConditionsOr or ConditionsAnd
	Conditions     []Condition `json:"conditions"`
	Actions        []Action    `json:"actions"`
}

// How the conditions of a rule combine. Without conditions `and` matches and `or` does not.
const (
	ConditionsOr  = "or"
	ConditionsAnd = "and"
)

// Condition compares one value that is read from the parsed document or from the candidate around it.
type Condition struct {
	Type      string `json:"type"` // ConditionFields or ConditionContext
	Reference string `json:"reference"`
	Operator  string `json:"operator"`
	// Value is a string, a number (float64), a boolean, or a list of these; absent for isEmpty and isNotEmpty.
	Value any `json:"value,omitzero"`
}

// Where the reference of a condition is read.
const (
	ConditionFields  = "fields"
	ConditionContext = "context"
)

// The operators of a condition.
const (
	OpIsEmpty     = "isEmpty"
	OpIsNotEmpty  = "isNotEmpty"
	OpIsEqual     = "isEqual"
	OpIsNotEqual  = "isNotEqual"
	OpContains    = "contains"
	OpNotContains = "notContains"
)

// Action is one change that a matching rule makes.
type Action struct {
	Type     string         `json:"type"`
	Value    string         `json:"value"`              // id of the document type, form, preset or scenario
	Metadata map[string]any `json:"metadata,omitempty"` // read by addDocumentType only
}

// The types of an action.
const (
	ActionSendNotification   = "sendNotification"   // value: a scenario with a notification
	ActionAddDocumentType    = "addDocumentType"    // value: a document type
	ActionRemoveDocumentType = "removeDocumentType" // value: a document type
	ActionRemoveForm         = "removeForm"         // value: a form
	ActionApplyPreset        = "applyPreset"        // value: a preset
)

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

// NotAppliedShared is why the rules of a document type that another company of the group owns don't run.
const NotAppliedShared = "sharedDocumentType"

// RuleResult is what one rule read, decided and did.
type RuleResult struct {
	ID         string            `json:"id"`
	Matched    bool              `json:"matched"`
	Conditions []ConditionResult `json:"conditions"`
	Actions    []ActionResult    `json:"actions"`
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

// ActionResult is what one action of a matching rule changed, or why it changed nothing.
type ActionResult struct {
	Type    string `json:"type"`
	Value   string `json:"value"`
	Changed bool   `json:"changed"`
	Reason  string `json:"reason,omitzero"` // one of the Reason constants when nothing changed
}

// Why an action changed nothing.
const (
	ReasonAlreadyRequested = "alreadyRequested" // addDocumentType: the candidate is asked for it already
	ReasonNotRequested     = "notRequested"     // removeDocumentType: the candidate is not asked for it
	ReasonNoSuchForm       = "formNotPresent"   // removeForm: the candidate does not have it
	ReasonAlreadyApplied   = "alreadyApplied"   // applyPreset, sendNotification: done earlier in the same run
	ReasonTargetDeleted    = "targetDeleted"    // the entity does not exist any more
	ReasonBeingChecked     = "beingChecked"     // removeDocumentType: a check runs on its parts
	ReasonLimitReached     = "limitReached"     // addDocumentType, applyPreset: the candidate would have too many document types or forms
)

// Warning is a rule that was saved although it can't do what it says. Rules names the rules it is about.
type Warning struct {
	Code    string   `json:"code"` // one of the Warning constants
	Pointer string   `json:"pointer,omitzero"`
	Message string   `json:"message"`
	Rules   []string `json:"rules,omitempty"`
}

// What a warning is about.
const (
	WarningNeverMatches = "neverMatches" // the conditions exclude each other
	WarningUndone       = "undone"       // another rule that can match too undoes an action
	WarningCycle        = "cycle"        // types whose rules can set each other off; the message names the path
	WarningShared       = "sharedRules"  // the type is another company's: its rules are not applied here
)
