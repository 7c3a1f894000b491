package rules

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// DiffTests returns what leads from the tests of one submission to those of another: first the
// removed tests, then the added and changed ones in their new order. A test is the same one if it
// has the same name.
func DiffTests(before, after dossier.Submission) []dossier.RuleTestChange {
	changes := []dossier.RuleTestChange{}
	for n := range before.Tests {
		t := &before.Tests[n]
		if testNamed(after.Tests, t.Name) == nil {
			changes = append(changes, dossier.RuleTestChange{Change: dossier.ChangeRemoved,
				Name: t.Name, Before: t, Message: fmt.Sprintf("The test %q was removed.", t.Name)})
		}
	}
	for n := range after.Tests {
		t := &after.Tests[n]
		switch old := testNamed(before.Tests, t.Name); {
		case old == nil:
			changes = append(changes, dossier.RuleTestChange{Change: dossier.ChangeAdded,
				Name: t.Name, After: t, Message: fmt.Sprintf("The test %q was added.", t.Name)})
		case !reflect.DeepEqual(*old, *t):
			changes = append(changes, dossier.RuleTestChange{Change: dossier.ChangeChanged,
				Name: t.Name, Before: old, After: t,
				Message: fmt.Sprintf("The test %q was changed.", t.Name)})
		}
	}
	return changes
}

func testNamed(tests []dossier.RuleTest, name string) *dossier.RuleTest {
	n := slices.IndexFunc(tests, func(t dossier.RuleTest) bool { return t.Name == name })
	if n < 0 {
		return nil
	}
	return &tests[n]
}

// sameTests compares tests in their order.
func sameTests(a, b dossier.Submission) bool {
	return slices.EqualFunc(a.Tests, b.Tests, func(a, b dossier.RuleTest) bool {
		return reflect.DeepEqual(a, b)
	})
}
