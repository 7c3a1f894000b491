package compare

import (
	"fmt"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/rules"
)

// workload is figure 3: 10 rules of 4 conditions over 100 fields, as benchmarked in pkg/rules.
// Every condition but the last of a rule is true, so that each engine has to look at all four, and
// every second rule matches.
func workload() ([]dossier.Rule, rules.Facts) {
	parsed := make(map[string]any, 100)
	for i := range 100 {
		parsed[fmt.Sprintf("field%02d", i)] = fmt.Sprintf("value %02d of the document", i)
	}
	var list []dossier.Rule
	for i := range 10 {
		key := func(j int) string { return fmt.Sprintf("field%02d", (i*4+j)*7%100) }
		condition := func(j int, op string, value any) dossier.Condition {
			return dossier.Condition{Type: dossier.ConditionFields, Reference: key(j), Operator: op,
				Value: value}
		}
		equal := parsed[key(3)]
		if i%2 == 1 {
			equal = "something else"
		}
		list = append(list, dossier.Rule{ID: fmt.Sprint("rul_", i),
			ConditionsType: dossier.ConditionsAnd, Conditions: []dossier.Condition{
				condition(0, dossier.OpIsNotEmpty, nil),
				condition(1, dossier.OpContains, []any{"of the"}),
				condition(2, dossier.OpIsNotEqual, []any{"CE", "C"}),
				condition(3, dossier.OpIsEqual, []any{"BE", equal})}})
	}
	return list, rules.Facts{Parsed: parsed}
}

// matching are the rules that match: every second one.
const matching = 0b0101010101

// syntax holds the operators of the workload as an engine writes them. %[1]s is the field, %[2]q
// and %[3]q are the values.
type syntax struct{ isNotEmpty, contains, isNotEqual, isEqual string }

// expression writes a rule for another engine. It means the same on this workload; trimming, NFC,
// numbers, lists and missing fields are left out, to the advantage of the other engine.
func (s syntax) expression(r dossier.Rule) string {
	out := ""
	for i, c := range r.Conditions {
		format := map[string]string{dossier.OpIsNotEmpty: s.isNotEmpty,
			dossier.OpContains:   s.contains,
			dossier.OpIsNotEqual: s.isNotEqual, dossier.OpIsEqual: s.isEqual}[c.Operator]
		args := []any{c.Reference}
		if list, ok := c.Value.([]any); ok {
			args = append(args, list...)
		}
		if i > 0 {
			out += " && "
		}
		out += fmt.Sprintf(format, args...)
	}
	return out
}
