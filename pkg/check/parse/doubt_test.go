package parse

import (
	"strings"
	"testing"

	"github.com/dossierhq/dossier/pkg/check/childproto"
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

// TestSpelled holds what a pattern decides: the one text of its form that looks like what was read.
func TestSpelled(t *testing.T) {
	t.Parallel()
	const categories = `A1|A2|B|BE|C1E|C1|CE|C|D1E|D1|D`
	for _, test := range []struct {
		text, pattern, want string
		only, fits          bool
	}{
		{"NL-2O4", `NL-[0-9]{3}`, "NL-204", true, true},
		{"NL-204", `NL-[0-9]{3}`, "NL-204", true, true},
		{"N1-204", `NL-[0-9]{3}`, "N1-204", false, false},
		{"67O7O393", `[0-9]{8}`, "67070393", true, true},
		{"SSRWZT6U6", `[A-Z0-9]{9}`, "SSRWZT6U6", false, true}, // S5RWZT6U6 has the form, too
		{"DIE", categories, "D1E", true, true},
		{"Cl", categories, "C1", true, true},
		{"CE", categories, "CE", true, true},
		{"8", categories, "B", true, true},
		{"F", categories, "F", false, false},
		{"4O15B12", `[0-9]{4}[A-Z][0-9]{2}`, "4015B12", true, true},
		{"1118", `[0-9]{3}[A-Z]|[0-9]{4}`, "1118", false, true},
		{strings.Repeat("0", 200), `[0-9]{1,200}!?`, strings.Repeat("0", 200), false, true},
	} {
		form, err := dossier.CheckField{Pattern: test.pattern}.Form()
		if err != nil {
			t.Fatal(err)
		}
		got, only, fits := spelled(test.text, form)
		if got != test.want || only != test.only || fits != test.fits {
			t.Errorf("%q as %s: %q, %v, %v", test.text, test.pattern, got, only, fits)
		}
	}
}

// TestDoubtOfTwo holds how certain two equal readings are: more so where a pattern tells apart what
// looks alike, less so with a nine, which may be a zero.
func TestDoubtOfTwo(t *testing.T) {
	t.Parallel()
	number := dossier.CheckField{Type: dossier.FieldText, Pattern: `NL-[0-9]{3}`}
	date := dossier.CheckField{Type: dossier.FieldDate}
	bare := dossier.CheckField{Type: dossier.FieldText}
	for _, test := range []struct {
		text  string
		field dossier.CheckField
		doubt float64 // of the less certain reading
		want  float64
	}{
		{"NL-204", number, 0.18, 0.09}, {"NL-204", number, 0.3, 0.15},
		{"NL-294", number, 0.09, 0.18},
		{"NL-294", number, 0.04, 0.08}, {"NL-204", bare, 0.04, 0.5}, {"NL-234", bare, 0.06, 0.06},
		{"2070-01-02", date, 0.09, 0.09}, {"2079-01-02", date, 0.09, 0.18},
		{"2079-01-02", date, 0.8, 1},
	} {
		one := childproto.Answer{Fields: []childproto.Field{{Text: test.text, Doubt: test.doubt}}}
		other := childproto.Answer{Fields: []childproto.Field{{Text: test.text, Doubt: 0.01}}}
		compare(&one, other, []dossier.CheckField{test.field})
		if got := one.Fields[0].Doubt; got < test.want-1e-9 || got > test.want+1e-9 {
			t.Errorf("%s with %v: %v, not %v", test.text, test.doubt, got, test.want)
		}
	}
}
