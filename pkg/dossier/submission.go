package dossier

// Submission holds the rules that run once a document of a type is validated.
type Submission struct {
	Rules []Rule `json:"rules"`
	// absent where the document type is embedded in something else
	Tests []RuleTest `json:"tests,omitzero"`
}

// Rule is one post-submission rule: conditions, how they combine, and actions.
type Rule struct {
	ID string `json:"id,omitzero"`
	// one of the Mode constants; absent is ModeLive
	Mode           string      `json:"mode,omitzero"`
	ConditionsType string      `json:"conditionsType"` // ConditionsOr or ConditionsAnd
	Conditions     []Condition `json:"conditions"`
	Actions        []Action    `json:"actions"`
}

// The modes of a rule.
const (
	ModeLive   = "live"   // its actions are applied
	ModeShadow = "shadow" // it is evaluated and recorded, and changes nothing
	ModeOff    = "off"    // it is not evaluated
)

// Modes lists the modes of a rule.
var Modes = []string{ModeLive, ModeShadow, ModeOff}

// Live reports whether the actions of the rule are applied when it matches.
func (r Rule) Live() bool { return r.Mode == "" || r.Mode == ModeLive }

// How the conditions of a rule combine. Without conditions `and` matches and `or` does not.
const (
	ConditionsOr  = "or"
	ConditionsAnd = "and"
)

// Condition compares one value that is read from the parsed document or from the candidate around
// it.
type Condition struct {
	Type      string `json:"type"` // ConditionFields or ConditionContext
	Reference string `json:"reference"`
	Operator  string `json:"operator"` // one of the Op constants
	// Value is a string, a number (float64), a boolean, or a list of these; absent for isEmpty and
	// isNotEmpty.
	Value any `json:"value,omitzero"`
}

// Where the reference of a condition is read.
const (
	ConditionFields  = "fields"
	ConditionContext = "context"
)

// Action is one change that a matching rule makes.
type Action struct {
	Type string `json:"type"`
	// id of the document type, form, preset or scenario
	Value    string         `json:"value"`
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
