package parse

import (
	"testing"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// TestCodeDoubt holds which texts two readings make certain. The misread ones were read so with a
// confidence above 0.9, twice.
func TestCodeDoubt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text     string
		one, two float64
		certain  bool
	}{
		{"CE", 0.09, 0.1, true},
		{"Ada Lovelace", 0.1, 0.1, true},
		{"NL-3743", 0.1, 0.09, true},
		{"NL-3743", 0.1, 0.11, false},
		{"NL-384", 0.09, 0.05, true},
		{"NL-384", 0.2, 0.2, false},
		{"DIE", 0.06, 0.05, false},       // printed as D1E
		{"Cl", 0.07, 0.07, false},        // C1
		{"67070393", 0.06, 0.04, false},  // 6707O393
		{"89201782", 0.05, 0.04, false},  // 8920I782
		{"SSRWZT6U6", 0.09, 0.08, false}, // S5RWZT6U6
		{"LKMSKCPPM", 0.09, 0.09, false}, // LKM5KCPPM
		{"WEBER", 0.09, 0.09, true},
		{"ce", 0.1, 0.19, false}, // CE
		{"WIWI@PK4M", 0.09, 0.08, false},
		{"KW@34", 0.01, 0.01, false},
	} {
		if got := 1-codeDoubt(test.text, test.one, test.two) >= 0.9; got != test.certain {
			t.Errorf("%q with %v and %v: certain %v", test.text, test.one, test.two, got)
		}
	}
}

func TestLikeLabel(t *testing.T) {
	t.Parallel()
	fields := []dossier.CheckField{{Label: "Class"}, {Label: "Valid until"}}
	for text, want := range map[string]bool{"(Class": true, "Validuntil": true, "Valid": true,
		"CE": false, "NL-204": false, "2031-05-01": false, "": false} {
		if got := likeLabel(text, fields); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
