package dossier

// SubmissionVersion is the rules of a document type as one change left them.
type SubmissionVersion struct {
	// counts the changes from 1; a rule run names it
	Version    int64      `json:"version"`
	Submission Submission `json:"submission"`
	// the version that this one is a copy of
	RestoredFrom int64 `json:"restoredFrom,omitzero"`
	// absent where it was saved before versions were kept
	CreatedBy *Actor `json:"createdBy,omitzero"`
	CreatedAt Time   `json:"createdAt"`
}

// SubmissionDiff lists the changes from the rules of one version to those of another.
type SubmissionDiff struct {
	From    int64        `json:"from"`
	To      int64        `json:"to"`
	Changes []RuleChange `json:"changes"` // removed rules, then those of the other version in order
	// removed tests, then those of the other version in order
	Tests []RuleTestChange `json:"tests"`
}

// RuleTestChange is a test that two versions don't have alike. Before is absent for an added test,
// After for a removed one.
type RuleTestChange struct {
	Change  string    `json:"change"` // one of the Change constants
	Name    string    `json:"name"`
	Before  *RuleTest `json:"before,omitzero"`
	After   *RuleTest `json:"after,omitzero"`
	Message string    `json:"message"` // a sentence
}

// RuleChange is a rule that two versions don't have alike. Before and BeforePosition are absent for
// an added rule, After and AfterPosition for a removed one. Positions count from 1.
type RuleChange struct {
	Change string `json:"change"` // one of the Change constants
	RuleID string `json:"ruleId"`
	// the changed members of a changed rule, `position` among them
	Members        []string `json:"members"`
	BeforePosition int      `json:"beforePosition,omitzero"`
	AfterPosition  int      `json:"afterPosition,omitzero"`
	Before         *Rule    `json:"before,omitzero"`
	After          *Rule    `json:"after,omitzero"`
	Message        string   `json:"message"` // a sentence
}

// What happened to a rule between two versions.
const (
	ChangeAdded   = "added"
	ChangeRemoved = "removed"
	ChangeChanged = "changed"
)

// RuleChanges lists what can happen to a rule between two versions.
var RuleChanges = []string{ChangeAdded, ChangeRemoved, ChangeChanged}

// RuleMembers lists the members of a rule that a change names.
var RuleMembers = []string{"mode", "conditionsType", "conditions", "actions", "position"}
