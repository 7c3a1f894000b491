package rules

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// domain describes the values that a reference can hold.
type domain struct {
	scalars, lists bool
	only           []any // where it holds one of a few values or nothing
}

// domain returns the values that a condition's reference can hold.
func (w *warner) domain(c *condition) domain {
	switch c.source {
	case fromParsed:
		// Parsers with known references read single values at them; above them are objects, which
		// nothing compares with.
		return domain{scalars: true, lists: w.known.References == nil}
	case fromDocumentTypes, fromForms, fromPresets:
		return domain{lists: true}
	case fromCustomFields:
		return fieldDomain(w.known.CandidateFields[c.key])
	case fromDocumentCustomFields:
		return fieldDomain(w.known.DocumentFields[c.key])
	case fromCandidate:
		switch c.key {
		case keyStatus:
			return domain{only: anys(dossier.Statuses)}
		case keyPassVerification:
			return domain{only: []any{dossier.PassPending, dossier.PassVerified,
				dossier.PassFailed}}
		}
	}
	return domain{scalars: true}
}

func fieldDomain(t string) domain {
	switch t {
	case dossier.FieldBoolean:
		return domain{only: []any{true, false}}
	case dossier.FieldList:
		return domain{lists: true}
	case dossier.FieldText, dossier.FieldDate, dossier.FieldNumber:
		return domain{scalars: true}
	}
	return domain{scalars: true, lists: true}
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// satisfiable reports whether one of the values makes all conditions on one reference true. It
// calls the code that decides rules.
func satisfiable(conditions []condition, tried []any) bool {
	for _, witness := range tried {
		var r operand
		r.set(witness)
		if !slices.ContainsFunc(conditions, func(c condition) bool { return !c.holds(&r) }) {
			return true
		}
	}
	return false
}

// unused is a text that no value holds: a private-use character, so that nothing combines with it.
const unused = "\U0010FFFD"

// witnessesOf returns the values worth trying: nothing, the few that the domain allows, and those
// of each comparison. If any value of the domain satisfies the conditions, one of these does,
// because each contains is satisfied by any of its values that no notContains forbids, whatever
// the others ask for.
func witnessesOf(conditions []condition, d domain) []any {
	w := witnesses{conditions: conditions, domain: d, tried: append([]any{nil}, d.only...),
		text: unused, list: []any{unused}}
	for i := range conditions {
		c := &conditions[i]
		if c.comparison != nil && !c.negated {
			c.comparison.witness(&w, c)
		}
	}
	if d.scalars {
		w.tried = append(w.tried, w.text)
	}
	if d.lists {
		w.tried = append(w.tried, w.list)
	}
	return w.tried
}

// allowed picks a value of a condition that no negation of the same comparison forbids.
func allowed(conditions []condition, wanted *condition,
	forbids func(value, forbidden string) bool) (string, bool) {
	for _, s := range wanted.values.list {
		if !slices.ContainsFunc(conditions, func(c condition) bool {
			return c.comparison == wanted.comparison && c.negated &&
				slices.ContainsFunc(c.values.list, func(f scalar) bool {
					return forbids(s.text, f.text)
				})
		}) {
			return s.text, true
		}
	}
	return "", false
}
