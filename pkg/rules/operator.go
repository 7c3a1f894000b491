package rules

import (
	"cmp"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// comparison is the part that an operator shares with its negation.
type comparison struct {
	text  func(*values, string) bool   // decides for a text
	other func(*values, *operand) bool // decides for everything that is not a text
	// emptyText reports whether an empty text makes sense as a value to compare with.
	emptyText bool
	// witness adds values worth trying to make a condition true together with the others: if any
	// value does, one that is tried has to. The review and the explanations of a run rest on it.
	witness func(*witnesses, *condition)
}

// comparisons has a row for each operator of dossier.Operators that negates no other. The order of
// the values, and of a list that was read, must not count.
var comparisons = map[string]*comparison{
	dossier.OpIsEmpty: {
		text:    func(_ *values, s string) bool { return trim(s) == "" },
		other:   func(_ *values, r *operand) bool { return r.empty() },
		witness: func(*witnesses, *condition) {}, // nothing is always tried
	},
	dossier.OpIsEqual: {
		text: (*values).equalText, other: (*values).equal, emptyText: true,
		witness: (*witnesses).equal,
	},
	dossier.OpContains: {
		text:    func(vs *values, s string) bool { return vs.within(canonical(s)) },
		other:   (*values).contained,
		witness: (*witnesses).contain,
	},
}

// comparisonOf returns the comparison that an operator makes or negates; nil for an unknown one.
func comparisonOf(o dossier.Operator) *comparison {
	return comparisons[cmp.Or(o.Negates, o.Name)]
}

// names lists the names of a table's rows in their order.
func names[T any](table []T, name func(T) string) []string {
	out := make([]string, len(table))
	for i, row := range table {
		out[i] = name(row)
	}
	return out
}

// witnesses gathers values worth trying: each isEqual list, and the smallest text and list that
// hold something of every contains.
type witnesses struct {
	conditions []condition
	domain     domain
	tried      []any
	text       string
	list       []any
}

func (w *witnesses) equal(c *condition) {
	whole := make([]any, len(c.values.list))
	for i, s := range c.values.list {
		whole[i] = s.text
		if w.domain.scalars {
			w.tried = append(w.tried, s.text)
		}
	}
	if w.domain.lists {
		w.tried = append(w.tried, whole)
	}
}

func (w *witnesses) contain(c *condition) {
	if s, ok := allowed(w.conditions, c, strings.Contains); ok {
		w.text += s + unused
	}
	if s, ok := allowed(w.conditions, c, func(a, b string) bool { return a == b }); ok {
		w.list = append(w.list, s)
	}
}
