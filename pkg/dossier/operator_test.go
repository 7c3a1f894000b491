package dossier_test

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestOperators holds that each row of the table is whole, and that a negation takes a value if
// its counterpart does.
func TestOperators(t *testing.T) {
	t.Parallel()
	for _, o := range dossier.Operators {
		if o.Name == "" || o.Meaning == "" || o.Label == "" || o.Needs == nil {
			t.Errorf("a row lacks a text: %+v", o)
		}
		if o.Negates == "" {
			continue
		}
		is := dossier.OperatorNamed(o.Negates)
		if is.Name == "" || is.Negates != "" || is.NeedsValue != o.NeedsValue {
			t.Errorf("%s negates %+v", o.Name, is)
		}
	}
}
