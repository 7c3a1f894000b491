package rules

import (
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Facts is everything one evaluation reads. Evaluating never changes the maps and lists of the Facts it is given.
type Facts struct {
	Parsed               map[string]any    // the parsed document: objects, lists ([]any), string, float64, bool
	Candidate            map[string]string // the candidate's text and date fields by JSON name, `status` and `passVerification`
	CustomFields         map[string]any    // of the candidate, by reference without cf_
	DocumentCustomFields map[string]any    // of the candidate document type that was validated, by reference without dcf_

	DocumentTypes []string // ids of the document types the candidate is asked for
	Frozen        []string // ids of those of them that are being checked now and can't be removed
	Removed       []string // ids of document types that were asked for and removed: they take room still, and may be asked for again
	Forms         []string // ids of the candidate's forms
	Presets       []string // ids of the presets applied so far

	// PresetContents holds what the presets do that actions name. A preset that is not in it was deleted.
	PresetContents map[string]PresetContent
	// Missing holds ids of action targets, and of what presets add, that do not exist any more.
	Missing map[string]bool
}

// PresetContent is what applying a preset does.
type PresetContent struct {
	Set             map[string]any // candidate key or cf_<reference> to value
	DocumentTypeIDs []string
	FormIDs         []string
}

// Decision is what the rules read, decided and do.
type Decision struct {
	At      dossier.Time         // the moment it was made for
	Rules   []dossier.RuleResult // one for each rule, in order
	Changes []Change             // what has to be written
	Facts   Facts                // as they are after the changes
}

// Change is one thing to do to the candidate. The changes of a Decision are in the order of the rules and net: what one action
// adds and a later one takes away again is not among them. What was removed and then added again is there as both, in that order.
type Change struct {
	Type       string         // one of the Action constants of dossier, or ChangeSetValue, ChangeAddForm
	Value      string         // id of the target; the candidate key or cf_<reference> of a ChangeSetValue
	Metadata   map[string]any // of an addDocumentType action
	Set        any            // the new value, of a ChangeSetValue
	FromPreset string         // id of the preset that brought the change, empty for an action of a rule
}

// What only presets change.
const (
	ChangeSetValue = "setValue"
	ChangeAddForm  = "addForm"
)

// Evaluate runs the rules in order on a copy of the facts; a later rule sees what an earlier one changed.
func Evaluate(now time.Time, rules []dossier.Rule, facts Facts) Decision {
	return Compile(rules).Evaluate(now, facts)
}
