package rules

import (
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Program is rules made ready for many evaluations. It is never changed and safe for concurrent use.
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
	op     operation
	not    bool
	values values
}

// source is where a reference is read.
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

type operation uint8

const (
	opNever operation = iota // an operator nobody knows
	opEmpty
	opEqual
	opContain
)

// Compile makes rules ready to be evaluated. It accepts anything: what Review would refuse reads as missing or is false.
func Compile(rules []dossier.Rule) *Program {
	p := &Program{rules: make([]rule, len(rules))}
	for i, r := range rules {
		c := rule{src: r, and: r.ConditionsType == dossier.ConditionsAnd, conditions: make([]condition, len(r.Conditions))}
		for j, cond := range r.Conditions {
			c.conditions[j] = compileCondition(cond)
			p.blank = append(p.blank, dossier.ConditionResult{Type: cond.Type, Reference: cond.Reference, Operator: cond.Operator, Value: cond.Value})
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
	switch c.Operator {
	case dossier.OpIsEmpty, dossier.OpIsNotEmpty:
		out.op, out.not = opEmpty, c.Operator == dossier.OpIsNotEmpty
	case dossier.OpIsEqual, dossier.OpIsNotEqual:
		out.op, out.not = opEqual, c.Operator == dossier.OpIsNotEqual
	case dossier.OpContains, dossier.OpNotContains:
		out.op, out.not = opContain, c.Operator == dossier.OpNotContains
	}
	if out.op == opEqual || out.op == opContain {
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

// contextSource says where a context key is read, and under which key there.
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
