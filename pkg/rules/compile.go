package rules

import (
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Program holds compiled rules. It is immutable and safe for concurrent use.
type Program struct {
	rules []rule
	blank []dossier.ConditionResult // of all conditions in order, without what was read
	limit int                       // characters kept of a value that was read
}

type rule struct {
	src        dossier.Rule
	and        bool
	conditions []condition
}

type condition struct {
	source source
	key    string // without its prefix
	dotted bool
	values values

	comparison *comparison // nil for an unknown operator
	negated    bool
}

// source names the part of the facts that a reference reads.
type source uint8

const (
	fromNowhere source = iota
	fromParsed
	fromCandidate
	fromCustomFields
	fromDocumentCustomFields
	fromDocumentTypes
	fromForms
	fromPresets
)

// Compile prepares rules for evaluation. It accepts anything: an unknown reference reads as missing
// and a condition with an unknown operator is false.
func Compile(rules []dossier.Rule) *Program {
	p := &Program{rules: make([]rule, len(rules))}
	for i, r := range rules {
		if r.Mode == dossier.ModeOff {
			// It is recorded as one that did not match, without conditions.
			p.rules[i] = rule{src: dossier.Rule{ID: r.ID, Mode: r.Mode,
				ConditionsType: r.ConditionsType}}
			continue
		}
		c := rule{src: r, and: r.ConditionsType == dossier.ConditionsAnd,
			conditions: make([]condition, len(r.Conditions))}
		for j, cond := range r.Conditions {
			c.conditions[j] = compileCondition(cond)
			p.blank = append(p.blank, dossier.ConditionResult{Type: cond.Type,
				Reference: cond.Reference, Operator: cond.Operator, Value: cond.Value})
		}
		p.rules[i] = c
	}
	p.limit = readLimit(len(p.blank))
	return p
}

func compileCondition(c dossier.Condition) condition {
	out := condition{key: c.Reference}
	switch c.Type {
	case dossier.ConditionFields:
		out.source, out.dotted = fromParsed, strings.Contains(c.Reference, ".")
	case dossier.ConditionContext:
		out.source, out.key = contextSource(c.Reference)
	}
	o := dossier.OperatorNamed(c.Operator)
	out.comparison, out.negated = comparisonOf(o), o.Negates != ""
	if o.NeedsValue {
		out.values = newValues(c.Value)
	}
	return out
}

// The context keys that are lists, and the prefixes of custom fields.
const (
	keyDocumentTypes = "documentTypes"
	keyForms         = "forms"
	keyPresets       = "presets"

	prefixCustomField         = "cf_"
	prefixDocumentCustomField = "dcf_"
)

// contextSource returns the source that a context key reads, and the key in it.
func contextSource(reference string) (source, string) {
	switch reference {
	case keyDocumentTypes:
		return fromDocumentTypes, reference
	case keyForms:
		return fromForms, reference
	case keyPresets:
		return fromPresets, reference
	}
	if key, ok := strings.CutPrefix(reference, prefixCustomField); ok {
		return fromCustomFields, key
	}
	if key, ok := strings.CutPrefix(reference, prefixDocumentCustomField); ok {
		return fromDocumentCustomFields, key
	}
	return fromCandidate, reference
}
