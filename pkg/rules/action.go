package rules

import "github.com/dossierhq/dossier/pkg/dossier"

// ActionType is a change that a rule can make. ActionTypes is the one list of them.
type ActionType struct {
	Name     string // one of the Action constants of dossier
	Target   string // the kind of entity whose id is the action's value, as clients are told
	Verb     string // what it does to the target, as clients are told
	Metadata bool   // it reads metadata

	apply func(*evaluation, dossier.Action) string // returns why it changed nothing
	// adds and removes list the document types that an action with this value may add or remove;
	// nil for none.
	adds, removes func(k Catalog, value string) []string
	// presets says that it may set candidate fields.
	presets bool
	// writes lists the items that it writes at most, beside those of the document types it adds.
	writes []string
}

// The kinds of entities that actions name, as clients are told.
const (
	kindDocumentType = "document type"
	kindForm         = "form"
	kindPreset       = "preset"
	kindScenario     = "scenario"
)

// ActionTypes lists every action type in the order that clients are shown.
var ActionTypes = []ActionType{
	{
		Name: dossier.ActionSendNotification, Target: kindScenario,
		Verb:   "sends the notification of",
		apply:  func(e *evaluation, a dossier.Action) string { return e.sendNotification(a.Value) },
		writes: []string{"message", "messageSent"},
	},
	{
		Name: dossier.ActionAddDocumentType, Target: kindDocumentType, Verb: "asks for",
		Metadata: true,
		apply: func(e *evaluation, a dossier.Action) string {
			return e.addDocumentType(a.Value, a.Metadata)
		},
		adds: itself,
	},
	{
		Name: dossier.ActionRemoveDocumentType, Target: kindDocumentType, Verb: "stops asking for",
		apply: func(e *evaluation, a dossier.Action) string {
			return e.removeDocumentType(a.Value)
		},
		removes: itself, writes: []string{"documentType", "removed"},
	},
	{
		Name: dossier.ActionRemoveForm, Target: kindForm, Verb: "takes away",
		apply:  func(e *evaluation, a dossier.Action) string { return e.removeForm(a.Value) },
		writes: []string{"formRemoved"},
	},
	{
		Name: dossier.ActionApplyPreset, Target: kindPreset, Verb: "applies", presets: true,
		apply:  func(e *evaluation, a dossier.Action) string { return e.applyPreset(a.Value) },
		adds:   func(k Catalog, preset string) []string { return k.PresetAdds[preset] },
		writes: []string{"presetApplied"},
	},
}

var actionNames = names(ActionTypes, func(t ActionType) string { return t.Name })

// actionNamed returns the action type with a name, or a zero ActionType.
func actionNamed(name string) ActionType {
	for _, t := range ActionTypes {
		if t.Name == name {
			return t
		}
	}
	return ActionType{}
}

func itself(_ Catalog, id string) []string { return []string{id} }

// added lists the document types that an action may add.
func added(k Catalog, a dossier.Action) []string {
	if adds := actionNamed(a.Type).adds; adds != nil {
		return adds(k, a.Value)
	}
	return nil
}

// removed lists the document types that an action may remove.
func removed(k Catalog, a dossier.Action) []string {
	if removes := actionNamed(a.Type).removes; removes != nil {
		return removes(k, a.Value)
	}
	return nil
}

// effects returns how many items a run of the rules writes at most, beside those that every run
// writes: a document type and a form once however often they are named, a message once for each
// scenario, and one event for each of them that has one.
func effects(rules []dossier.Rule, k Catalog) int {
	type item struct{ what, id string }
	items := make(map[item]bool)
	for _, r := range rules {
		for _, a := range r.Actions {
			for _, what := range actionNamed(a.Type).writes {
				items[item{what, a.Value}] = true
			}
			for _, t := range added(k, a) {
				items[item{"documentType", t}], items[item{"requested", t}] = true, true
			}
		}
	}
	return len(items)
}
