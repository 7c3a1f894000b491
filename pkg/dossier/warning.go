package dossier

// Warning is a problem of rules that were saved although they can't have their effect. Rules names
// them.
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
	// types whose rules can set each other off; the message names the path
	WarningCycle = "cycle"
	// the type is another company's: its rules are not applied here
	WarningShared = "sharedRules"
	// the type is another company's, and this one has not confirmed where its documents would go
	WarningParserNotConfirmed = "parserNotConfirmed"
)
