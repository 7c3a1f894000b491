package dossier

// RuleTest is an example that the rules of a document type have to get right: they are saved only
// if they do to its candidate what it expects.
type RuleTest struct {
	Name    string          `json:"name"` // distinct among the tests of a document type
	Parsed  map[string]any  `json:"parsed,omitempty"`
	Context RuleContext     `json:"context,omitzero"`
	Expect  RuleExpectation `json:"expect"`
}

// RuleContext is the candidate around a document before its values are written back and its rules
// run. The document type itself is one of DocumentTypes, or else it is required.
type RuleContext struct {
	Candidate    map[string]string `json:"candidate,omitempty"`    // by one of TextKeys
	CustomFields map[string]any    `json:"customFields,omitempty"` // by reference
	// of the document, by reference
	DocumentCustomFields map[string]any        `json:"documentCustomFields,omitempty"`
	PassVerification     string                `json:"passVerification,omitzero"`
	Rejected             bool                  `json:"rejected,omitzero"` // by an administrator
	DocumentTypes        []ContextDocumentType `json:"documentTypes,omitempty"`
	Forms                []ContextForm         `json:"forms,omitempty"`
	PresetIDs            []string              `json:"presetIds,omitempty"`
}

// IsZero reports whether there is nothing around the document.
func (c RuleContext) IsZero() bool {
	return len(c.Candidate)+len(c.CustomFields)+len(c.DocumentCustomFields)+len(c.DocumentTypes)+
		len(c.Forms)+len(c.PresetIDs) == 0 && c.PassVerification == "" && !c.Rejected
}

// ContextDocumentType is a document type that a candidate is or was asked for.
type ContextDocumentType struct {
	ID string `json:"id"`
	// one of States; absent is StateRequested
	State    string `json:"state,omitzero"`
	Optional bool   `json:"optional,omitzero"` // it does not count for the status
}

// ContextForm is a form of a candidate.
type ContextForm struct {
	ID        string `json:"id"`
	Submitted bool   `json:"submitted,omitzero"`
}

// RuleExpectation is the result that a RuleTest expects. What is absent may be anything.
type RuleExpectation struct {
	Rules  []RuleOutcome `json:"rules,omitempty"`
	Status string        `json:"status,omitzero"` // of the candidate, afterwards
	// all that the rules change, in any order; empty: nothing
	Changes []RuleEffect `json:"changes,omitzero"`
	// values of the candidate afterwards, by text key, cf_ or dcf_ reference; "" is none
	Fields map[string]any `json:"fields,omitempty"`
}

// RuleOutcome says of one rule whether it matches. A request may name the rule by its position in
// the rules, from 1, in place of its id.
type RuleOutcome struct {
	ID       string `json:"id,omitzero"`
	Position int    `json:"position,omitzero"`
	Matched  bool   `json:"matched"`
}

// RuleEffect is one net change that rules make to a candidate.
type RuleEffect struct {
	// one of EffectTypes
	Type string `json:"type"`
	// id of the document type, form, preset or scenario; of EffectSetField the key
	Value string `json:"value"`
	Set   any    `json:"set,omitzero"` // the new value, of EffectSetField
}

// The effects of presets, beside those that actions have under their own names.
const (
	EffectSetField = "setField" // value: a text key or cf_ reference
	EffectAddForm  = "addForm"  // value: a form
)

// EffectTypes lists the effects that rules can have.
var EffectTypes = []string{ActionSendNotification, ActionAddDocumentType, ActionRemoveDocumentType,
	ActionRemoveForm, ActionApplyPreset, EffectSetField, EffectAddForm}

// RuleTestResult says whether the rules do what a test expects.
type RuleTestResult struct {
	Name   string   `json:"name"`
	Passed bool     `json:"passed"`
	Unmet  []string `json:"unmet"` // a sentence for each expectation that is not met
}

// RuleTestInput is the body that keeps a rule run as a test of the rules.
type RuleTestInput struct {
	Name string `json:"name"`
}

// Validate records what is wrong with the name.
func (in RuleTestInput) Validate(p *Problems) { p.Line("/name", in.Name, MaxName) }
