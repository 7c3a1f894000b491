package rules

import (
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// Operator is a comparison that a condition can make. Operators is the one list of them.
type Operator struct {
	Name       string // one of the Op constants of dossier
	NeedsValue bool   // it compares with a value; without one it takes none
	Negated    bool   // it is true where its counterpart is not
	Meaning    string // for clients

	comparison *comparison
}

// Operators lists every operator in the order that clients are shown.
var Operators = []Operator{
	{Name: dossier.OpIsEmpty, comparison: &emptiness,
		Meaning: "there is no value, or an empty one"},
	{Name: dossier.OpIsNotEmpty, comparison: &emptiness, Negated: true, Meaning: "not `isEmpty`"},
	{Name: dossier.OpIsEqual, comparison: &equality, NeedsValue: true,
		Meaning: "a scalar equals any of the listed values; a list equals a list as sets"},
	{Name: dossier.OpIsNotEqual, comparison: &equality, NeedsValue: true, Negated: true,
		Meaning: "not `isEqual`"},
	{Name: dossier.OpContains, comparison: &containment, NeedsValue: true,
		Meaning: "a text has one of the values as a part; a list shares an element with them"},
	{Name: dossier.OpNotContains, comparison: &containment, NeedsValue: true, Negated: true,
		Meaning: "not `contains`"},
}

// comparison is the part that an operator shares with its negation.
type comparison struct {
	text  func(*values, string) bool   // decides for a text
	other func(*values, *operand) bool // decides for everything that is not a text
	// emptyText reports whether an empty text makes sense as a value to compare with.
	emptyText bool
	// witness adds the values worth trying to make a condition true; nil adds none.
	witness func(*witnesses, *condition)
}

var (
	emptiness = comparison{
		text:  func(_ *values, s string) bool { return trim(s) == "" },
		other: func(_ *values, r *operand) bool { return r.empty() },
	}
	equality = comparison{
		text: (*values).equalText, other: (*values).equal, emptyText: true,
		witness: (*witnesses).equal,
	}
	containment = comparison{
		text:    func(vs *values, s string) bool { return vs.within(canonical(s)) },
		other:   (*values).contained,
		witness: (*witnesses).contain,
	}
)

// operatorNamed returns the operator with a name, or a zero Operator.
func operatorNamed(name string) Operator {
	for _, o := range Operators {
		if o.Name == name {
			return o
		}
	}
	return Operator{}
}

// names lists the names of a table's rows in their order.
func names[T any](table []T, name func(T) string) []string {
	out := make([]string, len(table))
	for i, row := range table {
		out[i] = name(row)
	}
	return out
}

var operatorNames = names(Operators, func(o Operator) string { return o.Name })

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
