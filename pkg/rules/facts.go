package rules

import "github.com/dossierhq/dossier/pkg/dossier"

// Facts is everything one evaluation reads. Evaluating never changes the maps and lists of the
// Facts it is given.
type Facts struct {
	// the parsed document: objects, lists ([]any), string, float64, bool
	Parsed map[string]any
	// the candidate's text and date fields by JSON name, `status` and `passVerification`
	Candidate    map[string]string
	CustomFields map[string]any // of the candidate, by reference without cf_
	// of the candidate document type that was validated, by reference without dcf_
	DocumentCustomFields map[string]any

	DocumentTypes []string // ids of the document types the candidate is asked for
	Frozen        []string // ids of those of them that are being checked now and can't be removed
	// ids of document types that were asked for and removed: they take room still, and may be asked
	// for again
	Removed []string
	Forms   []string // ids of the candidate's forms
	Presets []string // ids of the presets applied so far

	// PresetContents holds the presets that actions name. A preset that is not in it was deleted.
	PresetContents map[string]PresetContent
	// Missing holds the ids of deleted entities that actions target or presets add.
	Missing map[string]bool
}

// PresetContent describes the changes of a preset.
type PresetContent struct {
	Set             map[string]any // candidate key or cf_<reference> to value
	DocumentTypeIDs []string
	FormIDs         []string
}

// Decision is the result of one evaluation.
type Decision struct {
	Rules   []dossier.RuleResult // one for each rule, in order
	Changes []Change             // to be written
}

// Change is one change of the candidate. The changes of a Decision are in the order of the rules
// and net: what one action adds and a later one takes away again is not among them. What was
// removed and then added again is there as both, in that order.
type Change struct {
	// one of the Action constants of dossier, or ChangeSetValue, ChangeAddForm
	Type string
	// id of the target; the candidate key or cf_<reference> of a ChangeSetValue
	Value    string
	Metadata map[string]any // of an addDocumentType action
	Set      any            // the new value, of a ChangeSetValue
	Preset   string         // id of the preset that makes it, "" if an action does by itself
}

// Changes that only presets make.
const (
	ChangeSetValue = dossier.EffectSetField
	ChangeAddForm  = dossier.EffectAddForm
)

// Evaluate compiles and evaluates rules.
func Evaluate(rules []dossier.Rule, facts Facts) Decision {
	return Compile(rules).Evaluate(facts)
}
