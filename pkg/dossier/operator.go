package dossier

// The operators of a condition.
const (
	OpIsEmpty     = "isEmpty"
	OpIsNotEmpty  = "isNotEmpty"
	OpIsEqual     = "isEqual"
	OpIsNotEqual  = "isNotEqual"
	OpContains    = "contains"
	OpNotContains = "notContains"
)

// Operator describes a comparison that a condition can make. Operators is the one list of them:
// validation, the OpenAPI document and the console read it. Package rules has the comparison and
// the witness of each operator that negates no other.
type Operator struct {
	Name       string // one of the Op constants
	Negates    string // the operator of which this is exactly the opposite; empty for the others
	NeedsValue bool   // it compares with a value; without one it takes none
	Meaning    string // for clients
	Label      string // for people, between what was read and the value: "is"
	// Needs returns what a false condition asks of the value, for people: "be NLD".
	Needs func(Compared) string
}

// Operators lists every operator in the order that clients are shown.
var Operators = []Operator{
	{Name: OpIsEmpty, Meaning: "there is no value, or an empty one",
		Label: "is empty", Needs: beEmpty},
	{Name: OpIsNotEmpty, Negates: OpIsEmpty, Meaning: "not `isEmpty`",
		Label: "is not empty", Needs: haveValue},
	{Name: OpIsEqual, NeedsValue: true, Label: "is", Needs: beEqual,
		Meaning: "a scalar equals any of the listed values; a list equals a list as sets"},
	{Name: OpIsNotEqual, Negates: OpIsEqual, NeedsValue: true, Meaning: "not `isEqual`",
		Label: "is not", Needs: beUnequal},
	{Name: OpContains, NeedsValue: true, Label: "contains", Needs: beContaining,
		Meaning: "a text has one of the values as a part; a list shares an element with them"},
	{Name: OpNotContains, Negates: OpContains, NeedsValue: true, Meaning: "not `contains`",
		Label: "does not contain", Needs: beWithout},
}

// OperatorNames lists the names of the operators.
func OperatorNames() []string {
	names := make([]string, len(Operators))
	for i, o := range Operators {
		names[i] = o.Name
	}
	return names
}

// OperatorNamed returns the operator with a name, or a zero Operator.
func OperatorNamed(name string) Operator {
	for _, o := range Operators {
		if o.Name == name {
			return o
		}
	}
	return Operator{}
}
