package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Catalog describes the company's settings around the document type whose rules are reviewed.
type Catalog struct {
	TypeID   string // of the document type that is saved, empty when it is new
	TypeName string
	Shared   bool // with other companies, which don't apply its rules
	// References are those that the parser of the document type can read; nil if it may read any.
	References []string
	// CandidateFields and DocumentFields map the references of custom fields, without cf_ and dcf_,
	// to their types.
	CandidateFields, DocumentFields map[string]string
	DocumentTypes, Forms, Presets   map[string]bool // by id
	// by id; true where it has a notification
	Scenarios map[string]bool
	// by scenario id: placeholders of its notification that have no value in a rule
	EventOnly map[string][]string
	// the company's other types with their rules
	Others     []dossier.DocumentType
	PresetAdds map[string][]string // preset to the document types it adds
	RuleIDs    map[string]bool     // the ids the stored rules have
}

// Bounds of a rule, beside the limits of dossier.
const (
	maxValueText = 1000 // characters of a value
	maxValues    = 100  // values of a list
	maxProblems  = 100  // problems that one review tells
)

// Review checks rules before they are saved. The problems are a reason not to save them; their
// pointers are relative to the body of a document type. The warnings are not. Rules without an id
// are fine: see AssignIDs.
func Review(s dossier.Submission,
	k Catalog) (problems []dossier.FieldError, warnings []dossier.Warning) {
	v := review{known: k}
	if len(s.Rules) > dossier.MaxRules {
		v.add("/submission/rules", "tooMany",
			"There are %d rules. A document type can have at most %d.",
			len(s.Rules), dossier.MaxRules)
		return v.problems, nil
	}
	if b, err := json.Marshal(s); err != nil || len(b) > dossier.MaxSubmissionLen {
		v.add("/submission", "tooLong", "The rules and their tests have more than %d bytes.",
			dossier.MaxSubmissionLen)
		return v.problems, nil
	}
	ids := make(map[string]bool, len(s.Rules))
	for i, r := range s.Rules {
		at := fmt.Sprintf("/submission/rules/%d", i)
		v.id(at+"/id", r.ID, ids)
		v.rule(at, r)
	}
	if n := effects(s.Rules, k); n > dossier.MaxRuleEffects {
		v.add("/submission/rules", "tooMany",
			"All rules together could write %d document types, messages and events. One run can write at most %d.",
			n, dossier.MaxRuleEffects)
	}
	v.tests(s)
	if len(v.problems) > 0 {
		return v.problems, nil
	}
	return nil, warn(s.Rules, k)
}

// AssignIDs gives each rule without an id a new one, in place, and returns the ids it gave.
// Warnings name rules by id, so assign before Review and add what was given to Catalog.RuleIDs.
func AssignIDs(rules []dossier.Rule, newID func() string) []string {
	var given []string
	for i := range rules {
		if rules[i].ID == "" {
			rules[i].ID = newID()
			given = append(given, rules[i].ID)
		}
	}
	return given
}

// review gathers the problems of one submission.
type review struct {
	known    Catalog
	problems []dossier.FieldError
}

func (v *review) add(pointer string, code dossier.ProblemCode, format string, args ...any) {
	if len(v.problems) == maxProblems {
		return
	}
	v.problems = append(v.problems,
		dossier.FieldError{Pointer: pointer, Code: code, Message: fmt.Sprintf(format, args...)})
}

// addAll adds the problems that another check found.
func (v *review) addAll(p dossier.Problems) {
	for _, f := range p.List() {
		v.add(f.Pointer, f.Code, "%s", f.Message)
	}
}

func (v *review) id(at, id string, seen map[string]bool) {
	switch {
	case id == "":
	case seen[id]:
		v.add(at, "duplicate", "Two rules have the id %s.", quoted(id))
	case !v.known.RuleIDs[id]:
		v.add(at, "unknown",
			"No rule of this document type has the id %s. Leave out the id of a new rule.",
			quoted(id))
	}
	seen[id] = true
}

func (v *review) rule(at string, r dossier.Rule) {
	v.word(at+"/conditionsType", r.ConditionsType, conditionsTypes)
	if r.Mode != "" {
		v.word(at+"/mode", r.Mode, dossier.Modes)
	}
	if len(r.Conditions) > dossier.MaxConditions {
		v.add(at+"/conditions", "tooMany", "A rule can have at most %d conditions.",
			dossier.MaxConditions)
	}
	if len(r.Actions) > dossier.MaxActions {
		v.add(at+"/actions", "tooMany", "A rule can have at most %d actions.", dossier.MaxActions)
	}
	for i, c := range r.Conditions {
		v.condition(fmt.Sprintf("%s/conditions/%d", at, i), c)
	}
	for i, a := range r.Actions {
		v.action(fmt.Sprintf("%s/actions/%d", at, i), a)
	}
}

var (
	conditionsTypes = []string{dossier.ConditionsOr, dossier.ConditionsAnd}
	conditionTypes  = []string{dossier.ConditionFields, dossier.ConditionContext}
)

// word reports whether a closed list holds a word. If not, it adds a problem with the possible
// words.
func (v *review) word(at, word string, list []string) bool {
	if slices.Contains(list, word) {
		return true
	}
	if len(v.problems) < maxProblems {
		var p dossier.Problems
		p.Word(at, word, list)
		v.addAll(p)
	}
	return false
}

func (v *review) condition(at string, c dossier.Condition) {
	if v.word(at+"/type", c.Type, conditionTypes) {
		v.reference(at+"/reference", c)
	}
	if v.word(at+"/operator", c.Operator, dossier.OperatorNames()) {
		v.value(at+"/value", c)
	}
}

func (v *review) reference(at string, c dossier.Condition) {
	ref := c.Reference
	switch {
	case strings.TrimSpace(ref) == "":
		v.add(at, "required", "The reference is missing.")
	case length(ref) > dossier.MaxReference:
		v.add(at, "tooLong", "A reference can have at most %d characters.", dossier.MaxReference)
	case c.Type == dossier.ConditionFields:
		if !v.parserKnows(ref) {
			v.add(at, "unknown", "The parser of this document type does not read %s.%s",
				quoted(ref),
				v.hint(ref, v.known.References, "references"))
		}
	default:
		v.contextReference(at, ref)
	}
}

// parserKnows reports whether the parser may read a reference, or values below it.
func (v *review) parserKnows(ref string) bool {
	if v.known.References == nil {
		return true
	}
	return slices.ContainsFunc(v.known.References, func(k string) bool {
		return k == ref || strings.HasPrefix(k, ref+".")
	})
}

func (v *review) contextReference(at, ref string) {
	where, key := contextSource(ref)
	fields, kind, prefix := v.known.CandidateFields, "candidate", prefixCustomField
	switch where {
	case fromDocumentTypes, fromForms, fromPresets:
		return
	case fromCandidate:
		if !slices.Contains(candidateKeys, ref) {
			v.add(at, "unknown", "%s is not a context key.%s", quoted(ref),
				v.hint(ref, contextKeys, "keys"))
		}
		return
	case fromDocumentCustomFields:
		fields, kind, prefix = v.known.DocumentFields, "document", prefixDocumentCustomField
	}
	if _, ok := fields[key]; !ok {
		v.add(at, "unknown", "There is no %s custom field %s.%s", kind, quoted(key),
			v.hint(ref, prefixed(prefix, fields), "keys"))
	}
}

// The context keys that are a text, and all that have a fixed name.
const (
	keyStatus           = "status"
	keyPassVerification = "passVerification"
)

var (
	candidateKeys = append(slices.Clone(dossier.TextKeys), keyStatus, keyPassVerification)
	contextKeys   = append(slices.Clone(candidateKeys), keyDocumentTypes, keyForms, keyPresets)
)

func prefixed(prefix string, fields map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, prefix+key)
	}
	return out
}
