package rules

import (
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// domain is what kinds of values a reference can hold.
type domain struct {
	scalars, lists bool
	only           []any // where it holds one of a few values or nothing
}

// domain says what a condition's reference can hold.
func (w *warner) domain(c *condition) domain {
	switch c.source {
	case fromParsed:
		// Parsers with known references read single values at them; above them are objects, which nothing compares with.
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
			return domain{only: []any{dossier.PassPending, dossier.PassVerified, dossier.PassFailed}}
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

// satisfiable reports whether one of the values makes all conditions on one reference true, with the same code that decides rules.
func satisfiable(conditions []condition, tried []any) bool {
	for _, witness := range tried {
		var r reading
		r.set(witness)
		if !slices.ContainsFunc(conditions, func(c condition) bool { return !c.holds(&r) }) {
			return true
		}
	}
	return false
}

// fresh stands for what no value holds. It is a private-use character, so that nothing combines with it.
const fresh = "\U0010FFFD"

// witnesses are the values worth trying: nothing, what an isEqual lists, and the smallest text and list with what every contains
// asks for. If any value of the domain satisfies the conditions, one of these does, because each contains is satisfied by any of its
// values that no notContains forbids, whatever the others ask for.
func witnesses(conditions []condition, d domain) []any {
	out := append([]any{nil}, d.only...)
	text, list := fresh, []any{fresh}
	for _, c := range conditions {
		switch {
		case c.not:
		case c.op == opEqual:
			whole := make([]any, len(c.values.list))
			for i, s := range c.values.list {
				whole[i] = s.text
				if d.scalars {
					out = append(out, s.text)
				}
			}
			if d.lists {
				out = append(out, whole)
			}
		case c.op == opContain:
			if s, ok := allowed(conditions, c, strings.Contains); ok {
				text += s + fresh
			}
			if s, ok := allowed(conditions, c, func(a, b string) bool { return a == b }); ok {
				list = append(list, s)
			}
		}
	}
	if d.scalars {
		out = append(out, text)
	}
	if d.lists {
		out = append(out, list)
	}
	return out
}

// allowed picks a value of a contains condition that none of the notContains conditions forbids.
func allowed(conditions []condition, contains condition, forbids func(value, forbidden string) bool) (string, bool) {
	for _, s := range contains.values.list {
		if !slices.ContainsFunc(conditions, func(c condition) bool {
			return c.op == opContain && c.not && slices.ContainsFunc(c.values.list, func(f scalar) bool { return forbids(s.text, f.text) })
		}) {
			return s.text, true
		}
	}
	return "", false
}
